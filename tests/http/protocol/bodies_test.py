"""Which bodies are accepted before their members are read."""
import pytest

from service import invalid, path_of, refused

FARM = b'{"name": "Hill", "totalArea": 5}'


def post(user, body, **headers):
    return user.post("/farms", body, {name.replace("_", "-"): text for name, text in headers.items()})


def padded(size):
    return FARM[:-1] + b', "pad": "' + b"x" * (size - len(FARM) - 11) + b'"}'


def test_a_body_of_one_mebibyte_is_taken_and_one_byte_more_is_not(user):
    assert len(padded(1 << 20)) == 1 << 20
    assert post(user, padded(1 << 20)).status == 201
    refused(post(user, padded((1 << 20) + 1)), 413, "PAYLOAD_TOO_LARGE")
    assert len(user.listed("/farms")) == 1


def test_a_chunked_body_is_bounded_too(user):
    head = (f"POST /api/v1/farms HTTP/1.1\r\nHost: x\r\nAuthorization: {user.authorization}\r\n"
            "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n").encode()

    def chunked(body):
        pieces = [body[at:at + 65536] for at in range(0, len(body), 65536)]
        return head + b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"

    assert user.exchange("POST", chunked(FARM)).status == 201
    refused(user.exchange("POST", chunked(padded((1 << 20) + 1))), 413, "PAYLOAD_TOO_LARGE")


def test_bodies_of_get_and_delete_are_ignored_but_not_their_size(user):
    farm = user.farm()
    target, large = "/api/v1" + path_of(farm), b"x" * ((1 << 20) + 1)
    assert user.send("GET", target, b"{not json").status == 200
    refused(user.send("GET", target, large), 413, "PAYLOAD_TOO_LARGE")
    refused(user.send("DELETE", target, large), 413, "PAYLOAD_TOO_LARGE")
    assert user.send("DELETE", target, b'{"name": 1').status == 204


@pytest.mark.parametrize("media", [
    "application/json", "application/json; charset=utf-8", "application/json;charset=UTF-8",
    'application/json; charset="utf-8"', "Application/JSON", None])
def test_json_is_known_by_its_media_type_or_by_none(user, media):
    assert post(user, FARM, Content_Type=media).status == 201


@pytest.mark.parametrize("coding", ["gzip", "br", "identity, gzip", "GZIP", "x"])
def test_a_coded_body_is_refused_with_the_codings_that_are_taken(user, coding):
    headers = {"Content-Encoding": coding}
    for reply in (post(user, FARM, **headers), user.put(path_of(user.farm()), FARM, headers)):
        refused(reply, 415, "UNSUPPORTED_MEDIA_TYPE")
        assert reply.header("Accept-Encoding") == "identity"
    assert post(user, FARM, Content_Type="text/plain").header("Accept-Encoding") is None


@pytest.mark.parametrize("coding", ["identity", "Identity", "", " , identity"])
def test_a_body_without_a_coding_is_taken(user, coding):
    assert post(user, FARM, Content_Encoding=coding).status == 201


@pytest.mark.parametrize("media", [
    "text/plain", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data",
    "application/jsonx", "application/json-patch+json", "text/json", "application/*", "json",
    "application/json; charset=latin1", "application/json; charset=utf-16"])
def test_any_other_media_type_is_refused(user, media):
    refused(post(user, FARM, Content_Type=media), 415, "UNSUPPORTED_MEDIA_TYPE")
    farm = user.farm()
    reply = user.put(path_of(farm), b"{}", {"Content-Type": media})
    refused(reply, 415, "UNSUPPORTED_MEDIA_TYPE")


def test_a_header_that_two_readers_could_read_differently_is_refused(user):
    def sent(*headers):
        return user.send("POST", "/api/v1/farms", FARM, headers)

    for second in ("text/plain", "application/json"):
        refused(sent(("Content-Type", "application/json"), ("Content-Type", second)), 415, "UNSUPPORTED_MEDIA_TYPE")
    invalid(sent(("Tilth-Min-Position", "p0.0"), ("Tilth-Min-Position", "p0.1")), "Tilth-Min-Position")
    assert user.listed("/farms") == []


def nested(depth):
    """An object whose innermost array is at this depth, counting the object itself."""
    return FARM[:-1] + b', "deep": ' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


