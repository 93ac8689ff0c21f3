"""Which paths exist, which methods they know, and how a path is spelled."""
import uuid

import pytest

from routes import FARMS, PATHS, filled, ids_of
from service import invalid, path_of, refused

CONFIG = """
[limits]
unauthenticated_per_minute = 100000
"""


@pytest.fixture(scope="module")
def owner(tilth):
    user = tilth.user()
    return user, user.land()


def allowed(methods):
    return set(methods.split()) | {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())


def named(reply):
    return {method.strip() for method in reply.header("Allow").split(",")}


@pytest.mark.parametrize("path,methods,family", PATHS)
def test_a_method_that_a_path_does_not_know_is_answered_with_those_it_knows(
        owner, path, methods, family):
    user, land = owner
    target = "/api/v1" + filled(path, ids_of(land, path))
    for method in {"GET", "POST", "PUT", "DELETE", "PATCH", "PURGE"} - set(methods.split()):
        reply = user.send(method, target, "{}" if method in ("POST", "PUT", "PATCH") else None)
        refused(reply, 405, "METHOD_NOT_ALLOWED")
        assert named(reply) == allowed(methods)


@pytest.mark.parametrize("path,methods,family", PATHS)
def test_options_names_the_methods_of_a_path_to_anyone(owner, tilth, path, methods, family):
    user, land = owner
    target = "/api/v1" + filled(path, ids_of(land, path))
    for client in (user, tilth.stranger()):
        reply = client.send("OPTIONS", target)
        assert reply.status == 204 and reply.body == b"", reply
        assert named(reply) == allowed(methods)


def test_options_counts_for_anyone_who_asks(tilth, user):
    stranger = tilth.stranger()
    limits = [client.send("OPTIONS", "/api/v1/farms").header("X-RateLimit-Limit")
              for client in (stranger, user)]
    assert limits == ["100000", "1000"]


def test_options_with_a_key_authenticates_it(tilth):
    reply = tilth.stranger().send("OPTIONS", "/api/v1/farms", headers={"Authorization": "Bearer x"})
    refused(reply, 401, "INVALID_API_KEY_FORMAT")


def test_options_asks_for_no_scope_but_for_the_address_of_the_key(user):
    assert user.with_key(scopes=["market:read"]).send("OPTIONS", "/api/v1/farms").status == 204
    bound = user.with_key(allowedIps=["192.0.2.1"])
    refused(bound.send("OPTIONS", "/api/v1/farms"), 403, "IP_NOT_ALLOWED")
    for client in (user, user.service.stranger()):
        refused(client.send("OPTIONS", "/api/v1/nowhere"), 404, "NOT_FOUND")


def test_what_has_no_get_has_no_head(owner):
    user, (*_, task, template, _) = owner
    for path, methods in ((path_of(task) + "/complete", "POST"), (path_of(task) + "/reschedule", "PUT"),
                          (path_of(template) + "/apply", "POST"), (f"/user-crops/{uuid.uuid4()}", "DELETE")):
        reply = user.send("HEAD", "/api/v1" + path)
        assert (reply.status, reply.body) == (405, b"") and named(reply) == allowed(methods), reply.headers


def test_head_is_get_without_the_body(owner):
    user, land = owner
    for path in ("/farms", path_of(land[0]), path_of(land[1]), path_of(land[4])):
        whole, head = user.get(path), user.send("HEAD", "/api/v1" + path)
        assert head.status == whole.status == 200 and head.body == b""
        for name in ("ETag", "Content-Type", "Content-Length"):
            assert head.header(name) == whole.header(name), name
    missing = user.send("HEAD", f"/api/v1/farms/{uuid.uuid4()}")
    assert missing.status == 404 and missing.body == b""


@pytest.mark.parametrize("target", [
    "/api/v1", "/api/v1/", "/api/v1/nowhere", "/api/v1/farms/", "/api/v1/Farms", "/api/V1/farms",
    "/api/v1//farms", "/api/v1/farm", "/api/v1/farmss", "/api/v1%2Ffarms", "/api/v1/farms/{farm}/",
    "/api/v1/farms/{farm}/field", "/api/v1/crops/{farm}/states", "/api/v1/farms/{farm}/fields/x/y/z"])
