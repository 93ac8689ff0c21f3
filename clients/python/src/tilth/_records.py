"""Records as frozen dataclasses: from the API's JSON and back."""
from __future__ import annotations

import dataclasses
import datetime
import functools
import math
import re
import typing
from decimal import Decimal
from typing import Any, Dict, Mapping, Optional, Protocol, Type, TypeVar, Union

T = TypeVar("T")


class HasId(Protocol):
    """A record, or a request of a batch that will make one."""

    @property
    def id(self) -> str: ...


Id = Union[str, HasId]
"""A record or its id."""

Number = Union[int, float, str, Decimal]
Instant = Union[str, datetime.datetime, datetime.date]
Date = Union[str, datetime.date]


class Unset:
    """The type of `UNSET`."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "UNSET"


UNSET = Unset()
"""Stands for an argument that is not given. `None` is a value: it clears a member."""


class Record:
    """Something that the service keeps or computes. Decimals are `Decimal`, instants aware `datetime`s."""

    etag: Optional[str] = None
    """The record's entity tag, for `if_match`, where a single record was answered."""

    def to_json(self) -> Dict[str, Any]:
        """The record as the API writes it."""
        return given(self._members())

    def _members(self) -> Dict[str, Any]:
        return {_wire_name(field.name): getattr(self, field.name) for field in dataclasses.fields(typing.cast(Any, self))}


def _wire_name(name: str) -> str:
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(word.capitalize() for word in rest)


@functools.lru_cache(maxsize=None)
def _shape(kind: Any) -> Dict[str, Any]:
    hints = typing.get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def from_json(kind: Any, value: Any) -> Any:
    """What the service sent, as a value of a type."""
    if value is None or kind is Any:
        return value
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is Union:
        kinds = [one for one in arguments if one is not type(None)]
        return from_json(kinds[0], value) if len(kinds) == 1 else value
    if origin is list:
        return [from_json(arguments[0], item) for item in value]
    if origin is dict:
        return {key: from_json(arguments[1], item) for key, item in value.items()}
    if kind is Decimal:
        return Decimal(value)
    if kind is datetime.datetime:
        return datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
    if kind is datetime.date:
        return datetime.date.fromisoformat(value)
    if kind is float:
        return float(value)
    if dataclasses.is_dataclass(kind):
        return record(typing.cast(type, kind), value)
    return value


def record(kind: Type[T], value: Mapping[str, Any], etag: Optional[str] = None) -> T:
    """A record. Members that this version of the client does not know are left out, missing ones are None."""
    shape: Dict[str, Any] = _shape(typing.cast(Any, kind))
    made = kind(**{name: from_json(member, value.get(_wire_name(name))) for name, member in shape.items()})
    if etag is not None:
        object.__setattr__(made, "etag", etag)
    return made


def to_json(value: Any, path: str = "") -> Any:
    """A value as the service reads it.

    Raises ValueError, which names the member by its dotted path, for a datetime without a time zone and for a number
    that is not finite.
    """
    if isinstance(value, datetime.datetime):
        return _instant(value, path)
    finite = value.is_finite() if isinstance(value, Decimal) else not isinstance(value, float) or math.isfinite(value)
    if not finite:
        raise ValueError(f"{path or 'The value'} is {value}; use a finite number")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return format(value, "f")
    if hasattr(value, "id"):
        return value.id
    if isinstance(value, Record):
        return to_json(value._members(), path)
    if isinstance(value, Mapping):
        return {key: to_json(item, _inner(path, key)) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item, _inner(path, at)) for at, item in enumerate(value)]
    return value


def _inner(path: str, name: Any) -> str:
    return f"{path}.{name}" if path else str(name)


def _instant(value: datetime.datetime, path: str) -> str:
    offset = value.utcoffset()
    if offset is None:
        raise ValueError(f"{path or 'The value'} is {value!r}, which has no time zone; use an aware datetime")
    # In UTC it would be another day where the service keeps only the date. RFC 3339 has no offsets with seconds.
    if offset % datetime.timedelta(minutes=1):
        value = value.astimezone(datetime.timezone.utc)
    return re.sub(r"\+00:00$", "Z", value.isoformat(timespec="milliseconds"))


def date_of(value: Any) -> Any:
    """A datetime's date as it is written, where the service keeps only that; anything else as it is."""
    return value.date() if isinstance(value, datetime.datetime) else value


def id_of(value: Any) -> Any:
    """The id of a record, or the id itself."""
    return value.id if hasattr(value, "id") else value


def given(members: Mapping[str, Any]) -> Dict[str, Any]:
    """The members that are set, as the service reads them."""
    return {name: to_json(value, name) for name, value in members.items() if value is not UNSET}
