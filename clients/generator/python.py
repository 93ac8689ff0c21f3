"""Writes the Python client's records and resources."""
import keyword
import re
import textwrap
from typing import Dict, List, Tuple

from .description import Description, Member, Operation, PathParameter, Resource, Schema, pascal, snake

NOTE = '"""{}\n\nMade by clients/generate.py of the OpenAPI document; do not edit."""\n'
LITERAL = "Literal[{}]"


def identifier(name: str) -> str:
    made = snake(name)
    return made + "_" if keyword.iskeyword(made) else made


def is_geojson(schema: Schema) -> bool:
    return "coordinates" in schema.get("properties", {})


def optional(kind: str) -> str:
    return kind if kind in ("Any", "None") or kind.startswith("Optional[") else f"Optional[{kind}]"


class Types:
    """The Python type of a schema, in what the service answers or in what it is asked."""

    def __init__(self, description: Description) -> None:
        self.description = description

    def answered(self, schema: Schema) -> str:
        return self._of(schema, False)

    def asked(self, schema: Schema) -> str:
        return self._of(schema, True)

    def _of(self, schema: Schema, asked: bool) -> str:
        if "$ref" in schema:
            return self._named(schema["$ref"].split("/")[-1], asked)
        if "anyOf" in schema:
            kinds = [self._of(one, asked) for one in schema["anyOf"] if one.get("type") != "null"]
            kind = kinds[0] if len(kinds) == 1 else f"Union[{', '.join(kinds)}]"
            return optional(kind) if len(kinds) < len(schema["anyOf"]) else kind
        if "const" in schema:
            return LITERAL.format(repr(schema["const"]))
        kinds = schema.get("type")
        if isinstance(kinds, list):
            kept = [kind for kind in kinds if kind != "null"]
            kind = self._of({**schema, "type": "number" if "number" in kept else kept[0]}, asked)
            return optional(kind) if "null" in kinds else kind
        if "enum" in schema:
            return LITERAL.format(", ".join(repr(value).replace("'", '"') for value in schema["enum"]))
        formatted: Dict[str, Tuple[str, str]] = {
            "decimal": ("Decimal", "Number"), "date-time": ("datetime", "Instant"), "date": ("date", "Date"),
            "uuid": ("str", "Id")}
        if schema.get("format") in formatted:
            return formatted[schema["format"]][asked]
        if kinds == "array":
            return f"{'Sequence' if asked else 'List'}[{self._of(schema['items'], asked)}]"
        if kinds == "object":
            inner = schema.get("additionalProperties")
            value = self._of(inner, asked) if isinstance(inner, dict) else "Any"
            return f"{'Mapping' if asked else 'Dict'}[str, {value}]"
        return {"string": "str", "integer": "int", "number": "Number" if asked else "float",
                "boolean": "bool"}.get(kinds or "", "Any")

    def _named(self, name: str, asked: bool) -> str:
        schema = self.description.schemas[name]
        if is_geojson(schema) or "oneOf" in schema:
            return "Mapping[str, Any]" if asked else name
        if not asked:
            return name
        read = name[:-len("Input")] if name.endswith("Input") else name
        return f"Union[{read}, Mapping[str, Any]]" if read in self.description.schemas else "Mapping[str, Any]"


def quoted(text: str, indent: int) -> str:
    return textwrap.fill(text, 110, initial_indent=" " * indent, subsequent_indent=" " * indent)


def records(description: Description) -> Tuple[str, List[str]]:
    """The module of records, and the names in it."""
    types = Types(description)
    wanted: List[str] = ["Event", "Pagination"]
    for resource in description.resources:
        for operation in resource.operations:
            for schema in (operation.result.schema, operation.result.meta):
                if schema and "$ref" in schema:
                    wanted.append(schema["$ref"].split("/")[-1])
            for member in description.members(operation.body) if operation.body else ():
                # Objects within a body: `GridMetadataInput` is written as a GridMetadata.
                wanted += [name for name in (one.replace("Input", "") for one in references(member.schema))
                           if name in description.schemas]
    names = [name for name in description.reachable(wanted)]
    lines = [NOTE.format("The records that the service keeps or computes."),
             "from __future__ import annotations", "", "from dataclasses import dataclass",
             "from datetime import date, datetime", "from decimal import Decimal",
             "from typing import Any, Dict, List, Literal, Optional, TypedDict, Union", "",
             "from ._records import Record", ""]
    later: List[str] = []
    for name in names:
        schema = description.schemas[name]
        if "oneOf" in schema:
            later.append(f"\n{name} = Union[{', '.join(types.answered(one) for one in schema['oneOf'])}]")
            continue
        about = schema.get("description") or f"{article(name)} {snake(name).replace('_', ' ')}.".capitalize()
        if is_geojson(schema):
            lines += ["", f"class {name}(TypedDict):", quoted(f'"""{about}"""', 4)]
            lines += [f"    {member.name}: {types.answered(member.schema)}" for member in description.members(name)]
            lines += [""]
            continue
        lines += ["", "@dataclass(frozen=True)", f"class {name}(Record):", quoted(f'"""{about}"""', 4)]
        for member in description.members(name):
            kind = types.answered(member.schema)
            kind = kind if member.required else optional(kind)
            lines.append(f"    {identifier(member.name)}: {kind}")
            if member.description:
                lines.append(quoted(f'"""{member.description}"""', 4))
        lines.append("")
    return "\n".join(lines + later) + "\n", names


