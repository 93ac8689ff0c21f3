"""Verifies webhooks, which are signed as Standard Webhooks 1.0 says."""
from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import Mapping, Union

from ._records import record
from .errors import SignatureError
from .records import Event

TOLERANCE = 300
"""The seconds that a webhook's timestamp may be off, so that an old one cannot be sent again."""


def verify(body: Union[bytes, str], headers: Mapping[str, str], secret: str, *, tolerance: float = TOLERANCE) -> Event:
    """The event that a webhook tells of, if Tilth sent it.

    Args:
        body: The request's body, exactly as it came.
        headers: The request's headers, in any case.
        secret: The webhook's `whsec_…`.
        tolerance: The seconds that its timestamp may be off.

    Raises:
        SignatureError: It is not from Tilth, was changed, or is too old. Answer 400 and do nothing.
    """
    found = {name.lower(): value for name, value in headers.items()}
    try:
        identifier, timestamp, signatures = (found[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        at = int(timestamp)
    except KeyError as missing:
        raise SignatureError(f"The header {missing} is missing.") from None
    except ValueError:
        raise SignatureError("webhook-timestamp is no number of seconds.") from None
    if abs(int(time.time()) - at) > tolerance:  # a float could not hold every number
        raise SignatureError("The webhook is too old, or a clock is wrong.")
    content = _bytes(body) if isinstance(body, str) else body
    expected = sign(content, identifier, at, secret)
    offered = (one for one in signatures.split(" ") if one.startswith("v1,"))
    # All are compared, in constant time each: a secret that was rotated still signs, next to the new one.
    if not any([hmac.compare_digest(_bytes(one), expected.encode()) for one in offered]):
        raise SignatureError("No signature is that of this secret.")
    return record(Event, json.loads(content))


def sign(body: bytes, identifier: str, timestamp: int, secret: str) -> str:
    """The signature of a webhook, for tests of a receiver."""
    try:
        key = base64.b64decode(secret[len("whsec_"):] if secret.startswith("whsec_") else secret, validate=True)
    except ValueError:
        raise SignatureError("The secret is not `whsec_` and base64.") from None
    signed = _bytes(f"{identifier}.{timestamp}.") + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def _bytes(text: str) -> bytes:
    """Of any text: servers make surrogates of bytes that are no UTF-8, and only a wrong signature follows from those."""
    return text.encode("utf-8", "surrogatepass")
