"""Requests that wait in a batch."""
from __future__ import annotations

import dataclasses
import itertools
import re
from typing import Any, Dict, Generic, List, Mapping, Optional, TypeVar, cast
from urllib.parse import urlencode

from ._calls import Call, retry_after
from ._records import from_json, record
from .errors import TilthError, api_error

T = TypeVar("T")


class Planned(Generic[T]):
    """A request of a batch. Pass it wherever a later one takes a record or its id; once sent, it has a result."""

    def __init__(self, batch: str, name: str, call: Call, kind: Any) -> None:
        self.name, self._batch, self._call, self._kind = name, batch, call, kind
        self._answer: Optional[Mapping[str, Any]] = None

    @property
    def id(self) -> str:
        """The id of the record that this request makes: a reference to it until the batch is sent."""
        if self._answer is None:
            return "{$" + self._batch + "." + self.name + "}"
        return cast(str, getattr(self.result(), "id"))

    @property
    def status(self) -> int:
        """The HTTP status that the request was answered with."""
        return cast(int, self._sent()["status"])

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    def result(self) -> T:
        """What the request was answered with; the error that it was refused with is raised."""
        answer = self._sent()
        body = answer["body"]
        if not self.ok:
            raise api_error(self.status, body, retry_after=retry_after(answer["headers"]))
        if self._kind is None or body is None:
            return cast(T, None)
        if isinstance(self._kind, type):
            return cast(T, record(self._kind, body["data"], answer["headers"].get("ETag")))
        return cast(T, from_json(self._kind, body["data"]))

    def _sent(self) -> Mapping[str, Any]:
        if self._answer is None:
            raise TilthError(f"{self._call.method} {self._call.path} waits for the batch to be sent")
        return self._answer

    def to_request(self) -> Mapping[str, Any]:
        query = urlencode(self._call.query)
        request: Dict[str, Any] = {"id": self.name, "method": self._call.method, "path": self._call.path + ("?" + query if query else "")}
        if self._call.body is not None:
            request["body"] = self._call.body
        if self._call.if_match is not None:
            request["ifMatch"] = self._call.if_match
        return request

    def answer(self, answer: Mapping[str, Any]) -> None:
        self._answer = answer


class Planner:
    """Collects requests."""

    _numbers = itertools.count()

    def __init__(self) -> None:
        self.requests: List[Planned[Any]] = []
        self._batch = str(next(self._numbers))

    def add(self, call: Call, kind: Any) -> Planned[Any]:
        own = dataclasses.replace(call, path="/".join(map(self._own, call.path.split("/"))), query=self._own(call.query),
                                  body=self._own(call.body))
        planned: Planned[Any] = Planned(self._batch, f"r{len(self.requests)}", own, kind)
        self.requests.append(planned)
        return planned

    def _own(self, value: Any) -> Any:
        """With references as the service reads them. Each batch has its r0, so one to another batch's is refused."""
        if isinstance(value, Mapping):
            return {name: self._own(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self._own(item) for item in value]
        reference = re.fullmatch(r"\{\$([0-9]+)\.(r[0-9]+)\}", value) if isinstance(value, str) else None
        if reference is None:
            return value
        if reference[1] != self._batch:
            raise TilthError("A request of another batch has no id before that batch is sent; send it first.")
        return "{$" + reference[2] + "}"


class BatchResource:
    """The operations on one kind of record, within a batch."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner

    def _plan(self, call: Call, kind: Any) -> Planned[Any]:
        return self._planner.add(call, kind)
