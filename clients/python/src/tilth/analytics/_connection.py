"""Opens a history in DuckDB."""
from __future__ import annotations

import builtins
import contextlib
import json
import os
import pathlib
import re
import tempfile
from typing import IO, Any, Dict, Iterable, Iterator, Optional, Tuple, Union

import duckdb

from .._client import Tilth
from .._records import Instant, to_json
from ._columns import EVENTS, RECORDS
from ._fold import Fold

Source = Union[str, "os.PathLike[str]", Tilth]

# What the names of records are, for `names` and `name_of`.
NAMES = {"farms": "name", "fields": "name", "blocks": "name", "plants": "label", "crops": "crop_type", "tasks": "title",
         "task_templates": "name", "admin_crops": "name", "varieties": "variety_name"}


def open(source: Source, *, as_of: Optional[Instant] = None, key: Optional[str] = None) -> duckdb.DuckDBPyConnection:
    """A DuckDB connection in which the history is.

    Views, whose columns have their types (amounts and areas are DECIMAL, times TIMESTAMPTZ):

    - `events`: every event: `id type owner time version actor data`.
    - one for each type of event, such as `task_completed`: `event_id owner time version`, and its members.
    - one for each kind of record, such as `farms`: what it is now, or as of `as_of`, with its `owner`.
    - `farms_as_of(time)` and so on: what it was at that time.
    - `farm_versions` and so on: every version, from `valid_from` until `valid_to`.
    - `names` (`id record name`), and `name_of(id)` for the name of anything, also of what was removed.

    Args:
        source: A file of `tilth events export`, a directory of them, the URL of a running service, or a client of one.
        as_of: The views show what was then.
        key: The API key, for a URL; by default that in the environment variable `TILTH_API_KEY`.
    """
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    until = None if as_of is None else str(to_json(as_of, "as_of"))
    with tempfile.TemporaryDirectory() as folder:
        _load(connection, pathlib.Path(folder), _events(source, key))
    _make_views(connection, until)
    return connection


def _events(source: Source, key: Optional[str]) -> Iterator[Tuple[Dict[str, Any], str]]:
    """Each event, and its line."""
    if isinstance(source, str) and re.match("https?://", source):
        with Tilth(key, source) as client:
            yield from _events(client, None)
    elif isinstance(source, Tilth):
        for told in source.events.list():
            event = told.to_json()
            yield event, json.dumps(event, ensure_ascii=False) + "\n"
    else:
        path = pathlib.Path(source)
        files = sorted(path.glob("*.jsonl"), key=_begins) if path.is_dir() else [path]
        if not files:
            raise FileNotFoundError(f"There is no .jsonl file in {path}.")
        for file in files:
            yield from _exported(file)


