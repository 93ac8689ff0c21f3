"""Writes a C++ file that carries the pages of this folder: embed.py OUTPUT FOLDER OPERATIONS.MD

Each file goes in as it is and, where that is smaller, compressed; the assembler reads the bytes, so
that no compiler meets a megabyte of numbers.
"""
import gzip
import hashlib
import json
import pathlib
import re
import sys

TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
         ".mjs": "text/javascript; charset=utf-8",
         ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".woff2": "font/woff2"}
PAGES = {"index.html": "/", "docs.html": "/docs"}


def assets(folder):
    for path in sorted(folder.rglob("*")):
        if path.suffix in TYPES:
            name = path.relative_to(folder).as_posix()
            yield PAGES.get(name, f"/assets/{name}"), path


def runbook(document, output):
    """The runbook of docs/operations.md as a module: its sections by the anchors that alerts link to."""
    part = document.read_text().split("\n## Runbook\n")[1].split("\n## ")[0]
    sections = {}
    for section in part.split("\n### ")[1:]:
        title, text = section.split("\n", 1)
        sections[re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")] = {"title": title, "text": text.strip()}
    output.write_text(f"// Made from docs/operations.md.\nexport const RUNBOOK = {json.dumps(sections, ensure_ascii=False, indent=1)};\n")
    return "/assets/operators/runbook-text.js", output


def main():
    output, folder, document = map(pathlib.Path, sys.argv[1:4])
    output.parent.mkdir(parents=True, exist_ok=True)
    blobs, declared, rows = [], [], []
    all_files = [*assets(folder), runbook(document, output.with_name("runbook.js"))]
    for number, (path, file) in enumerate(all_files):
        plain = file.read_bytes()
        squeezed = gzip.compress(plain, 9, mtime=0)
        packed = output.with_name(f"asset_{number}.gz")
        packed.write_bytes(squeezed if len(squeezed) < len(plain) else b"")
        for name, source in ((f"asset_{number}", file.resolve()), (f"asset_{number}_gz", packed.resolve())):
            blobs.append(f'"{name}:\\n.incbin \\"{source}\\"\\n{name}_end:\\n"')
            declared.append(f'extern "C" const char {name}[], {name}_end[];')
        tag = hashlib.sha256(plain).hexdigest()[:32]
        rows.append(f'    {{"{path}", "{TYPES[file.suffix]}", "{tag}", {{asset_{number}, asset_{number}_end}}, '
                    f'{{asset_{number}_gz, asset_{number}_gz_end}}}},')
    lines = ["// Made by embed.py.", '#include "api/dashboard/pages.h"', "",
             'asm(".section .rodata\\n"', *(f"    {blob}" for blob in blobs), '    ".text\\n");', *declared, "",
             "namespace tilth {", "namespace {", "const Asset kAssets[] = {", *rows, "};", "}  // namespace", "",
             "std::span<const Asset> assets() { return kAssets; }", "}  // namespace tilth", ""]
    output.write_text("\n".join(lines))


main()
