"""What lists answer."""
from __future__ import annotations

import dataclasses
from typing import Any, Generic, Iterator, List, TypeVar

from ._calls import Call
from ._records import record
from .records import Pagination

T = TypeVar("T")
M = TypeVar("M")

PAGE = "100"  # records, the most that the service answers: fewest requests


@dataclasses.dataclass(frozen=True)
class Page(Generic[T]):
    """One page of a list."""

    data: List[T]
    pagination: Pagination

    def __iter__(self) -> Iterator[T]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)

    @property
    def is_last(self) -> bool:
        # Not by the number of pages: a list that is answered at once can be longer than its one page.
        return (self.pagination.page - 1) * self.pagination.limit + len(self.data) >= self.pagination.total or not self.data


@dataclasses.dataclass(frozen=True)
class Table(Generic[T, M]):
    """Rows, and what holds for all of them."""

    data: List[T]
    meta: M

    def __iter__(self) -> Iterator[T]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)


def first_of(call: Call, at_once: bool) -> Call:
    """The call for the first page; a list that can be had at once is."""
    return call if at_once or "limit" in call.query else call.with_query(limit=PAGE)


def next_of(call: Call, page: Page[Any]) -> Call:
    return call.with_query(page=str(page.pagination.page + 1))


def page_of(body: Any, kind: Any) -> Page[Any]:
    return Page([record(kind, row) for row in body["data"]], record(Pagination, body["pagination"]))
