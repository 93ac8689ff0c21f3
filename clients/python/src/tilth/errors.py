"""What can go wrong, as types."""
from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Type


class TilthError(Exception):
    """The base of all errors of this package."""


class ConnectionFailed(TilthError):
    """The service could not be reached, or did not answer, or something else did, however often it was asked."""


class SignatureError(TilthError):
    """A webhook's body is not what its signature says, or is too old."""


class ApiError(TilthError):
    """The service refused a request."""

    def __init__(self, status: int, body: Mapping[str, Any], request_id: Optional[str] = None,
                 retry_after: Optional[float] = None) -> None:
        self.status = status
        """The HTTP status."""
        self.code: str = _text(body, "code", "error") or str(status)
        """The reason as a constant to compare with, such as `VALIDATION_ERROR`."""
        self.message: str = _text(body, "message", "error") or "The service responded with without a reason."
        """The reason in a sentence, for people."""
        details = body.get("details")
        self.details: Dict[str, Any] = dict(details) if isinstance(details, Mapping) else {}
        """The messages for each member of the request, by its dotted path: `{"name": ["is required"]}`."""
        self.request_id = request_id
        """Names the request in the service's logs."""
        self.retry_after = retry_after
        """The seconds after which the same request makes sense again, if the service said so."""
        faults = "; ".join(f"{path}: {', '.join(map(str, told)) if isinstance(told, list) else told}"
                           for path, told in self.details.items())
        super().__init__(f"{status} {self.code}: {self.message}" + (f" ({faults})" if faults else ""))


class InvalidRequest(ApiError):
    """400, 405, 413, 415: the request itself is not right. `details` says which member and why."""


class AuthenticationError(ApiError):
    """401: the key is missing, malformed, unknown, revoked or expired."""


class PermissionDenied(ApiError):
    """403: the key lacks a scope, its address is not allowed, or the plan allows no more."""


class NotFound(ApiError):
    """404: there is no such record, or it belongs to somebody else."""


class Conflict(ApiError):
    """409: a name or a tag is taken."""


class PreconditionFailed(ApiError):
    """412: the record has changed since its `etag` was read."""


class FailedDependency(ApiError):
    """424, only in a batch: a request that this one depends on failed."""


class RateLimited(ApiError):
    """429: too many requests, for longer than the client waits."""


class ServiceError(ApiError):
    """5xx: the service could not process the request, however often it was asked."""


_KINDS: Dict[int, Type[ApiError]] = {
    400: InvalidRequest, 401: AuthenticationError, 403: PermissionDenied, 404: NotFound, 405: InvalidRequest,
    409: Conflict, 412: PreconditionFailed, 413: InvalidRequest, 415: InvalidRequest, 424: FailedDependency,
    429: RateLimited,
}


def _text(body: Mapping[str, Any], *names: str) -> Optional[str]:
    """The first of these members that is a text: a proxy gives them forms of its own."""
    return next((body[name] for name in names if isinstance(body.get(name), str) and body[name]), None)


def api_error(status: int, body: Any, request_id: Optional[str] = None,
              retry_after: Optional[float] = None) -> ApiError:
    """The error for an answer of the service, or of a proxy in front of it, which answers anything."""
    kind = _KINDS.get(status, ServiceError if status >= 500 else ApiError)
    return kind(status, body if isinstance(body, Mapping) else {}, request_id, retry_after)
