"""What browsers are told about the pages: no script but the service's own, and no other type than what is said."""
import re

import pytest

ALLOWED = {"default-src": {"'none'"}, "script-src": {"'self'"}, "base-uri": {"'none'"}, "frame-ancestors": {"'none'"}}


def policy_of(reply):
    parts = [part.split() for part in reply.header("Content-Security-Policy").split(";")]
    return {name: set(sources) for name, *sources in parts}


def test_every_page_and_each_of_its_parts_is_under_the_strict_policy(tilth):
    stranger, seen, next_paths = tilth.stranger(), set(), {"/", "/docs"}
    while paths := next_paths - seen:
        for path in paths:
            reply = stranger.send("GET", path)
            assert reply.status == 200, (path, reply)
            policy = policy_of(reply)
            for name, sources in ALLOWED.items():
                assert policy[name] == sources, (path, name, policy)
            assert not any("unsafe" in source or "*" in source for sources in policy.values() for source in sources)
            assert reply.header("X-Content-Type-Options") == "nosniff", path
            next_paths |= set(re.findall(r"(?:src|href)=\"(/(?!api/)[^\"/][^\"]*)\"", reply.body.decode(errors="replace"))
                              if "html" in reply.header("Content-Type") else [])
        seen |= paths
    assert {path.rsplit(".", 1)[-1] for path in seen} >= {"js", "css"}


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_no_script_stands_in_a_page_itself(tilth, path):
    page = tilth.stranger().send("GET", path).body.decode()
    assert all("src=" in tag and not content.strip()
               for tag, content in re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL))
    assert not re.search(r"\son\w+=|javascript:", page)


def test_maps_have_no_background_unless_one_is_configured(tilth):
    reply = tilth.stranger().send("GET", "/assets/map.json")
    assert reply.status == 200 and reply.json == {"tiles": None}
    assert policy_of(tilth.stranger().send("GET", "/"))["img-src"] == {"'self'", "data:"}
