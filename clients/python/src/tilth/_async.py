"""Sends calls and awaits their answers: what `_sync` is for programs with an event loop."""
from __future__ import annotations

import asyncio
import contextlib
from typing import Dict, Generic, AsyncIterator, List, Type, TypeVar

import httpx

from ._calls import FAULTS, Answer, Call, Retries, Session, answer_of, check_stream, failure
from ._pages import Page, Table, first_of, next_of, page_of
from ._records import from_json, record
from .errors import ConnectionFailed

T = TypeVar("T")
M = TypeVar("M")


class AsyncTransport:
    """Asks the service, again where that can help."""

    def __init__(self, http: httpx.AsyncClient, session: Session, retries: Retries) -> None:
        self.http, self.session, self.retries = http, session, retries

    async def send(self, call: Call) -> Answer:
        """The answer to a call, which is 2xx; anything else is raised as an ApiError."""
        headers, content = self.session.headers(call), self.session.content(call)
        attempt = faults = 0
        while True:
            attempt += 1
            try:
                response = await self.http.request(call.method, "/api" + call.path, params=dict(call.query),
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
            await asyncio.sleep(wait)

    @contextlib.asynccontextmanager
    async def stream(self, call: Call, headers: Dict[str, str]) -> AsyncIterator[httpx.Response]:
        """An answer that is read as it comes. Nothing is asked again."""
        async with self.http.stream(call.method, "/api" + call.path, params=dict(call.query),
                              headers={**self.session.headers(call), **headers},
                              timeout=httpx.Timeout(10, read=45)) as response:
            if not response.is_success:
                await response.aread()
                raise failure(response)
            check_stream(call, response, headers["Accept"])
            yield response


class AsyncListing(Generic[T]):
    """A list of records. Iterate over it with `async for`: the pages are fetched as they are needed."""

    def __init__(self, transport: AsyncTransport, call: Call, kind: Type[T], at_once: bool) -> None:
        self._transport, self._call, self._kind = transport, first_of(call, at_once), kind

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for row in page:
                yield row

    async def pages(self) -> AsyncIterator[Page[T]]:
        """Page by page, from the one that was asked for to the last."""
        call = self._call
        while True:
            page: Page[T] = page_of((await self._transport.send(call)).body, self._kind)
            yield page
            if page.is_last:
                return
            call = next_of(call, page)

    async def page(self) -> Page[T]:
        """Only the page that was asked for, the first by default."""
        return await self.pages().__anext__()


class AsyncResource:
    """The operations on one kind of record."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def _one(self, call: Call, kind: Type[T]) -> T:
        answer = await self._transport.send(call)
        return record(kind, answer.body["data"], answer.headers.get("ETag"))

    async def _bare(self, call: Call, kind: Type[T]) -> T:
        return record(kind, (await self._transport.send(call)).body)

    async def _all(self, call: Call, kind: Type[T]) -> List[T]:
        return [from_json(kind, row) for row in (await self._transport.send(call)).body["data"]]

    async def _table(self, call: Call, kind: Type[T], meta: Type[M]) -> Table[T, M]:
        body = (await self._transport.send(call)).body
        return Table([record(kind, row) for row in body["data"]], record(meta, body["meta"]))

    def _list(self, call: Call, kind: Type[T], at_once: bool = False) -> AsyncListing[T]:
        return AsyncListing(self._transport, call, kind, at_once)

    async def _deed(self, call: Call) -> None:
        await self._transport.send(call)


