"""Writes a corpus for event_line_fuzz: each golden event as a line of an export.

Usage: event_lines.py FOLDER_OF_GOLDEN_EVENTS CORPUS
"""
import json
import pathlib
import re
import sys

# Of what belongs to no owner.
STREAMS = {**dict.fromkeys(("user", "api_key", "operator", "ai_request"), "access"), "audit": "audit",
           **dict.fromkeys(("admin_crop", "exchange_rate"), "reference")}

golden, corpus = map(pathlib.Path, sys.argv[1:])
corpus.mkdir(parents=True, exist_ok=True)
for file in sorted(golden.glob("*.json")):
    kind, version = re.fullmatch(r"(.+)\.v(\d+)(?:\.[a-z_]+)*\.json", file.name).groups()
    attributes = {
        "specversion": "1.0",
        "id": "00000000-0000-4000-8000-000000000001",
        "source": "golden",
        "type": kind,
        "subject": STREAMS.get(kind.split(".")[1], "user_1"),
        "time": "2026-11-17T08:00:00.000Z",
        "datacontenttype": "application/json",
        "streamversion": 0,
        "schemaversion": int(version),
        "idempotencykey": "k",
        "requesthash": "h",
        "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    }
    line = json.dumps(attributes, separators=(",", ":"))[:-1] + ',"data":' + file.read_text().strip() + "}"
    (corpus / file.stem).write_text(line)
