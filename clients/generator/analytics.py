"""Writes the columns of the analytics views: of records by the OpenAPI document, of events by the AsyncAPI document."""
import json
from typing import Any, Dict, List

from .description import Description, Schema, snake
from .python import NOTE

DECIMAL = "DECIMAL(38,8)"
SETTINGS = {"api_key", "webhook"}  # what the service shows of them does not follow from events alone


def column_type(schema: Schema) -> str:
    kinds = [one for one in schema.get("anyOf", [schema]) if one.get("type") != "null"]
    if len(kinds) != 1:
        return "JSON"
    (kind,) = kinds
    formats = {"decimal": DECIMAL, "date-time": "TIMESTAMPTZ", "date": "DATE", "uuid": "UUID"}
    if kind.get("format") in formats:
        return formats[kind["format"]]
    named = kind.get("type")
    named = next((one for one in named if one != "null"), "") if isinstance(named, list) else named
    return {"string": "VARCHAR", "integer": "BIGINT", "number": "DOUBLE", "boolean": "BOOLEAN"}.get(named or "", "JSON")


def plural(kind: str) -> str:
    return kind[:-1] + "ies" if kind.endswith("y") else kind + "s"


def files(description: Description, asyncapi: Dict[str, Any]) -> Dict[str, str]:
    messages = asyncapi["components"]["messages"]
    kinds = sorted({name.split(".")[1] for name in messages})
    records: Dict[str, Dict[str, str]] = {}
    for name in description.schemas:
        has_id = "id" in description.schemas[name].get("properties", {})
        if has_id and snake(name) in {*kinds, "variety"} - SETTINGS:
            records[plural(snake(name))] = {one.name: column_type(one.schema) for one in description.members(name)}
    events = {name: {key: column_type(value) for key, value in message["payload"]["properties"].items()}
              for name, message in sorted(messages.items())}
    lines: List[str] = [NOTE.format("The columns of the views, by the members of records and of events."),
                        "from typing import Dict", ""]
    for name, found in (("RECORDS", records), ("EVENTS", events)):
        lines.append(f"{name}: Dict[str, Dict[str, str]] = {{")
        for key, columns in sorted(found.items()):
            lines.append(f"    {json.dumps(key)}: {{")
            lines += [f"        {json.dumps(column)}: {json.dumps(kind)}," for column, kind in columns.items()]
            lines.append("    },")
        lines += ["}", ""]
    return {"_columns.py": "\n".join(lines)}
