#!/usr/bin/env python3
"""Fails if a folder includes one that it must not depend on, if stems include each other in a cycle, or if a
header does not say what it is for. The same for the modules of the pages. With --self-test: checks that it fails on a tree with each fault planted."""
import collections
import pathlib
import re
import sys
import tempfile

MAY_INCLUDE = {
    "events": "events",
    "projections": "projections events",
    "command": "command projections events",
    "query": "query projections events",
    "api": "api command query projections events",
    "infra": "infra api command query projections events",
    "app": "app infra api command query projections events",
    "tests": "tests infra api command query projections events",
    "bench": "bench infra api command query projections events",
}
MAY_IMPORT = {  # in dashboard/; "." is the folder itself, with the pages' entries
    "core": "core vendor",
    "pages": "pages core vendor",
    "operators": "operators core vendor",
    ".": ". pages core vendor",
}
IMPORT = re.compile(r'\b(?:from|import)\b\s*\(?\s*"(\.[^"]+)"')
MADE = {"runbook-text.js"}  # by embed.py
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def sources(root):
    for folder in MAY_INCLUDE:
        yield from sorted(path for path in (root / folder).rglob("*") if path.suffix in (".h", ".cc"))


def wrong_directions(root):
    for path in sources(root):
        name = path.relative_to(root)
        allowed = MAY_INCLUDE[name.parts[0]].split()
        if name.parts[:2] == ("tests", "app"):  # what is put together there is otherwise tried as a whole program
            allowed.append("app")
        for target in INCLUDE.findall(path.read_text()):
            folder = target.split("/")[0]
            if "/" in target and folder not in allowed:
                yield f"{name}: {name.parts[0]}/ must not include {folder}/"


def unexplained_headers(root):
    for path in sources(root):
        if path.suffix == ".h" and not path.read_text().startswith("// "):
            yield f"{path.relative_to(root)}: a header opens with a comment that says what it is for"


def stem_of(name):
    return re.sub(r"\.(h|cc)$", "", str(name))


def modules(root):
    """What each module of the pages imports, types and modules that are loaded later included."""
    pages = root / "dashboard"
    return {path: {(path.parent / target).resolve() for target in IMPORT.findall(path.read_text())}
            for path in sorted(pages.rglob("*.js")) if "vendor" not in path.relative_to(pages).parts}


def wrong_imports(root):
    pages = (root / "dashboard").resolve()

    def folder(path):
        parts = path.relative_to(pages).parts
        return parts[0] if len(parts) > 1 else "."

    for path, targets in modules(root).items():
        name, own = path.relative_to(root), folder(path.resolve())
        for target in sorted(targets):
            if not target.exists() and target.name not in MADE:
                yield f"{name}: there is no {target.name}"
            elif folder(target) not in MAY_IMPORT[own].split():
                yield f"{name}: {own}/ must not import {folder(target)}/"


def all_includes(root):
    """Of each stem, the stems that it includes; a header and its source are one stem, a module is one."""
    includes = collections.defaultdict(set)
    for path in sources(root):
        stem = stem_of(path.relative_to(root))
        includes[stem].update(stem_of(target) for target in INCLUDE.findall(path.read_text())
                              if (root / target).exists() and stem_of(target) != stem)
    for path, targets in modules(root).items():
        includes[str(path.relative_to(root))].update(str(target.relative_to(root.resolve())) for target in targets)
    return includes


def circles(root):
    """Strongly connected components of more than one stem, by Tarjan."""
    includes = all_includes(root)
    index, low, stack, found = {}, {}, [], []

    def visit(stem):
        index[stem] = low[stem] = len(index)
        stack.append(stem)
        for target in includes[stem]:
            if target not in index:
                visit(target)
            if target in stack:
                low[stem] = min(low[stem], low[target])
        if low[stem] == index[stem]:
            at = stack.index(stem)
            found.append(sorted(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(100_000)
    for stem in list(includes):
        if stem not in index:
            visit(stem)
    for circle in found:
        if len(circle) > 1:
            yield f"{circle[0]}: includes itself through {', '.join(circle[1:])}"


def faults(root):
    yield from wrong_directions(root)
    yield from unexplained_headers(root)
    yield from wrong_imports(root)
    yield from circles(root)


def check(root):
    wrong = list(faults(root))
    print("\n".join(wrong) or "every include points inward, no stem includes itself, every header says what it is for")
    return bool(wrong)


def write(root, name, text):
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)


def self_test():
    sound = {"tests/app/node_test.cc": '#include "app/node.h"\n', "events/land/farm.h": "// A farm.\n", "api/farm.cc": '#include "events/land/farm.h"\n',
             "dashboard/pages/farms.js": 'import { Map } from "../core/map.js";\n', "dashboard/core/map.js": "export const Map = 1;\n"}
    planted = [
        {"events/field.cc": '#include "events/land/farm.h"\n  #  include "api/farm.h"\n'},
        {"command/farm.h": '// Decides.\n#include "infra/clock.h"\n'},
        {"query/farm.h": "#pragma once\n"},
        {"tests/farm_test.cc": '#include "app/main.h"\n'},
        {"events/a.h": '// One.\n#include "events/b.h"\n', "events/b.cc": '#include "events/c.h"\n',
         "events/b.h": "// Two.\n", "events/c.h": '// Three.\n#include "events/a.h"\n'},
        {"dashboard/core/ui.js": 'import { Farms } from "../pages/farms.js";\n'},
        {"dashboard/pages/gone.js": 'import "../core/gone.js";\n'},
        {"dashboard/pages/a.js": 'import { b } from "./b.js";\n', "dashboard/pages/b.js": 'const a = () => import("./a.js");\n'},
    ]
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory)
        for name, text in sound.items():
            write(root, name, text)
        if found := list(faults(root)):
            sys.exit(f"a sound tree is called wrong: {found}")
        for fault in planted:
            for name, text in fault.items():
                write(root, name, text)
            found = list(faults(root))
            if len(found) != 1 or stem_of(found[0].split(":")[0]) not in [stem_of(name) for name in fault]:
                sys.exit(f"the fault planted in {list(fault)} was not found, or others were: {found}")
            print(f"found: {found[0]}")
            for name in fault:
                (root / name).unlink()


if __name__ == "__main__":
    if sys.argv[1] == "--self-test":
        self_test()
    else:
        sys.exit(check(pathlib.Path(sys.argv[1])))
