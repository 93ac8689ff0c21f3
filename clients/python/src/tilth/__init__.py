"""The client of Tilth, the farm management service.

    >>> from tilth import Tilth
    >>> client = Tilth("svc_live_…")
    >>> for farm in client.farms.list():
    ...     print(farm.name, farm.total_area)
"""
from . import records, webhooks
from ._batch import AsyncBatch, Batch, Outcome
from ._calls import Retries
from ._client import AsyncTilth, Tilth
from ._pages import Page, Table
from ._planned import Planned
from ._records import UNSET
from ._version import VERSION as __version__
from .errors import (
    ApiError,
    AuthenticationError,
    Conflict,
    ConnectionFailed,
    FailedDependency,
    InvalidRequest,
    NotFound,
    PermissionDenied,
    PreconditionFailed,
    RateLimited,
    ServiceError,
    SignatureError,
    TilthError,
)

__all__ = [
    "UNSET", "ApiError", "AsyncBatch", "AsyncTilth", "AuthenticationError", "Batch", "Conflict", "ConnectionFailed",
    "FailedDependency", "InvalidRequest", "NotFound", "Outcome", "Page", "PermissionDenied", "Planned",
    "PreconditionFailed", "RateLimited", "Retries", "ServiceError", "SignatureError", "Table", "Tilth", "TilthError",
    "__version__", "records", "webhooks",
]