def test_a_path_that_is_not_one_of_ours_is_not_found(owner, target):
    user, land = owner
    refused(user.send("GET", target.replace("{farm}", land[0]["id"])), 404, "NOT_FOUND")


@pytest.mark.parametrize("target", ["/nowhere", "/api", "/api/v2/farms", "/farms", "/v1/farms"])
def test_outside_v1_an_unknown_path_is_not_found_without_a_key(tilth, target):
    for method in ("GET", "POST", "DELETE"):
        reply = tilth.stranger().send(method, target)
        refused(reply, 404, "NOT_FOUND")
        assert reply.header("X-RateLimit-Limit") == "100000"


def test_every_segment_is_percent_decoded(owner):
    user, (farm, *_) = owner
    for target in ("/api/v1/f%61rms", "/%61pi/v%31/farms"):
        assert user.send("GET", target).status == 200
        reply = user.send("GET", f"{target}/{farm['id'][:-1]}%{ord(farm['id'][-1]):02X}")
        assert reply.status == 200 and reply.data["id"] == farm["id"]


def test_a_created_record_is_named_in_the_spelling_of_the_request(user):
    for path in ("/farms", "/f%61rms"):
        reply = user.post(path, {"name": path, "totalArea": 1})
        assert reply.header("Location") == f"/api/v1{path}/{reply.data['id']}"
        assert user.send("GET", reply.header("Location")).data == reply.data


def test_every_created_record_is_found_where_its_location_says(user):
    farm = user.farm()
    field = user.field(farm)
    crop = user.crop(field)
    block = user.block(crop)
    made = [("/farms", {"name": "New", "totalArea": 1}),
            (f"{path_of(farm)}/fields?any=thing", {"name": "New", "area": 1}),
            ("/crops", {"farmId": farm["id"], "fieldId": field["id"], "cropType": "Rye"}),
            (f"{path_of(field)}/blocks", {"cropId": crop["id"], "name": "New"}),
            (f"{path_of(block)}/plants", {"label": "New"})]
    for path, body in made:
        reply = user.post(path, body)
        assert reply.status == 201, reply
        assert reply.header("Location") == f"/api/v1{path.split('?')[0]}/{reply.data['id']}"
        assert user.send("GET", reply.header("Location")).data == reply.data


def test_reads_and_changes_name_no_location(owner):
    user, (farm, *_) = owner
    for reply in (user.get("/farms"), user.get(path_of(farm)), user.put(path_of(farm), {})):
        assert reply.status == 200 and reply.header("Location") is None


def test_a_deletion_is_answered_without_a_body(user):
    reply = user.delete(path_of(user.farm()))
    assert (reply.status, reply.body) == (204, b"")
    assert reply.header("Content-Type") is reply.header("Content-Length") is reply.header("ETag") is None


def test_unknown_query_parameters_are_ignored(owner):
    user, (farm, *_) = owner
    assert user.get("/farms?colour=red&colour=blue&=&&x").status == 200
    assert user.get(path_of(farm) + "?page=two").status == 200


@pytest.mark.parametrize("query,name", [
    ("page=1&page=1", "page"), ("limit=5&limit=6", "limit"), ("sort=name&sort=name", "sort"),
    ("order=asc&order=desc", "order"), ("status=active&status=active", "status"),
    ("status=active&st%61tus=active", "status")])
def test_a_known_parameter_given_twice_is_refused(user, query, name):
    invalid(user.get("/farms?" + query), name)


@pytest.mark.parametrize("name", ["page", "limit", "sort", "order", "status"])
def test_an_empty_value_is_a_value(user, name):
    invalid(user.get(f"/farms?{name}="), name)


def test_every_wrong_parameter_is_named_at_once(user):
    invalid(user.get("/farms?page=x&limit=0&sort=colour&order=up&status=lost"),
            "page", "limit", "sort", "order", "status")


def test_an_empty_id_is_another_path_or_no_id(user):
    assert user.get(FARMS[0] + "//fields").status in (400, 404)