def _exported(file: pathlib.Path) -> Iterator[Tuple[Dict[str, Any], str]]:
    """The same of an export. Bytes are read, since one that breaks off can do so within a character."""
    with builtins.open(file, "rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                yield json.loads(line), line.decode().rstrip("\n") + "\n"
            except ValueError as fault:
                if line.endswith(b"\n"):
                    raise ValueError(f"{file}, line {number} is not JSON: {fault}.") from fault
                raise ValueError(f"{file}, line {number} is cut off. Complete the file with tilth events export "
                                 f"--output {file} --resume, or remove that line.") from fault


def _begins(file: pathlib.Path) -> str:
    """When the first event of a file happened. Names do not tell the order: `history-10` is before `history-9`."""
    return next((str(event["time"]) for event, _ in _exported(file)), "")


def _load(connection: duckdb.DuckDBPyConnection, folder: pathlib.Path,
          told: Iterable[Tuple[Dict[str, Any], str]]) -> None:
    """Makes the tables. They come from files of JSON lines, which DuckDB reads fastest."""
    fold = Fold()
    with builtins.open(folder / "events", "w", encoding="utf-8") as events:
        for event, line in told:
            if fold.add(event):
                events.write(line)
    # Every file is there, also of what there is none.
    names = {_singular(record): record for record in RECORDS}
    with contextlib.ExitStack() as closing:
        files: Dict[str, IO[str]] = {
            record: closing.enter_context(builtins.open(folder / record, "w", encoding="utf-8")) for record in RECORDS}
        for kind, version in fold.versions():
            row = {**version.row, "owner": version.owner, "valid_from": version.since, "valid_to": version.until}
            files[names[kind]].write(json.dumps(row, ensure_ascii=False) + "\n")
    _read(connection, "stored_events", folder / "events",
          {"id": "VARCHAR", "type": "VARCHAR", "subject": "VARCHAR", "time": "TIMESTAMPTZ", "streamversion": "BIGINT",
           "actor": "VARCHAR", "correlationid": "VARCHAR", "data": "JSON"})
    for record, columns in RECORDS.items():
        _read(connection, f"{_singular(record)}_versions", folder / record, {
            **columns, "owner": "VARCHAR", "valid_from": "TIMESTAMPTZ", "valid_to": "TIMESTAMPTZ"})


def _read(connection: duckdb.DuckDBPyConnection, table: str, file: pathlib.Path, columns: Dict[str, str]) -> None:
    types = ", ".join(f"{_quoted(name)}: {_text(kind)}" for name, kind in columns.items())
    selected = ", ".join(f"{_quoted(name)} AS {_quoted(_snake(name))}" for name in columns)
    connection.execute(f"CREATE TABLE {table} AS SELECT {selected} FROM read_json({_text(str(file))}, "
                       f"format = 'newline_delimited', maximum_object_size = 33554432, columns = {{{types}}})")


def _make_views(connection: duckdb.DuckDBPyConnection, until: Optional[str]) -> None:
    # A history can be ahead of this machine's clock; its last event has happened all the same.
    now = f"TIMESTAMPTZ {_text(until)}" if until else "greatest(now(), (SELECT max(time) FROM stored_events))"
    connection.execute(f"""
        CREATE VIEW events AS SELECT id, type, subject AS owner, time, streamversion AS version, actor,
                                     correlationid AS request_id, data
        FROM stored_events {f"WHERE time <= {now}" if until else ""}""")
    for event, columns in EVENTS.items():
        members = "".join(f", {_member(name, kind)} AS {_quoted(_column(name))}" for name, kind in columns.items())
        connection.execute(f"CREATE VIEW {event[len('tilth.'):].replace('.', '_')} AS SELECT id AS event_id, owner, time, "
                           f"version{members} FROM events WHERE type = {_text(event)}")
    for record, columns in RECORDS.items():
        shown = [_quoted(_snake(name)) for name in columns]
        if record == "tasks":
            overdue = "CASE WHEN status IN ('pending', 'in_progress') AND due_date <= instant THEN 'overdue' ELSE status END"
            shown[list(columns).index("status")] = f"{overdue} AS status"
        connection.execute(f"""
            CREATE MACRO {record}_as_of(instant) AS TABLE SELECT {", ".join(shown)}, owner
            FROM {_singular(record)}_versions WHERE valid_from <= instant AND (valid_to IS NULL OR valid_to > instant)""")
        connection.execute(f"CREATE VIEW {record} AS FROM {record}_as_of({now})")
    named = " UNION ALL ".join(
        f"SELECT id, {_text(_singular(record))} AS record, arg_max({column}, valid_from) AS name "
        f"FROM {_singular(record)}_versions WHERE valid_from <= {now} GROUP BY id" for record, column in NAMES.items())
    connection.execute(f"CREATE VIEW names AS {named}")
    connection.execute("CREATE MACRO name_of(identifier) AS "
                       "(SELECT any_value(name) FROM names WHERE names.id = TRY_CAST(identifier AS UUID))")


def _member(name: str, kind: str) -> str:
    path = _text(f"$.{json.dumps(name)}")
    return f"data->{path}" if kind == "JSON" else f"(data->>{path})::{kind}"


def _column(member: str) -> str:
    """The members of events besides the columns that every event has."""
    name = _snake(member)
    return name + "_" if name in ("event_id", "owner", "time", "version") else name


def _singular(record: str) -> str:
    return re.sub("s$", "", re.sub("ies$", "y", record))


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: Any) -> str:
    return "'" + str(value).replace("'", "''") + "'"
