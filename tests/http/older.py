"""A service on what an earlier version has left: it reads the whole history, shows its records and goes on."""
import json

from client import Client

CLOCK = "2026-11-24T12:00:00Z"  # later than all that any of them has recorded


def read(lines):
    """Events without what only this log knows of them, such as their offsets; a later version may add members."""
    events = [json.loads(line) for line in lines.splitlines() if line]
    return [{name: event.get(name) for name in ("id", "type", "subject", "time", "streamversion", "data")} for event in events]


def check(service, directory):
    """`directory` has what that version exported, and the key that it printed for the demo farm."""
    exported = service.operate("GET", "/operator/v1/events").body
    expected = read((directory / "events.jsonl").read_text())
    assert len(expected) > 100 and read(exported) == expected

    demo = json.loads((directory / "demo.json").read_text())["data"]
    client = Client(service.address, f"Bearer {demo['key']}")
    listed = client.get("/farms")
    assert listed.status == 200, listed
    (farm,) = listed.data
    assert client.get(f"/farms/{farm['id']}/fields").data
    renamed = client.put(f"/farms/{farm['id']}", {"name": "Still here"})
    assert (renamed.status, renamed.data["name"]) == (200, "Still here")
    verified = service.operate("POST", "/operator/v1/projections/all/verify").data
    assert all(each["differences"] == [] for each in verified)
    return client, renamed
