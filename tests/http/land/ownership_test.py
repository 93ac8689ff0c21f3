"""A path reaches only the caller's records: for every route and every id in it."""
import uuid

import pytest

from entries import KINDS
from routes import NO_DELIVERY, PATHS, body_for, filled, ids_of, kind_of, slots
from service import VAST, path_of, refused

CONFIG = VAST
CASES = [(method, path, slot) for path, methods, _ in PATHS for method in methods.split()
         for slot in slots(path)]


@pytest.fixture(scope="module")
def lands(tilth):
    """A user with two farms, and someone else's land."""
    user, other = tilth.user("vast"), tilth.user()
    return user, user.land(), user.land(), other.land()


@pytest.fixture(scope="module")
def gone(lands):
    """Per slot, an id of a deleted record whose parents all exist."""
    user, (farm, field, crop, block, *_), *_ = lands
    entries = {kind.name: user.entry(kind, crop, block) for kind in KINDS}
    for entry in entries.values():
        assert user.delete(entry["path"]).status == 204
    made = {"farm": user.farm(), "fieldId": user.field(farm), "crop": user.crop(field),
            "blockId": user.block(crop), "plantId": {**user.plant(block), "block": block},
            "task": user.task(farm), "template": user.template(),
            "rule": user.rule(farm, user.template()), "webhook": user.webhook()}
    for record in made.values():
        assert user.delete(path_of(record)).status == 204
    return {"deliveryId": NO_DELIVERY} | {name: record["id"] for name, record in (made | entries).items()}


def ask(user, method, path, ids, body_ids):
    return user.send(method, "/api/v1" + filled(path, ids), body_for(method, path, body_ids))


@pytest.mark.parametrize("method,path,slot", CASES)
def test_an_id_that_reaches_no_record_of_the_caller_is_not_found(lands, gone, method, path, slot):
    user, own, second, foreign = lands
    ids = ids_of(own, path)
    kind = kind_of(path, slot)
    wrong = [str(uuid.uuid4()), ids_of(foreign, path)[slot], gone[kind],
             ids_of(own, path)["cropId" if kind_of(path) == "farm" else "farmId"]]
    if len(slots(path)) > 1:
        wrong.append(ids_of(second, path)[slot])  # the caller's own, but elsewhere
    for id_ in wrong:
        refused(ask(user, method, path, {**ids, slot: id_}, ids), 404, "NOT_FOUND")


@pytest.mark.parametrize("method,path,slot", CASES)
def test_an_id_that_is_no_uuid_is_named(lands, method, path, slot):
    user, own, *_ = lands
    ids = ids_of(own, path)
    for wrong in ("x", "123", ids[slot] + "0", ids[slot][:-1], ids[slot].replace("-", ""), "%7B" + ids[slot],
                  "null", "%20" + ids[slot]):
        refused(ask(user, method, path, {**ids, slot: wrong}, ids), 400, "INVALID_ID", slot)


@pytest.mark.parametrize("path,methods", [(path, methods) for path, methods, _ in PATHS if len(slots(path)) > 1])
def test_all_malformed_ids_of_a_path_are_named(lands, path, methods):
    user, *_ = lands
    reply = user.send(methods.split()[0], "/api/v1" + filled(path, dict.fromkeys(slots(path), "x")))
    refused(reply, 400, "INVALID_ID", *slots(path))


@pytest.mark.parametrize("method,path", [(method, path) for path, methods, _ in PATHS
                                         for method in methods.split() if slots(path)])
def test_another_user_s_land_is_as_if_it_were_not_there(lands, method, path):
    user, own, _, foreign = lands
    theirs = ids_of(foreign, path)
    refused(ask(user, method, path, theirs, theirs), 404, "NOT_FOUND")


def test_everything_is_still_there(lands):
    user, own, second, foreign = lands
    for record in (*own, *second):
        assert user.read(path_of(record))["id"] == record["id"]
    assert {record["id"] for record in user.get("/farms").data} == {own[0]["id"], second[0]["id"]}
