"""A call of the API as data, and what is decided about it without a network."""
from __future__ import annotations

import dataclasses
import datetime
import email.utils
import json
import random
import re
import threading
import uuid
from typing import Any, Dict, Mapping, Optional, Tuple, TypeVar, Union
from urllib.parse import quote

import httpx

from ._records import Unset, given, id_of
from .errors import ApiError, ConnectionFailed, api_error

T = TypeVar("T")
Maybe = Union[T, Unset]

Path = Union[str, Tuple[Any, ...]]


@dataclasses.dataclass(frozen=True)
class Call:
    """One request: what it asks, not how it is sent."""

    method: str
    path: str
    query: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    body: Optional[Mapping[str, Any]] = None
    if_match: Optional[str] = None
    idempotency_key: Optional[str] = None

    @property
    def reads(self) -> bool:
        return self.method == "GET"

    def with_query(self, **changed: Any) -> Call:
        return dataclasses.replace(self, query={**self.query, **changed})


def call(method: str, path: Path, *, query: Mapping[str, Any] = {}, body: Optional[Mapping[str, Any]] = None,
         if_match: Optional[str] = None, idempotency_key: Optional[str] = None) -> Call:
    """A call; `path` is one with `{}` for ids, and the records or ids."""
    form, ids = (path, ()) if isinstance(path, str) else (path[0], path[1:])
    filled = form.format(*map(_segment, ids))
    if body is None and method in ("POST", "PUT"):
        body = {}
    return Call(method, filled, {name: _text(value) for name, value in given(query).items()},
                None if body is None else given(body), if_match, idempotency_key)


def _segment(identifier: Any) -> str:
    text = str(id_of(identifier))
    if text in ("", ".", ".."):  # these are not escaped: the path would be that of another record, its parent's
        raise ValueError(f"{text!r} is no id")
    return quote(text, safe="{$}")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


@dataclasses.dataclass(frozen=True)
class Retries:
    """How a client asks again: after network errors, 429, 5xx, and 409 with `Retry-After`.

    Every change carries an `Idempotency-Key`, so it is made once however often it is asked for.
    """

    attempts: int = 5
    """How often a request is sent, the first time included."""
    faults: int = 3
    """How often it is sent at most if each time the answer is 5xx."""
    longest_wait: float = 60.0
    """In seconds. If the service asks for more, the error is raised at once, with its `retry_after`."""

    def backoff(self, attempt: int) -> float:
        """The seconds to wait after an attempt, the first being 1: about 0.25, 0.5, 1, 2, … up to 8."""
        return min(0.25 * 2.0 ** (attempt - 1), 8.0) * random.uniform(0.75, 1.25)

    def wait_after(self, attempt: int, error: Optional[ApiError] = None, faults: int = 0) -> Optional[float]:
        """The seconds to wait after a failure, or None if asking again makes no sense. No error: the network's.

        `faults` of the attempts were answered 5xx.
        """
        if attempt >= self.attempts or faults >= self.faults:
            return None
        if error is None:
            return self.backoff(attempt)
        transient = error.status in (429, 500, 502, 503, 504) or (error.status == 409 and
                                                                  error.retry_after is not None)
        if not transient:
            return None
        wait = self.backoff(attempt) if error.retry_after is None else error.retry_after
        return wait if wait <= self.longest_wait else None


@dataclasses.dataclass
class Session:
    """What all requests of a client have in common."""

    key: str = dataclasses.field(repr=False)
    position: Optional[str] = None
    as_of: Optional[str] = None
    _lock: threading.Lock = dataclasses.field(default_factory=threading.Lock, init=False, repr=False, compare=False)

    def headers(self, call: Call) -> Dict[str, str]:
        headers = {"Authorization": f"Bearer {self.key}", "Accept": "application/json"}
        if call.body is not None:
            headers["Content-Type"] = "application/json"
        if call.reads:
            if self.as_of:
                headers["Tilth-As-Of"] = _sendable("Tilth-As-Of", self.as_of)
            elif self.position:
                headers["Tilth-Min-Position"] = _sendable("Tilth-Min-Position", self.position)
            return headers
        if self.as_of:
            raise TypeError(f"A client as of {self.as_of} only reads; use the client that it was made from.")
        headers["Idempotency-Key"] = _sendable("Idempotency-Key", call.idempotency_key or str(uuid.uuid4()))
        if call.if_match:
            headers["If-Match"] = _sendable("If-Match", call.if_match)
        return headers

    def content(self, call: Call) -> Optional[bytes]:
        return None if call.body is None else json.dumps(call.body, ensure_ascii=False).encode()

    def remember(self, response: httpx.Response) -> None:
        """Later reads see the change that this response is about."""
        position = response.headers.get("Tilth-Position")
        with self._lock:  # responses of other threads can arrive in another order than their changes were made in
            if position and not _is_older(position, self.position):
                self.position = position


