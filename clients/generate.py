#!/usr/bin/env python3
"""Makes the generated parts of the clients of the OpenAPI document.

Usage: clients/generate.py           writes them
       clients/generate.py --check   says which of them are not what it would write, and exits 1 if there are any
"""
import json
import pathlib
import sys
from typing import Dict

from generator import analytics, http_file, python, reference, typescript
from generator.description import Description

HERE = pathlib.Path(__file__).resolve().parent
DOCUMENT = HERE.parent / "tests/api/openapi/openapi.json"
EVENTS = HERE.parent / "docs/asyncapi.json"


def generated() -> Dict[pathlib.Path, str]:
    """Every generated file, and what is in it."""
    document = json.loads(DOCUMENT.read_text())
    requests = http_file.files(document)
    description = Description(document)
    columns = analytics.files(description, json.loads(EVENTS.read_text()))
    return {
        **{HERE / name: text for name, text in requests.items()},
        HERE / "python/reference.md": reference.of_python(description),
        HERE / "typescript/reference.md": reference.of_typescript(description),
        **{HERE / "python/src/tilth/analytics" / name: text for name, text in columns.items()},
        **{HERE / "python/src/tilth" / name: text for name, text in python.files(description).items()},
        **{HERE / "typescript/src" / name: text for name, text in typescript.files(description).items()},
    }


def main() -> int:
    stale = [path for path, text in generated().items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(HERE.parent)} is not what clients/generate.py makes", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(generated()[path])
        print(path.relative_to(HERE.parent))
    return 0


if __name__ == "__main__":
    sys.exit(main())
