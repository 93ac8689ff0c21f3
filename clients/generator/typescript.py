"""Writes the TypeScript client's records and resources."""
import re
import textwrap
from typing import Dict, List, Tuple

from .description import Description, Operation, PathParameter, Resource, Schema, pascal, snake

NOTE = "// {}\n// Made by clients/generate.py of the OpenAPI document; do not edit.\n"


def comment(text: str, indent: int) -> List[str]:
    if not text:
        return []
    pad = " " * indent
    lines = textwrap.wrap(text.replace("*/", "*\\/"), 110 - indent)
    return [f"{pad}/** {lines[0]} */"] if len(lines) == 1 else [
        f"{pad}/**", *(f"{pad} * {line}" for line in lines), f"{pad} */"]


class Types:
    """The TypeScript type of a schema, in what the service answers or in what it is asked."""

    def __init__(self, description: Description) -> None:
        self.description = description

    def of(self, schema: Schema, asked: bool) -> str:
        if "$ref" in schema:
            return str(schema["$ref"].split("/")[-1])
        if "anyOf" in schema or "oneOf" in schema:
            kinds = [self.of(one, asked) for one in schema.get("anyOf", schema.get("oneOf", []))]
            return " | ".join(dict.fromkeys(kinds))
        if "const" in schema:
            return repr(schema["const"]).lower() if isinstance(schema["const"], bool) else f'"{schema["const"]}"'
        if "enum" in schema:
            return " | ".join(f'"{value}"' for value in schema["enum"])
        kinds = schema.get("type")
        if isinstance(kinds, list):
            return " | ".join(dict.fromkeys(self.of({**schema, "type": kind}, asked) for kind in kinds))
        if asked and schema.get("format") in ("date-time", "date"):
            return "Instant" if schema["format"] == "date-time" else "CalendarDate"
        if asked and schema.get("format") == "uuid":
            return "Id"  # in a body its name ends in `Id`: see values.ts
        if schema.get("format") == "decimal" and kinds == "string" and not asked:
            return "Decimal"
        if kinds == "array":
            inner = self.of(schema["items"], asked)
            return f"readonly ({inner})[]" if " " in inner else f"readonly {inner}[]"
        if kinds == "object":
            inner = schema.get("additionalProperties")
            return f"Readonly<Record<string, {self.of(inner, asked) if isinstance(inner, dict) else 'unknown'}>>"
        return {"string": "string", "integer": "number", "number": "number", "boolean": "boolean",
                "null": "null"}.get(kinds or "", "unknown")


def interface(description: Description, name: str, asked: bool) -> List[str]:
    schema, types = description.schemas[name], Types(description)
    about = schema.get("description") or (
        pascal(name) and f"{'An' if name[0] in 'AEIO' else 'A'} {snake(name).replace('_', ' ')}.")
    if "oneOf" in schema:
        return [*comment(about, 0), f"export type {name} = {types.of({'oneOf': schema['oneOf']}, asked)};", ""]
    lines = [*comment(about, 0), f"export interface {name} {{"]
    for member in description.members(name):
        kind = types.of(member.schema, asked)
        assert member.name.endswith("Id") or not re.search(r"\bId\b", kind), f"{name}.{member.name} takes no record"
        lines += comment(member.description, 2)
        lines.append(f"  readonly {member.name}{'' if member.required else '?'}: {kind};")
    return [*lines, "}", ""]


def records(description: Description) -> str:
    answered: List[str] = ["Event", "Pagination"]
    asked: List[str] = []
    for resource in description.resources:
        for operation in resource.operations:
            for schema in (operation.result.schema, operation.result.meta):
                if schema and "$ref" in schema:
                    answered.append(schema["$ref"].split("/")[-1])
            if operation.body:
                asked.append(operation.body)
    shown = description.reachable(answered)
    written = [name for name in description.reachable(asked) if name not in shown]
    lines = [NOTE.format("The records that the service keeps or computes, and the bodies that make and change them."),
             'import type { CalendarDate, Decimal, Id, Instant } from "./values.js";', ""]
    for name in shown:
        lines += interface(description, name, False)
    for name in written:
        lines += interface(description, name, True)
    return "\n".join(lines)


class Flavour:
    def __init__(self, module: str, about: str, prefix: str, planned: bool) -> None:
        self.module, self.about, self.prefix, self.planned = module, about, prefix, planned


FLAVOURS = [
    Flavour("resources", "The resources: what can be asked of the service.", "", False),
    Flavour("batch-resources", "The resources within a batch: their methods add requests to it.", "Batch", True),
]


def class_name(flavour: Flavour, resource: Resource) -> str:
    return f"{flavour.prefix}{pascal(resource.name)}Resource"


def listed(operation: Operation, flavour: Flavour) -> bool:
    return not (flavour.planned and operation.result.form == "bare")


