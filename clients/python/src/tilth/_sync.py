"""Sends calls and waits for their answers."""
from __future__ import annotations

import contextlib
import time
from typing import Dict, Generic, Iterator, List, Type, TypeVar

import httpx

from ._calls import FAULTS, Answer, Call, Retries, Session, answer_of, check_stream, failure
from ._pages import Page, Table, first_of, next_of, page_of
from ._records import from_json, record
from .errors import ConnectionFailed

T = TypeVar("T")
M = TypeVar("M")


class Transport:
    """Asks the service, again where that can help."""

    def __init__(self, http: httpx.Client, session: Session, retries: Retries) -> None:
        self.http, self.session, self.retries = http, session, retries

    def send(self, call: Call) -> Answer:
        """The answer to a call, which is 2xx; anything else is raised as an ApiError."""
        headers, content = self.session.headers(call), self.session.content(call)
        attempt = faults = 0
        while True:
            attempt += 1
            try:
                response = self.http.request(call.method, "/api" + call.path, params=dict(call.query),
                                             headers=headers, content=content)
                answer = answer_of(call, response)
            except FAULTS as fault:
                wait = self.retries.wait_after(attempt)
                if wait is None:
                    raise ConnectionFailed(f"{call.method} {call.path}: {fault}") from fault
            else:
                if answer is not None:
                    self.session.remember(response)
                    return answer
                error = failure(response)
                faults += error.status >= 500
                wait = self.retries.wait_after(attempt, error, faults)
                if wait is None:
                    raise error
            time.sleep(wait)

    @contextlib.contextmanager
    def stream(self, call: Call, headers: Dict[str, str]) -> Iterator[httpx.Response]:
        """An answer that is read as it comes. Nothing is asked again."""
        with self.http.stream(call.method, "/api" + call.path, params=dict(call.query),
                              headers={**self.session.headers(call), **headers},
                              timeout=httpx.Timeout(10, read=45)) as response:
            if not response.is_success:
                response.read()
                raise failure(response)
            check_stream(call, response, headers["Accept"])
            yield response


class Listing(Generic[T]):
    """A list of records. Iterate over it: the pages are fetched as they are needed."""

    def __init__(self, transport: Transport, call: Call, kind: Type[T], at_once: bool) -> None:
        self._transport, self._call, self._kind = transport, first_of(call, at_once), kind

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page

    def pages(self) -> Iterator[Page[T]]:
        """Page by page, from the one that was asked for to the last."""
        call = self._call
        while True:
            page: Page[T] = page_of(self._transport.send(call).body, self._kind)
            yield page
            if page.is_last:
                return
            call = next_of(call, page)

    def page(self) -> Page[T]:
        """Only the page that was asked for, the first by default."""
        return next(self.pages())


class Resource:
    """The operations on one kind of record."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def _one(self, call: Call, kind: Type[T]) -> T:
        answer = self._transport.send(call)
        return record(kind, answer.body["data"], answer.headers.get("ETag"))

    def _bare(self, call: Call, kind: Type[T]) -> T:
        return record(kind, self._transport.send(call).body)

    def _all(self, call: Call, kind: Type[T]) -> List[T]:
        return [from_json(kind, row) for row in self._transport.send(call).body["data"]]

    def _table(self, call: Call, kind: Type[T], meta: Type[M]) -> Table[T, M]:
        body = self._transport.send(call).body
        return Table([record(kind, row) for row in body["data"]], record(meta, body["meta"]))

    def _list(self, call: Call, kind: Type[T], at_once: bool = False) -> Listing[T]:
        return Listing(self._transport, call, kind, at_once)

    def _deed(self, call: Call) -> None:
        self._transport.send(call)