NO_OBJECT = {
    "an open brace": b"{", "a comma at the end": FARM[:-1] + b",}", "an array": b"[]",
    "a string": b'"farm"', "null": b"null", "a number": b"1", "two objects": FARM + FARM,
    "text after": FARM + b" x", "single quotes": b"{'name': 'x'}", "bare names": b'{name: "x"}',
    "NaN": b'{"totalArea": NaN}', "Infinity": b'{"totalArea": Infinity}',
    "a leading zero": b'{"totalArea": 01}', "a bare point": b'{"totalArea": 1.}',
    "no integer part": b'{"totalArea": .5}', "a plus": b'{"totalArea": +1}',
    "no exponent": b'{"totalArea": 1e}', "an unknown escape": b'{"name": "\\x41"}',
    "a short escape": b'{"name": "\\u12"}', "a newline in a string": b'{"name": "a\nb"}',
    "a tab in a string": b'{"name": "a\tb"}', "a comment": b'{/* name */}',
    "an open string": b'{"name": "x', "no colon": b'{"name" "x"}', "no value": b'{"name":}',
    "True": b'{"name": True}', "a lone high surrogate": b'{"name": "\\ud800"}',
    "a lone low surrogate": b'{"name": "\\udc00"}',
    "surrogates the wrong way round": b'{"name": "\\udc00\\ud800"}',
    "a high surrogate before text": b'{"name": "\\ud83dx"}',
    "a lone surrogate in a key": b'{"\\ud800": 1}',
    "a byte that is no UTF-8": b'{"name": "\xff"}', "an overlong form": b'{"name": "\xc0\xaf"}',
    "a surrogate in UTF-8": b'{"name": "\xed\xa0\x80"}', "a cut character": b'{"name": "\xe2\x82"}',
    "beyond Unicode": b'{"name": "\xf4\x90\x80\x80"}',
    "bad UTF-8 in an unknown member": FARM[:-1] + b', "x": "\x80"}',
    "a byte order mark": b"\xef\xbb\xbf" + FARM, "UTF-16": FARM.decode().encode("utf-16"),
    "a NUL after": FARM + b"\0", "a depth of 65": nested(65),
}


@pytest.mark.parametrize("body", NO_OBJECT.values(), ids=NO_OBJECT.keys())
def test_what_is_not_one_well_formed_object_is_refused_as_the_body(user, body):
    invalid(post(user, body), "body")


def test_a_depth_of_64_is_not_too_deep(user):
    assert post(user, nested(64)).status == 201


def test_a_very_deep_body_is_refused_and_harms_no_one(user):
    invalid(post(user, b'{"a": ' * 100000), "body")
    invalid(post(user, b'{"a": ' + b"[" * 500000), "body")
    assert user.get("/farms").status == 200


def test_blanks_around_the_object_are_allowed(user):
    assert post(user, b" \r\n\t" + FARM + b" \r\n\t").status == 201


def test_of_duplicate_keys_the_last_counts(user):
    body = b'{"name": 7, "totalArea": 5, "name": "Last", "totalArea": "x", "totalArea": 6}'
    record = post(user, body).data
    assert (record["name"], record["totalArea"]) == ("Last", "6")


def test_keys_that_are_not_in_the_schema_are_ignored(user):
    body = {"name": "Hill", "totalArea": 5, "id": "mine", "createdAt": 7, "owner": None, "NAME": 1}
    assert post(user, body).status == 201


def test_an_empty_body_counts_as_an_empty_object(user):
    invalid(user.post("/farms"), "name", "totalArea")
    invalid(user.post("/farms", b""), "name", "totalArea")
    farm = user.farm()
    assert user.put(path_of(farm)).data == farm


def test_every_problem_of_a_body_is_named_at_once(user):
    body = {"totalArea": "much", "areaUnit": "league", "country": "Atlantis", "emittersPerPlant": 2.5,
            "location": {"lat": 91, "lng": "x"}, "timezone": None, "description": "d" * 2001}
    invalid(post(user, body), "name", "totalArea", "areaUnit", "country", "emittersPerPlant",
            "location.lat", "location.lng", "timezone", "description")


def test_a_missing_member_of_an_object_is_named_under_its_path(user):
    invalid(post(user, {"name": "x", "totalArea": 1, "location": {}}), "location.lat", "location.lng")


def test_escapes_and_their_characters_are_the_same(user):
    record = post(user, b'{"name": "\\u00e9\\ud83c\\udf31\\/\\t", "totalArea": 5}').data
    assert record["name"] == "\u00e9\U0001F331/\t"
    assert "\U0001F331" in user.get(path_of(record)).body.decode()


def test_of_an_array_with_too_many_items_none_is_read(user):
    body = {"farmId": user.farm()["id"], "templateId": user.template()["id"], "pattern": "weekly",
            "startDate": "2026-03-01T06:30:00Z", "daysOfWeek": [9] * 100_000}
    reply = user.post("/recurring-tasks", body)
    invalid(reply, "daysOfWeek")
    assert reply.details["daysOfWeek"] == ["must have at most 100 items"]
    invalid(user.post("/recurring-tasks", {**body, "daysOfWeek": [1, 9, 1]}), "daysOfWeek.1", "daysOfWeek.2")


def test_a_refusal_lists_a_hundred_problems(tilth):
    crops = [{"name": "", "lifecycle": "x"} for _ in range(300)]
    reply = tilth.operate("POST", "/operator/v1/library", {"crops": crops}, 400)
    assert sum(len(messages) for messages in reply.details.values()) <= 100
