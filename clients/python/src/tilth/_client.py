"""The clients: what a program makes first."""
from __future__ import annotations

import dataclasses
import os
import re
from types import TracebackType
from typing import Optional, Type, TypeVar

import httpx

from ._async import AsyncTransport
from ._async_resources import AsyncResources
from ._batch import AsyncBatch, Batch, OnError
from ._calls import Retries, Session
from ._events import AsyncEvents, Events
from ._records import Instant, to_json
from ._resources import Resources
from ._sync import Transport
from ._version import VERSION

S = TypeVar("S", bound="Tilth")
A = TypeVar("A", bound="AsyncTilth")

TIMEOUT = httpx.Timeout(60, connect=10)
USER_AGENT = f"tilth-python/{VERSION}"


def _session(key: Optional[str]) -> Session:
    key = (key or os.environ.get("TILTH_API_KEY") or "").strip()
    if not key:
        raise ValueError("There is no key: pass one, or set TILTH_API_KEY.")
    if not (key.isascii() and key.isprintable()):  # said here, since what HTTP says of it would show it
        raise ValueError("The key has a character that no key has.")
    return Session(key)


def _url(url: Optional[str]) -> str:
    url = (url or os.environ.get("TILTH_URL") or "http://127.0.0.1:8080").rstrip("/")
    if not re.match(r"https?://[^/?#]", url, re.IGNORECASE):  # said here, since to ask it again and again makes no sense
        raise ValueError("The URL of the service must begin with http:// or https:// and name a host.")
    return url


class Tilth(Resources):
    """A client of one Tilth service, for one API key. It may be shared by threads.

    Args:
        key: The API key; by default that in the environment variable `TILTH_API_KEY`.
        url: Where the service is; by default `TILTH_URL`, or `http://127.0.0.1:8080`.
        retries: How often to ask again, and how long to wait for that at most.
        http: An `httpx.Client` of your own, for proxies, certificates and the like. Closing it remains yours.
    """

    def __init__(self, key: Optional[str] = None, url: Optional[str] = None, *, retries: Retries = Retries(),
                 http: Optional[httpx.Client] = None) -> None:
        session = _session(key)
        self._owned = None if http else httpx.Client(timeout=TIMEOUT, headers={"User-Agent": USER_AGENT})
        self._http = http or self._owned
        assert self._http is not None
        self._http.base_url = httpx.URL(_url(url))
        self._set(Transport(self._http, session, retries))

    def _set(self, transport: Transport) -> None:
        self._transport = transport
        self._add_resources(transport)
        self.events = Events(transport)

    def as_of(self, time: Instant) -> Tilth:
        """A client that reads everything as it was at that time. It shares this one's connections, and cannot write."""
        past = object.__new__(Tilth)
        past._owned, past._http = None, self._http
        session = dataclasses.replace(self._transport.session, as_of=str(to_json(time, "time")))
        past._set(Transport(self._transport.http, session, self._transport.retries))
        return past

    def batch(self, *, on_error: OnError = "continue") -> Batch:
        """A batch to add requests to. With `on_error="stop"` nothing is done after the first failure."""
        return Batch(self._transport, on_error)

    @property
    def position(self) -> Optional[str]:
        """Of the change that was answered last. Every read of this client sees it; set it to one that another program
        passed on, and they see that."""
        return self._transport.session.position

    @position.setter
    def position(self, position: Optional[str]) -> None:
        self._transport.session.position = position

    def close(self) -> None:
        """Closes the connections."""
        if self._owned:
            self._owned.close()

    def __enter__(self: S) -> S:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()


class AsyncTilth(AsyncResources):
    """The same for programs with an event loop: methods are awaited, lists are walked with `async for`."""

    def __init__(self, key: Optional[str] = None, url: Optional[str] = None, *, retries: Retries = Retries(),
                 http: Optional[httpx.AsyncClient] = None) -> None:
        session = _session(key)
        self._owned = None if http else httpx.AsyncClient(timeout=TIMEOUT, headers={"User-Agent": USER_AGENT})
        self._http = http or self._owned
        assert self._http is not None
        self._http.base_url = httpx.URL(_url(url))
        self._set(AsyncTransport(self._http, session, retries))

    def _set(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self._add_resources(transport)
        self.events = AsyncEvents(transport)

    def as_of(self, time: Instant) -> AsyncTilth:
        """A client that reads everything as it was at that time. It shares this one's connections, and cannot write."""
        past = object.__new__(AsyncTilth)
        past._owned, past._http = None, self._http
        session = dataclasses.replace(self._transport.session, as_of=str(to_json(time, "time")))
        past._set(AsyncTransport(self._transport.http, session, self._transport.retries))
        return past

    def batch(self, *, on_error: OnError = "continue") -> AsyncBatch:
        """A batch to add requests to. With `on_error="stop"` nothing is done after the first failure."""
        return AsyncBatch(self._transport, on_error)

    @property
    def position(self) -> Optional[str]:
        """Of the change that was answered last, as for `Tilth`."""
        return self._transport.session.position

    @position.setter
    def position(self, position: Optional[str]) -> None:
        self._transport.session.position = position

    async def close(self) -> None:
        """Closes the connections."""
        if self._owned:
            await self._owned.aclose()

    async def __aenter__(self: A) -> A:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.close()
