"""Writes a file of HTTP requests, one for each operation, for the editors and tools that send those."""
import json
import re
from typing import Any, Dict, List

HEAD = """# Every request of the API, for VS Code's REST Client, JetBrains' HTTP Client and the tools that read their files.
# Set the variables, then send what you need. Made by clients/generate.py of the OpenAPI document; do not edit.

@url = http://127.0.0.1:8080
@key = svc_live_
"""


def variable(path: str, name: str) -> str:
    """`farmId` for the `{id}` of `/farms/{id}`."""
    if name != "id":
        return name
    segment = re.search(r"([^/]+)/\{id\}", path).group(1)  # type: ignore[union-attr]
    first, *rest = re.sub("s$", "", re.sub("ies$", "y", segment)).split("-")
    return first + "".join(word.capitalize() for word in rest) + "Id"


def files(document: Dict[str, Any]) -> Dict[str, str]:
    requests: List[str] = []
    variables: Dict[str, None] = {}
    for path, item in document["paths"].items():
        for verb, operation in item.items():
            if "x-alias-of" in operation or not any("apiKey" in way for way in operation.get("security", ())):
                continue
            for name in re.findall(r"\{(\w+)\}", path):
                variables[variable(path, name)] = None
            filled = re.sub(r"\{(\w+)\}", lambda match: "{{" + variable(path, match.group(1)) + "}}", path)
            required = [f"{one['name']}=" for one in operation.get("parameters", ())
                        if one.get("in") == "query" and one.get("required")]
            query = "?" + "&".join(required) if required else ""
            lines = ["", f"### {operation['summary']}", f"# @name {operation['operationId']}",
                     f"{verb.upper()} {{{{url}}}}{filled}{query}", "Authorization: Bearer {{key}}"]
            if verb != "get":
                lines.append("Idempotency-Key: {{$guid}}")
            example = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")
            if example is not None:
                lines += ["Content-Type: application/json", "", json.dumps(example, indent=2, ensure_ascii=False)]
            requests.append("\n".join(lines) + "\n")
    places = "".join(f"@{name} =\n" for name in variables)
    return {"tilth.http": HEAD + places + "".join(requests)}