def article(name: str) -> str:
    return "An" if name[0] in "AEIO" else "A"


def references(schema: Schema) -> List[str]:
    if "$ref" in schema:
        return [schema["$ref"].split("/")[-1]]
    return [name for one in schema.get("anyOf", [schema.get("items", {})]) if one for name in references(one)]


class Flavour:
    """How a resource's methods look: they return at once, are awaited, or add a request to a batch."""

    def __init__(self, module: str, about: str, prefix: str, base: str, listing: str, awaited: bool) -> None:
        self.module, self.about, self.prefix, self.base = module, about, prefix, base
        self.listing, self.awaited = listing, awaited
        self.planned = listing == "Planned"


FLAVOURS = [
    Flavour("_resources", "The resources, as a program sees them that waits for each answer.", "", "Resource",
            "Listing", False),
    Flavour("_async_resources", "The resources, as a program sees them that awaits answers.", "Async", "AsyncResource",
            "AsyncListing", True),
    Flavour("_batch_resources", "The resources within a batch: their methods add requests to it.", "Batch",
            "BatchResource", "Planned", False),
]


def class_name(resource: Resource) -> str:
    return pascal(resource.name) + "Resource"


def resources(description: Description, flavour: Flavour, names: List[str]) -> str:
    body: List[str] = []
    for resource in description.resources:
        operations = [one for one in resource.operations if not (flavour.planned and one.result.form == "bare")]
        if not operations:
            continue
        body += ["", "", f"class {flavour.prefix}{class_name(resource)}({flavour.base}):",
                 quoted(f'"""{resource.description}"""', 4)]
        for operation in operations:
            body += ["", *method(description, flavour, operation)]
    body += ["", "", f"class {flavour.prefix}Resources:", '    """Every resource, as an attribute of a client."""', ""]
    known = [one for one in description.resources if not flavour.planned or
             any(operation.result.form != "bare" for operation in one.operations)]
    body += [f"    {snake(one.name)}: {flavour.prefix}{class_name(one)}" for one in known]
    owner = "Planner" if flavour.planned else flavour.prefix + "Transport"
    body += ["", f"    def _add_resources(self, owner: {owner}) -> None:"]
    body += [f"        self.{snake(one.name)} = {flavour.prefix}{class_name(one)}(owner)" for one in known]
    text = "\n".join(body)
    used = [name for name in names if f"records.{name}" in text]
    text = text.replace("records.", "")
    head = [NOTE.format(flavour.about), "from __future__ import annotations", "",
            "from typing import Any, List, Literal, Mapping, Optional, Sequence, Union", "",
            "from ._calls import Maybe, call",
            f"from .{'_planned' if flavour.planned else '_async' if flavour.awaited else '_sync'} import "
            + ", ".join([flavour.base, flavour.listing, owner]),
            *([] if flavour.planned else ["from ._pages import Table"]),
            "from ._records import UNSET, Date, Id, Instant, Number, date_of",
            "from .records import ("]
    head += [f"    {name}," for name in used] + [")"]
    return "\n".join(head) + text + "\n"


def with_module(description: Description, kind: str) -> str:
    """The type with `records.` before each record's name, so that imports can be found."""
    return re.sub(r'("[^"]*")|\b([A-Z]\w+)\b',
                  lambda match: match.group(1) or
                  (f"records.{match.group(2)}" if match.group(2) in description.schemas else match.group(2)), kind)