def resources(description: Description, flavour: Flavour) -> str:
    body: List[str] = []
    known = []
    for resource in description.resources:
        operations = [one for one in resource.operations if listed(one, flavour)]
        if not operations:
            continue
        known.append(resource)
        if not flavour.planned:
            for operation in operations:
                if operation.query:
                    body += query_type(description, resource, operation)
        base = "BatchResource" if flavour.planned else "Resource"
        body += [*comment(resource.description, 0), f"export class {class_name(flavour, resource)} extends {base} {{"]
        for operation in operations:
            body += method(description, flavour, resource, operation) + [""]
        body[-1:] = ["}", ""]
    owner = "Planner" if flavour.planned else "Transport"
    body += [*comment("Every resource, as a property of a client.", 0), f"export class {flavour.prefix}Resources {{"]
    body += [f"  readonly {one.name}: {class_name(flavour, one)};" for one in known]
    body += ["", f"  constructor(owner: {owner}) {{"]
    body += [f"    this.{one.name} = new {class_name(flavour, one)}(owner);" for one in known] + ["  }", "}", ""]
    text = "\n".join(body)
    bare = re.sub(r"\"[^\"]*\"|/\*\*.*?\*/", "", text, flags=re.S)
    words = set(re.findall(r"\b[A-Z]\w+\b", bare))
    record_names = sorted(name for name in description.schemas if name in words)
    queries = sorted({f"{class_name(FLAVOURS[0], resource)[:-8]}{pascal(operation.name)}Query"
                      for resource in known for operation in resource.operations if operation.query} & words)
    values = [name for name in ("CalendarDate", "Id", "Instant") if name in words]
    head = [NOTE.format(flavour.about)]
    if flavour.planned:
        head += ['import { BatchResource, type Planned, type Planner } from "./planned.js";',
                 'import type { Changing, ChangingExisting } from "./planned.js";']
        head += ["import type {", *(f"  {name}," for name in queries), '} from "./resources.js";'] if queries else []
    else:
        head += ['import { type Listing, Resource, type Table, type Transport } from "./transport.js";',
                 'import type { Changing, ChangingExisting } from "./transport.js";']
    head += [f'import type {{ {", ".join(values)} }} from "./values.js";', "import type {",
             *(f"  {name}," for name in record_names), '} from "./records.js";', ""]
    return "\n".join(head) + "\n" + text


def query_type(description: Description, resource: Resource, operation: Operation) -> List[str]:
    name = f"{pascal(resource.name)}{pascal(operation.name)}Query"
    lines = [*comment(f"What {resource.name}.{operation.name} selects by.", 0), f"export interface {name} {{"]
    for member in operation.query:
        lines += comment(member.description, 2)
        lines.append(f"  readonly {member.name}{'' if member.required else '?'}: "
                     f"{Types(description).of(member.schema, True)};")
    return [*lines, "}", ""]


def method(description: Description, flavour: Flavour, resource: Resource, operation: Operation) -> List[str]:
    types = Types(description)
    arguments = [f"{one.argument}: Id" for one in operation.path_parameters]
    call: List[str] = [f'"{operation.http_method}"', path_of(operation.path, operation.path_parameters)]
    options: List[str] = []
    if operation.query:
        needed = any(one.required for one in operation.query)
        name = f"{pascal(resource.name)}{pascal(operation.name)}Query"
        arguments.append(f"query: {name}" + ("" if needed else " = {}"))
        options.append("query")
    if operation.body:
        needed = any(one.required for one in description.members(operation.body))
        optional_body = not needed and not operation.name == "update"
        arguments.append(f"body: {operation.body}" + (" = {}" if optional_body else ""))
        options.append("body")
    if not operation.reads:
        kind = "Changing" if operation.http_method == "POST" else "ChangingExisting"
        arguments.append(f"options: {kind} = {{}}")
        options.append("...options")
    if options:
        call.append("{ " + ", ".join(options) + " }")
    returned, made = result(types, flavour, operation)
    lines = comment(f"{operation.summary}. {operation.description}", 2)
    one_line = f"  {operation.name}({', '.join(arguments)}): {returned} {{"
    if len(one_line) > 116:
        lines += [f"  {operation.name}(", *(f"    {one}," for one in arguments), f"  ): {returned} {{"]
    else:
        lines.append(one_line)
    return lines + [f"    return this.{made}({', '.join(call)});", "  }"]


def path_of(path: str, parameters: List[PathParameter]) -> str:
    if not parameters:
        return f'"{path}"'
    for one in parameters:
        path = path.replace("{" + one.name + "}", "${" + one.argument + "}", 1)
    return "this.path`" + path + "`"


def result(types: Types, flavour: Flavour, operation: Operation) -> Tuple[str, str]:
    form = operation.result.form
    kind = types.of(operation.result.schema, False) if operation.result.schema else "void"
    if flavour.planned:
        whole = kind if form in ("record", "none") else f"readonly {kind}[]"
        return f"Planned<{whole}>", "plan"
    if form == "page":
        return f"Listing<{kind}>", "listAtOnce" if operation.at_once else "list_"
    if form == "table":
        return f"Promise<Table<{kind}, {types.of(operation.result.meta or {}, False)}>>", "table"
    if form == "list":
        return f"Promise<readonly {kind}[]>", "one"
    if form == "none":
        return "Promise<void>", "deed"
    return f"Promise<{kind}>", "one" if form == "record" else "bare"


def files(description: Description) -> Dict[str, str]:
    made = {"records.ts": records(description)}
    for flavour in FLAVOURS:
        made[f"{flavour.module}.ts"] = resources(description, flavour)
    return made
