"""Of two faults in one request, the response reports the one that is checked first, for every pair of faults."""
import itertools
import uuid

import pytest

from routes import PLANTS, filled, ids_of
from service import path_of, refused

pytestmark = pytest.mark.embedded_log

LARGE = b'{"label": "' + b"x" * (1 << 20) + b'"}'


class Request:
    """A POST of a plant that is valid until a fault is added."""

    def __init__(self, user):
        self.user, self.land = user, user.land()
        self.ids = ids_of(self.land, PLANTS[0])
        self.method, self.path, self.query = "POST", PLANTS[0], ""
        self.body, self.headers = {"label": "Tree"}, {}
        self.key, self.revoked, self.used_up = {"scopes": ["all"]}, False, False

    def answer(self):
        client = self.user.with_key(**self.key)
        if self.used_up:
            assert client.get("/farms").status < 500
        if self.revoked:
            client.service.operate(
                "DELETE", f"/operator/v1/users/{client.id}/api-keys/{client.key_id}", None, 204)
        target = "/api/v1" + filled(self.path, self.ids) + self.query
        return client.send(self.method, target, self.body, self.headers)


def revoked_key(request):
    request.revoked = True


def used_up_key(request):
    request.key["rateLimit"], request.used_up = 1, True


def foreign_address(request):
    request.key["allowedIps"] = ["10.0.0.1"]


def unknown_route(request):
    request.path += "/nowhere/at/all"


def wrong_method(request):
    request.method = "PATCH"


def missing_scope(request):
    request.key["scopes"] = ["farms:write"]


def large_body(request):
    request.body = LARGE


def media_type(request):
    request.headers["Content-Type"] = "text/plain"


def min_position(request):
    request.headers["Tilth-Min-Position"] = "not a position!"


def bad_idempotency_key(request):
    request.headers["Idempotency-Key"] = "not-a-uuid"


def reused_idempotency_key(request):
    key = str(uuid.uuid4())
    body = {"name": "Any", "totalArea": 1}
    assert request.user.post("/farms", body, {"Idempotency-Key": key}).status == 201
    request.headers["Idempotency-Key"] = key


def malformed_id(request):
    request.ids["blockId"] = "block-1"


def broken_rule(request):
    request.body = {"label": ""}


def malformed_body(request):
    request.body = b"{"


def missing_parent(request):
    request.ids["fieldId"] = str(uuid.uuid4())


def taken_tag(request):
    request.user.plant(request.land[3], tagId="taken")
    request.body = {**request.body, "tagId": "taken"} if isinstance(request.body, dict) else request.body


# In the order in which the specification checks them. The last element is a detail that no other fault names.
FAULTS = [
    (revoked_key, 401, "INVALID_API_KEY", None),
    (used_up_key, 429, "RATE_LIMIT_EXCEEDED", None),
    (foreign_address, 403, "IP_NOT_ALLOWED", None),
    (unknown_route, 404, "NOT_FOUND", None),
    (wrong_method, 405, "METHOD_NOT_ALLOWED", None),
    (missing_scope, 403, "INSUFFICIENT_SCOPE", "requiredScope"),
    (large_body, 413, "PAYLOAD_TOO_LARGE", None),
    (media_type, 415, "UNSUPPORTED_MEDIA_TYPE", None),
    (min_position, 400, "VALIDATION_ERROR", "Tilth-Min-Position"),
    (bad_idempotency_key, 400, "VALIDATION_ERROR", "Idempotency-Key"),
    (reused_idempotency_key, 409, "CONFLICT", None),
    (malformed_id, 400, "INVALID_ID", "blockId"),
    (broken_rule, 400, "VALIDATION_ERROR", "label"),
    (malformed_body, 400, "VALIDATION_ERROR", "body"),
    (missing_parent, 404, "NOT_FOUND", None),
    (taken_tag, 409, "CONFLICT", None),
]
EXCLUDE = [(unknown_route, wrong_method), (bad_idempotency_key, reused_idempotency_key),
           (broken_rule, malformed_body), (unknown_route, missing_parent)]


def answers(reply, fault):
    _, status, code, detail = fault
    refused(reply, status, code)
    if detail:
        assert [name.lower() for name in reply.details] == [detail.lower()], reply


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault[0].__name__)
def test_each_fault_alone_is_answered(user, fault):
    request = Request(user)
    fault[0](request)
    answers(request.answer(), fault)


PAIRS = [pair for pair in itertools.combinations(FAULTS, 2) if (pair[0][0], pair[1][0]) not in EXCLUDE]


@pytest.mark.parametrize("first,second", PAIRS, ids=lambda fault: fault[0].__name__)
def test_of_two_faults_the_earlier_is_answered(user, first, second):
    request = Request(user)
    second[0](request)
    first[0](request)
    answers(request.answer(), first)


def test_a_malformed_id_of_the_query_comes_before_a_wrong_value_of_the_query(user):
    refused(user.get("/crops?status=wilting&farmId=12"), 400, "INVALID_ID", "farmId")


def test_what_is_missing_comes_before_what_its_state_forbids(user):
    body = {"expectedHarvestDate": "2026-01-01"}
    refused(user.put(f"/crops/{uuid.uuid4()}", body, {"If-Match": '"x"'}), 404, "NOT_FOUND")
    _, field, *_ = user.land()
    crop = user.crop(field, plantingDate="2026-04-01", expectedHarvestDate="2026-08-01")
    path = path_of(crop)
    refused(user.put(path, body, {"If-Match": '"x"'}), 400, "VALIDATION_ERROR", "expectedHarvestDate")
    refused(user.put(path, {}, {"If-Match": '"x"'}), 412, "PRECONDITION_FAILED")


def test_a_precondition_comes_before_a_conflict(user):
    taken, farm = user.farm(), user.farm()
    body = {"name": taken["name"]}
    refused(user.put(path_of(farm), body, {"If-Match": '"x"'}), 412, "PRECONDITION_FAILED")
    refused(user.put(path_of(farm), body), 409, "CONFLICT")


def test_the_plan_comes_before_a_conflict(tilth):
    seed = tilth.user("seed")
    farm = seed.farm()
    refused(seed.post("/farms", {"name": farm["name"], "totalArea": 1}), 403, "PLAN_LIMIT_EXCEEDED")


def test_outside_v1_the_route_comes_before_the_key(tilth):
    refused(tilth.stranger().send("GET", "/api/v2/farms"), 404, "NOT_FOUND")
    refused(tilth.stranger().send("GET", "/api/v1/nowhere"), 401, "MISSING_API_KEY")