def method(description: Description, flavour: Flavour, operation: Operation) -> List[str]:
    types = Types(description)
    asked = lambda schema: with_module(description, types.asked(schema))  # noqa: E731
    required, free, documented = [], [], []
    members = description.members(operation.body) if operation.body else []
    query = [one for one in operation.query]
    for member in [*members, *query]:
        name, kind = identifier(member.name), asked(member.schema)
        if member.required:
            required.append(f"{name}: {kind}")
        else:
            free.append(f"{name}: Maybe[{kind}] = UNSET")
        if member.description:
            documented.append((name, member.description))
    options = []
    if not operation.reads:
        if operation.http_method != "POST":
            options.append("if_match")
            free.append("if_match: Optional[str] = None")
            documented.append(("if_match", "The `etag` that the record must still have."))
        if not flavour.planned:
            options.append("idempotency_key")
            free.append("idempotency_key: Optional[str] = None")
            documented.append(("idempotency_key", "A UUID that names the change; by default a new one."))
    path_arguments = [f"{snake(one.argument)}: Id" for one in operation.path_parameters]
    keywords = required + free
    signature = ["self", *path_arguments, *(["*"] if keywords else []), *keywords]
    returned, made, form = result(description, flavour, operation)
    starts = "async def" if flavour.awaited and form not in ("page",) else "def"
    one_line = f"    {starts} {identifier(operation.name)}({', '.join(signature)}) -> {returned}:"
    lines = [one_line] if len(one_line) <= 116 else [
        f"    {starts} {identifier(operation.name)}(", *(f"        {part}," for part in signature),
        f"    ) -> {returned}:"]
    lines.append(quoted('"""' + operation.summary + ".", 8))
    lines += ["", quoted(operation.description, 8)]
    if documented:
        lines += ["", "        Args:"]
        lines += [textwrap.fill(f"{name}: {about}", 110, initial_indent=" " * 12, subsequent_indent=" " * 16)
                  for name, about in documented]
    lines.append('        """')
    arguments = [f'"{operation.http_method}"', path_of(operation.path, operation.path_parameters)]
    for kind, found in (("query", query), ("body", members)):
        if found:
            arguments.append(f"{kind}={{" + ", ".join(f'"{one.name}": {passed(types, one)}' for one in found) + "}")
    arguments += [f"{name}={name}" for name in options]
    awaits = "await " if starts == "async def" else ""
    lines.append(f"        return {awaits}{made.format(call='call(' + ', '.join(arguments) + ')')}")
    return wrapped(lines)


def passed(types: Types, member: Member) -> str:
    """An argument as it goes into the call."""
    name = identifier(member.name)
    return f"date_of({name})" if types.asked(member.schema) in ("Date", "Optional[Date]") else name


def wrapped(lines: List[str]) -> List[str]:
    """Breaks the last line, the call, where it is long."""
    last = lines[-1]
    if len(last) <= 116:
        return lines
    head, _, tail = last.partition("call(")
    inner, closing = tail[:tail.rindex("}") + 1] if "}" in tail else tail, ""
    parts = split_arguments(tail)
    closing = parts.pop()
    made = [head + "call("]
    for part in parts:
        made += textwrap.wrap(part + ",", 116, initial_indent=" " * 12, subsequent_indent=" " * 16,
                              break_long_words=False, break_on_hyphens=False)
    return lines[:-1] + made + ["        )" + closing]


def split_arguments(text: str) -> List[str]:
    """The arguments of a call, then what follows it."""
    depth, start, parts = 0, 0, []
    for at, letter in enumerate(text):
        if letter in "({[":
            depth += 1
        elif letter in ")}]":
            if depth == 0:
                return [*parts, text[start:at].strip(), text[at + 1:]]
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    raise AssertionError(text)


def path_of(path: str, parameters: List[PathParameter]) -> str:
    arguments = "".join(f", {snake(one.argument)}" for one in parameters)
    for one in parameters:
        path = path.replace("{" + one.name + "}", "{}", 1)
    return f'("{path}"{arguments})' if parameters else f'"{path}"'


def result(description: Description, flavour: Flavour, operation: Operation) -> Tuple[str, str, str]:
    """The type of a method, how it is made, and its form."""
    types = Types(description)
    kind = with_module(description, types.answered(operation.result.schema)) if operation.result.schema else "None"
    form = operation.result.form
    if flavour.planned:
        if form == "none":
            return "Planned[None]", "self._plan({call}, None)", form
        whole = kind if form == "record" else f"List[{kind}]"
        runtime = kind if form == "record" else whole
        return f"Planned[{whole}]", "self._plan({call}, " + runtime + ")", form
    if form == "page":
        at_once = ", at_once=True" if operation.at_once else ""
        return f"{flavour.listing}[{kind}]", f"self._list({{call}}, {kind}{at_once})", form
    if form == "table":
        meta = with_module(description, types.answered(operation.result.meta or {}))
        return f"Table[{kind}, {meta}]", f"self._table({{call}}, {kind}, {meta})", form
    if form == "list":
        return f"List[{kind}]", f"self._all({{call}}, {kind})", form
    if form == "none":
        return "None", "self._deed({call})", form
    return kind, f"self._{'one' if form == 'record' else 'bare'}({{call}}, {kind})", form


def files(description: Description) -> Dict[str, str]:
    module, names = records(description)
    made = {"records.py": module}
    for flavour in FLAVOURS:
        made[f"{flavour.module}.py"] = resources(description, flavour, names)
    return made