def _sendable(header: str, value: str) -> str:
    """The value, if HTTP can carry it. httpx counts one that it cannot among the errors of transport."""
    if not re.fullmatch(r"[!-~]([ -~]*[!-~])?", value):
        raise ValueError(f"{value!r} cannot be sent as {header}: a header holds printable ASCII, without spaces around it.")
    return value


def _is_older(position: str, than: Optional[str]) -> bool:
    """Whether it is before another position in the same partition."""
    (here, at), (there, last) = (_parted(one or "") for one in (position, than))
    return here == there and at < last


def _parted(position: str) -> Tuple[str, int]:
    """The partition and the offset in it: `p0.123`. Another form has no order."""
    parts = re.fullmatch(r"(p[0-9]+)\.([0-9]+)", position)
    return (parts[1], int(parts[2])) if parts else (position, 0)


FAULTS = (httpx.TransportError, httpx.DecodingError)
"""What httpx raises if there is no whole answer."""


@dataclasses.dataclass(frozen=True)
class Answer:
    """What the service answered with 2xx."""

    body: Any
    """From its JSON; of JSON lines a list; None if there is none."""
    headers: Mapping[str, str]


def answer_of(call: Call, response: httpx.Response) -> Optional[Answer]:
    """The answer that a response is, or None for a refusal.

    One that breaks off is no answer, nor is a page of something else in the service's place: httpx.DecodingError.
    """
    if not response.is_success:
        return None
    # httpx takes compressed bytes that break off for whole.
    decompressor = getattr(getattr(response, "_decoder", None), "decompressor", None)
    if response.num_bytes_downloaded and not getattr(decompressor, "eof", True):
        raise httpx.DecodingError("the answer breaks off within its compressed bytes")
    kind = response.headers.get("Content-Type", "none").lower()
    if response.content and not kind.startswith(("application/json", "application/x-ndjson")):
        raise httpx.DecodingError(f"the answer (status {response.status_code}) is not JSON; its type is {kind}")
    if not response.content and (response.status_code == 204 or call.method == "DELETE"):
        return Answer(None, response.headers)
    try:
        if kind.startswith("application/x-ndjson"):
            body: Any = [json.loads(line) for line in response.text.split("\n") if line]
        else:
            body = response.json()
    except ValueError as fault:
        raise httpx.DecodingError(f"the answer (status {response.status_code}) is not JSON: {fault}") from fault
    return Answer(body, response.headers)


def check_stream(call: Call, response: httpx.Response, accept: str) -> None:
    """The same for an answer that is still read: it is of the type that was asked for, or this raises."""
    kind = response.headers.get("Content-Type", accept)
    if not kind.startswith(accept):
        raise ConnectionFailed(f"{call.method} {call.path}: the answer (status {response.status_code}) is not {accept}; "
                               f"its type is {kind}")


def failure(response: httpx.Response) -> ApiError:
    """The error that a response is, once its body is read."""
    try:
        body = response.json()
    except ValueError:
        body = {}
    wait = retry_after(response.headers)
    if wait is None and response.status_code == 429:
        wait = _until_reset(response.headers)
    return api_error(response.status_code, body, response.headers.get("X-Request-Id"), wait)


def retry_after(headers: Mapping[str, str]) -> Optional[float]:
    """`Retry-After`: seconds, or the time that some proxies write."""
    value = headers.get("Retry-After", "").strip()
    if value.isdecimal():
        return float(value)
    try:
        at = email.utils.parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    if at.tzinfo is None:  # as in the older forms, which are in UTC
        at = at.replace(tzinfo=datetime.timezone.utc)
    return max(0.0, _seconds_until(at))


def _until_reset(headers: Mapping[str, str]) -> Optional[float]:
    """The seconds until the instant in `X-RateLimit-Reset`, or None if it has passed or is none."""
    try:
        at = datetime.datetime.fromisoformat(headers.get("X-RateLimit-Reset", "").replace("Z", "+00:00"))
    except ValueError:
        return None
    wait = 0.0 if at.tzinfo is None else _seconds_until(at)
    return wait if wait > 0 else None


def _seconds_until(at: datetime.datetime) -> float:
    return (at - datetime.datetime.now(datetime.timezone.utc)).total_seconds()
