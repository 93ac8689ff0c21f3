"""Writes the clients' references: every operation, and every record."""
import re
from typing import Dict, List

from . import python, typescript
from .description import Description, Operation, Resource, snake

HEAD = """# Reference

Every operation of the {language} client but [events](README.md#events), and every record. Made by
[generate.py](../generate.py) of the API's description. [README.md](README.md) says how to use them.
"""


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|")


def of_python(description: Description) -> str:
    types = python.Types(description)
    lines = [HEAD.format(language="Python"), "## Operations", ""]
    for resource in description.resources:
        lines += section(resource, snake(resource.name), "client.")
        for operation in resource.operations:
            free = [python.identifier(one.name) for one in operation.query if not one.required]
            needed = [python.identifier(one.name) for one in operation.query if one.required]
            for one in description.members(operation.body) if operation.body else ():
                (needed if one.required else free).append(python.identifier(one.name))
            arguments = [snake(one.argument) for one in operation.path_parameters]
            arguments += [f"{one}=" for one in needed] + [f"[{one}=]" for one in free]
            returned, _, _ = python.result(description, python.FLAVOURS[0], operation)
            lines += row(operation, f"{python.identifier(operation.name)}({', '.join(arguments)})",
                         returned.replace("records.", ""))
        lines.append("")
    _, names = python.records(description)
    lines += ["## Records", ""]
    for name in names:
        schema = description.schemas[name]
        lines += [f"### {name}", ""]
        if "oneOf" in schema:
            lines += [f"{code(' | '.join(types.answered(one) for one in schema['oneOf']))}", ""]
            continue
        lines += ["| Member | Type | |", "|---|---|---|"]
        lines += [f"| `{python.identifier(one.name)}` | {code(types.answered(one.schema))} | {cell(one.description)} |"
                  for one in description.members(name)] + [""]
    return "\n".join(lines)


def of_typescript(description: Description) -> str:
    types = typescript.Types(description)
    lines = [HEAD.format(language="TypeScript"), "## Operations", ""]
    for resource in description.resources:
        lines += section(resource, resource.name, "client.")
        for operation in resource.operations:
            arguments = [one.argument for one in operation.path_parameters]
            if operation.query:
                names = ", ".join(one.name if one.required else one.name + "?" for one in operation.query)
                arguments.append(f"{{ {names} }}")
            if operation.body:
                names = ", ".join(one.name if one.required else one.name + "?"
                                  for one in description.members(operation.body))
                arguments.append(f"{{ {names} }}")
            returned, _ = typescript.result(types, typescript.FLAVOURS[0], operation)
            lines += row(operation, f"{operation.name}({', '.join(arguments)})", returned)
        lines.append("")
    lines += ["## Records", ""]
    for name, text in re.findall(r"^export (?:interface|type) (\w+)(.*?)(?=^export|\Z)", typescript.records(description),
                                 flags=re.M | re.S):
        schema = description.schemas[name]
        lines += [f"### {name}", ""]
        if "oneOf" in schema:
            lines += [code(types.of({"oneOf": schema["oneOf"]}, False)), ""]
            continue
        kinds: Dict[str, str] = dict(re.findall(r"^  readonly (\w+\??): (.*);$", text, flags=re.M))
        about = {one.name: one.description for one in description.members(name)}
        lines += ["| Member | Type | |", "|---|---|---|"]
        lines += [f"| `{member}` | {code(kind)} | {cell(about[member.rstrip('?')])} |" for member, kind in kinds.items()]
        lines.append("")
    return "\n".join(lines)


def section(resource: Resource, name: str, prefix: str) -> List[str]:
    return [f"### {prefix}{name}", "", resource.description, "", "| Method | Returns | |", "|---|---|---|"]


def row(operation: Operation, call: str, returned: str) -> List[str]:
    scopes = f" Scope: {', '.join(f'`{one}`' for one in operation.scopes)}." if operation.scopes else ""
    return [f"| {code(call)} | {code(returned)} | {cell(operation.summary)}.{scopes} |"]
