"""What the clients need to know of the OpenAPI document: resources, their operations, and the shapes of records."""
import re
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

Schema = Dict[str, Any]

# The hand-written surface of the clients has these: streams of events, and the batch builder.
BY_HAND = {"listEvents", "carryOutBatch"}


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.replace("-", "_")).lower()


def camel(name: str) -> str:
    first, *rest = snake(name).split("_")
    return first + "".join(word.capitalize() for word in rest)


def pascal(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[-_]", name))


def singular(noun: str) -> str:
    return re.sub(r"s$", "", re.sub(r"ies$", "y", noun))


@dataclass(frozen=True)
class Member:
    """A property of an object, a parameter of a query."""
    name: str
    schema: Schema
    required: bool
    description: str


@dataclass(frozen=True)
class PathParameter:
    name: str      # as the document has it: `id`
    argument: str  # what it identifies: `farm`


@dataclass(frozen=True)
class Result:
    """How an answer is made up: `none`, `record` (in `data`), `bare` (the body itself), `list` (in `data`), `page` or
    `table` (a list with `meta`)."""
    form: str
    schema: Optional[Schema] = None
    meta: Optional[Schema] = None


@dataclass(frozen=True)
class Operation:
    id: str
    name: str  # of the method: `list`, `complete`
    http_method: str
    path: str  # from `/v1` on
    summary: str
    description: str
    scopes: List[str]
    path_parameters: List[PathParameter]
    query: List[Member]
    body: Optional[str]  # the name of its schema
    result: Result
    body_example: Any = None
    at_once: bool = False  # a list that has no pages unless asked for them

    @property
    def reads(self) -> bool:
        return self.http_method == "GET"


@dataclass
class Resource:
    name: str  # `taskTemplates`
    description: str
    operations: List[Operation] = field(default_factory=list)


class Description:
    """The document, with a name for each shape that the clients have a type for."""

    def __init__(self, document: Dict[str, Any]) -> None:
        self.document = document
        self.version: str = document["info"]["version"]
        self.schemas: Dict[str, Schema] = dict(document["components"]["schemas"])
        for name in list(self.schemas):
            self._name_inner_objects(name, self.schemas[name])
        self.resources = self._resources()

    def resolved(self, schema: Schema) -> Schema:
        if "$ref" in schema:
            kind, name = schema["$ref"].split("/")[-2:]
            return self.schemas[name] if kind == "schemas" else self.document["components"][kind][name]
        return schema

    def members(self, name: str) -> List[Member]:
        schema = self.schemas[name]
        required = set(schema.get("required", ()))
        return [Member(key, value, key in required, value.get("description", ""))
                for key, value in schema["properties"].items()]

    def reachable(self, names: List[str]) -> List[str]:
        """These schemas and those that they need, in alphabetical order."""
        found: Dict[str, None] = {}

        def visit(node: Any) -> None:
            if isinstance(node, dict):
                if isinstance(node.get("$ref"), str):
                    add(node["$ref"].split("/")[-1])
                for key, child in node.items():
                    if key not in ("example", "examples", "default"):
                        visit(child)
            elif isinstance(node, list):
                for child in node:
                    visit(child)

        def add(name: str) -> None:
            if name not in found:
                found[name] = None
                visit(self.schemas[name])

        for name in names:
            add(name)
        return sorted(found)

    def _name_inner_objects(self, name: str, schema: Schema) -> None:
        """Gives objects within objects a schema of their own, so that each can become a type."""
        for key, value in list(schema.get("properties", {}).items()):
            for inner in [value, *value.get("anyOf", ())]:
                for place in ("items", "additionalProperties"):
                    if isinstance(inner.get(place), dict):
                        inner[place] = self._named(name + pascal(key), inner[place])
            schema["properties"][key] = self._named(name + pascal(key), value)

    def _named(self, name: str, schema: Schema) -> Schema:
        if schema.get("type") != "object" or not schema.get("properties"):
            return schema
        self.schemas[name] = schema
        self._name_inner_objects(name, schema)
        return {"$ref": f"#/components/schemas/{name}", "description": schema.get("description", "")}

    def _resources(self) -> List[Resource]:
        operations = [(path[len("/api"):], verb.upper(), described)
                      for path, item in self.document["paths"].items() for verb, described in item.items()
                      if verb in ("get", "post", "put", "delete") and self._is_for_clients(described)]
        ids = {(path, verb): described["operationId"] for path, verb, described in operations}
        collections = {path: camel(re.sub("^list", "", ids[path, "GET"])) for path, verb, _ in operations
                       if verb == "GET" and ids[path, verb].startswith("list")}
        # What cannot be listed is a resource too if it can be created: `POST /things`.
        for path, verb, _ in operations:
            if verb == "POST" and ids[path, verb].startswith("create") and path not in collections:
                collections[path] = camel(re.sub("^create", "", ids[path, verb])) + "s"
        about = {tag["name"]: tag["description"] for tag in self.document["tags"]}
        found: Dict[str, Resource] = {}
        for path, verb, described in operations:
            if described["operationId"] in BY_HAND:
                continue
            home = max((place for place in collections if path == place or path.startswith(place + "/")),
                       key=len, default=None)
            name = collections[home] if home else camel(re.sub("^get", "", described["operationId"]))
            resource = found.setdefault(name, Resource(name, about[described["tags"][0]]))
            resource.operations.append(self._operation(path, verb, described, home, ids))
        for resource in found.values():
            names = [operation.name for operation in resource.operations]
            assert len(names) == len(set(names)), f"{resource.name} has two operations of one name: {names}"
        return sorted(found.values(), key=lambda resource: resource.name)

    @staticmethod
    def _is_for_clients(described: Dict[str, Any]) -> bool:
        return "x-alias-of" not in described and any("apiKey" in way for way in described.get("security", ()))

    def _operation(self, path: str, verb: str, described: Dict[str, Any], home: Optional[str],
                   ids: Dict[Any, str]) -> Operation:
        identifier = described["operationId"]
        rest = path[len(home):] if home else ""
        if rest.count("/") == (1 if rest.startswith("/{") else 0):
            name = re.match("[a-z]+", identifier).group()  # type: ignore[union-attr]
        elif verb == "GET":
            name = camel(path.rsplit("/", 1)[1])  # /farms/{id}/health-score
        else:
            name = re.match("[a-z]+", identifier).group()  # type: ignore[union-attr]
        parameters = [self.resolved(parameter) for parameter in described.get("parameters", ())]
        query = [Member(one["name"], one["schema"], one.get("required", False), one.get("description", ""))
                 for one in parameters if one["in"] == "query"]
        content = described.get("requestBody", {}).get("content", {}).get("application/json", {})
        reference = content.get("schema", {}).get("$ref")
        scopes = next(way["apiKey"] for way in described["security"] if "apiKey" in way)
        return Operation(
            identifier, name, verb, path, described["summary"], described["description"], scopes,
            self._path_parameters(path, ids), query, reference.split("/")[-1] if reference else None,
            self._result(identifier, described), content.get("example"),
            at_once="if `page` or `limit` is given" in described["description"])

    @staticmethod
    def _path_parameters(path: str, ids: Dict[Any, str]) -> List[PathParameter]:
        found = []
        for match in re.finditer(r"/([^/{}]+)/\{(\w+)\}", path):
            segment, name = match.groups()
            reader = ids.get((path[:match.end()], "GET"))
            argument = camel(re.sub("^get", "", reader)) if reader else camel(singular(segment))
            found.append(PathParameter(name, argument))
        return found

    def _result(self, identifier: str, described: Dict[str, Any]) -> Result:
        answer = next(response for status, response in described["responses"].items() if status.startswith("2"))
        content = self.resolved(answer).get("content", {})
        if "application/json" not in content:
            return Result("none")
        schema = content["application/json"]["schema"]
        properties = schema.get("properties", {})
        if "data" not in properties:
            return Result("bare", self._named(pascal(identifier) + "Answer", schema))
        data = properties["data"]
        if data.get("type") != "array":
            return Result("record", self._named(pascal(identifier) + "Answer", data))
        if "pagination" in properties:
            return Result("page", data["items"])
        if "meta" in properties:
            return Result("table", data["items"], properties["meta"])
        return Result("list", data["items"])
