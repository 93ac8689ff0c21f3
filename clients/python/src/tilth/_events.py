"""The owner's history: all of it, or as it goes on."""
from __future__ import annotations

import asyncio
import datetime
import json
import time
from typing import Any, AsyncIterator, Dict, Iterator, List, Optional, Union

import httpx

from ._async import AsyncTransport
from ._calls import FAULTS, Call, Maybe, call
from ._records import UNSET, Instant, record
from ._sync import Transport
from .errors import ApiError
from .records import Event

BATCH = 10_000  # events, the most that the service answers at once

From = Union[Event, Instant, None]


class Lines:
    """Puts server-sent events together. httpx would end lines at characters, too, that a text within JSON may hold."""

    def __init__(self) -> None:
        self._rest = ""
        self._data: List[str] = []

    def add(self, text: str) -> Iterator[Event]:
        """The events that a piece of the answer completes. Comments and the other fields say nothing that `data` does not."""
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            line = line.rstrip("\r")
            if line.startswith("data:"):
                self._data.append(line[5:].lstrip(" "))
            elif not line and self._data:
                told, self._data = "\n".join(self._data), []
                yield record(Event, _parsed(told))


def _parsed(told: str) -> Any:
    try:
        return json.loads(told)
    except ValueError as fault:
        raise httpx.DecodingError(f"the event is not JSON: {fault}") from fault


def _history(type: Maybe[str], since: Maybe[Instant], until: Maybe[Instant], after: Maybe[str]) -> Call:
    return call("GET", "/v1/events", query={"type": type, "since": since, "until": until, "after": after,
                                            "limit": BATCH})


def _following(type: Maybe[str], start: From) -> Call:
    """`start` is an event or a position to go on after, or an instant to begin at."""
    query: Dict[str, object] = {"type": type}
    if isinstance(start, Event):
        query["after"] = start.position
    elif isinstance(start, str):
        query["since" if _is_instant(start) else "after"] = start
    elif start is not None:
        query["since"] = start
    return call("GET", "/v1/events", query=query)


def _is_instant(text: str) -> bool:
    try:
        datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return False
    return True


class Events:
    """What happened, in order: every change of the owner's records."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, *, type: Maybe[str] = UNSET, since: Maybe[Instant] = UNSET, until: Maybe[Instant] = UNSET,
             after: Maybe[str] = UNSET) -> Iterator[Event]:
        """Every event up to the present, oldest first.

        Args:
            type: Only events of this type, or of those that begin with what is before a `*`.
            since: Only events of this instant or later.
            until: Only events before this instant.
            after: Only events after this position: an event's `position`, or `client.position`.
        """
        asked = _history(type, since, until, after)
        while True:
            events = [record(Event, told) for told in self._transport.send(asked).body]
            yield from events
            if len(events) < BATCH:
                return
            asked = asked.with_query(after=events[-1].position)

    def follow(self, *, from_: From = None, type: Maybe[str] = UNSET) -> Iterator[Event]:
        """The events as they happen, for ever. After a broken connection it goes on where it was, without gap or repeat.

        Args:
            from_: An event or a position to go on after, or an instant to begin at. By default the whole history
                comes first.
            type: Only events of this type, or of those that begin with what is before a `*`.
        """
        asked, failures = _following(type, from_), 0
        while True:
            try:
                with self._transport.stream(asked, {"Accept": "text/event-stream"}) as response:
                    lines = Lines()
                    for text in response.iter_text():
                        for event in lines.add(text):
                            failures = 0
                            asked = asked.with_query(after=event.position)
                            yield event
                wait = self._transport.retries.backoff(1)
            except FAULTS:
                failures += 1
                wait = self._transport.retries.backoff(failures)
            except ApiError as error:
                failures += 1
                asked_for = self._transport.retries.wait_after(1, error)
                if asked_for is None:
                    raise
                wait = max(asked_for, self._transport.retries.backoff(failures))
            time.sleep(wait)



class AsyncEvents:
    """What happened, in order: every change of the owner's records."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self, *, type: Maybe[str] = UNSET, since: Maybe[Instant] = UNSET, until: Maybe[Instant] = UNSET,
             after: Maybe[str] = UNSET) -> AsyncIterator[Event]:
        """Every event up to the present, oldest first.

        Args:
            type: Only events of this type, or of those that begin with what is before a `*`.
            since: Only events of this instant or later.
            until: Only events before this instant.
            after: Only events after this position: an event's `position`, or `client.position`.
        """
        asked = _history(type, since, until, after)
        while True:
            events = [record(Event, told) for told in (await self._transport.send(asked)).body]
            for event in events:
                yield event
            if len(events) < BATCH:
                return
            asked = asked.with_query(after=events[-1].position)

    async def follow(self, *, from_: From = None, type: Maybe[str] = UNSET) -> AsyncIterator[Event]:
        """The events as they happen, for ever. After a broken connection it goes on where it was, without gap or repeat.

        Args:
            from_: An event or a position to go on after, or an instant to begin at. By default the whole history
                comes first.
            type: Only events of this type, or of those that begin with what is before a `*`.
        """
        asked, failures = _following(type, from_), 0
        while True:
            try:
                async with self._transport.stream(asked, {"Accept": "text/event-stream"}) as response:
                    lines = Lines()
                    async for text in response.aiter_text():
                        for event in lines.add(text):
                            failures = 0
                            asked = asked.with_query(after=event.position)
                            yield event
                wait = self._transport.retries.backoff(1)
            except FAULTS:
                failures += 1
                wait = self._transport.retries.backoff(failures)
            except ApiError as error:
                failures += 1
                asked_for = self._transport.retries.wait_after(1, error)
                if asked_for is None:
                    raise
                wait = max(asked_for, self._transport.retries.backoff(failures))
            await asyncio.sleep(wait)

