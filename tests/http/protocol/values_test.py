"""How numbers, text, dates, ids and names of places are read, and how they are returned."""
import json

import pytest

from service import invalid, path_of


def farm(user, member, text, put=False):
    """Creates a farm (or changes one) with a member whose JSON text is given verbatim."""
    if put:
        return user.put(path_of(user.farm()), f'{{"{member}": {text}}}')
    others = {"name": '"Values"', "totalArea": "1"}
    members = ", ".join(f'"{key}": {value}' for key, value in {**others, member: text}.items())
    return user.post("/farms", f"{{{members}}}")


DECIMALS = {
    "1": "1", "1.0": "1", "1.50": "1.5", '"1.50"': "1.5", '"+1.5"': "1.5", '"007"': "7",
    "1e2": "100", "1E+2": "100", '"1e2"': "100", '"1E-3"': "0.001", "12.5e-1": "1.25",
    "1e-8": "0.00000001", "0.00000001": "0.00000001", "1.000000000": "1", "0.1": "0.1",
    "0.30000000000000004e1": None, "999999999999999999": "999999999999999999",
    "123456789012345678.12345678": "123456789012345678.12345678",
    "99999999999999999.99999999": "99999999999999999.99999999", "100e-2": "1",
    "9007199254740993": "9007199254740993", "1e17": "100000000000000000", "1e18": None,
    "1000000000000000000": None, "0.000000001": None, "1.123456789": None, '"1e400"': None,
    "1e400": None, "1e-400": None, '"1e999999999999999999"': None, '"1e-999999999999999999"': None,
    "0": None, "-1": None, '"-0.5"': None, '""': None, '" 1"': None, '"1 "': None, '"1."': None,
    '".5"': None, '"0x10"': None, '"1,5"': None, '"1_000"': None, '"NaN"': None, '"Infinity"': None,
    '"inf"': None, '"++1"': None, '"1e"': None, '"1e1.5"': None, '"one"': None, '"\u0661"': None,
    "true": None, "false": None, "null": None, "[]": None, "[1]": None, "{}": None,
}


@pytest.mark.parametrize("text", DECIMALS)
@pytest.mark.parametrize("put", [False, True], ids=["create", "put"])
def test_a_decimal_is_taken_by_its_text_and_answered_canonically(user, text, put):
    reply, expected = farm(user, "totalArea", text, put), DECIMALS[text]
    if expected is None:
        invalid(reply, "totalArea")
    else:
        assert reply.status in (200, 201), reply
        assert reply.data["totalArea"] == expected
        assert user.read(path_of(reply.data))["totalArea"] == expected


@pytest.mark.parametrize("text", ["-0", "-0.0", '"-0"', "0e5", '"+0.000"', "0.00"])
def test_zero_has_one_form(user, text):
    reply = farm(user, "irrigationFlowRatePerEmitter", text)
    assert reply.status == 201 and reply.data["irrigationFlowRatePerEmitter"] == "0", reply


@pytest.mark.parametrize("text", ["1" + "0" * 300000, '"' + "9" * 300000 + '"', "0." + "1" * 300000])
def test_too_many_digits_are_refused_by_name(user, text):
    invalid(farm(user, "totalArea", text), "totalArea")


def test_zeros_without_meaning_do_not_make_a_number_too_long(user):
    assert farm(user, "totalArea", "1." + "0" * 1000).data["totalArea"] == "1"
    assert user.made("/farms", {"name": "x", "totalArea": "0" * 1000 + "2"})["totalArea"] == "2"


INTEGERS = {"3": 3, '"3"': 3, "3.0": 3, '"3.00"': 3, "0.3e1": 3, '"30E-1"': 3, '"+3"': 3, "-0": 0,
            "50": 50, "51": None, "-1": None, "3.5": None, '"3.5"': None, "1e300": None, "true": None,
            "99999999999999999999": None, '""': None, '"3 "': None, "1e-1": None, "[3]": None}


@pytest.mark.parametrize("text", INTEGERS)
def test_an_integer_is_any_number_of_a_whole_value(user, text):
    reply, expected = farm(user, "emittersPerPlant", text), INTEGERS[text]
    if expected is None:
        invalid(reply, "emittersPerPlant")
    else:
        assert reply.status == 201 and reply.data["emittersPerPlant"] == expected, reply
        assert isinstance(reply.data["emittersPerPlant"], int)


COORDINATES = {"17.25": 17.25, '"+17.250"': 17.25, "1725e-2": 17.25, "35.123456789012345": 35.123456789012345,
               "0.30000000000000004": 0.30000000000000004, "90." + "0" * 1000: 90, '"-0.0"': 0,
               "90.0000000000000000001": None, "-90.0000000000000000001": None, "1.23456789012345678901": None,
               "0.1" + "0" * 1000 + "1": None, "1e-400": None, '"-1e-400"': None, "1e400": None, '"x"': None}


@pytest.mark.parametrize("text", COORDINATES, ids=lambda text: text[:30])
def test_a_number_that_is_no_decimal_is_the_nearest_double_or_has_too_many_digits(user, text):
    farm_, expected = user.farm(), COORDINATES[text]
    task = user.task(farm_)
    block = user.block(user.crop(user.field(farm_)))
    sent = {
        "gpsLat": user.post(path_of(task) + "/complete", f'{{"gpsLat": {text}}}'),
        "location.lat": user.put(path_of(farm_), f'{{"location": {{"lat": {text}, "lng": 0}}}}'),
        "gridMetadata.originLatLng.0": user.put(
            path_of(block), f'{{"gridMetadata": {{"pattern": "square", "originLatLng": [{text}, 0]}}}}')}
    if not text.startswith('"'):
        sent["geometry"] = user.put(
            path_of(block), f'{{"geometry": {{"type": "Point", "coordinates": [0, {text}]}}}}')
    for path, reply in sent.items():
        if expected is None:
            invalid(reply, path)
            assert text == '"x"' or "too many digits" in reply.details[path][0], reply
            continue
        assert reply.status == 200, reply
        found = reply.data
        for name in path.split("."):
            found = found[int(name) if name.isdigit() else name]
        assert (found["coordinates"][1] if path == "geometry" else found) == expected, reply


def test_too_many_digits_do_not_slip_past_a_bound(user):
    block = user.block(user.crop(user.field(user.farm())))
    beyond = '{"gridMetadata": {"pattern": "square", "rowOrientation": 360.00000000000000000001}}'
    invalid(user.put(path_of(block), beyond), "gridMetadata.rowOrientation")


@pytest.mark.parametrize("text", ["5", "true", "{}", '["x"]', "1.5"])
def test_only_numbers_are_coerced(user, text):
    invalid(farm(user, "name", text), "name")
    invalid(farm(user, "description", text), "description")


@pytest.mark.parametrize("character", ["x", "\u00e9", "\u20ac", "\U0001F33E", "e\u0301"])
def test_text_is_counted_in_code_points(user, character):
    longest = (character * 200)[:200]
    assert user.farm(name=longest)["name"] == longest
    invalid(farm(user, "name", json.dumps(longest + "x")), "name")


@pytest.mark.parametrize("name", [" ", "  two  ", "\t", "\n", "\u200b", "\ufeffmark", "\u202e", "\x7f"])
def test_text_is_trimmed_of_nothing(user, name):
    record = user.farm(name=name, description=name, notes="ignored")
    assert user.read(path_of(record))["name"] == user.read(path_of(record))["description"] == name


@pytest.mark.parametrize("member", ["name", "description", "address"])
def test_no_text_holds_a_nul(user, member):
    invalid(farm(user, member, '"a\\u0000b"'), member)
    invalid(farm(user, member, '"a\\u0000b"', put=True), member)


def test_ids_are_taken_in_either_case_and_answered_in_lower(user):
    farm_, field, crop, *_ = user.land()
    assert user.get(f"/farms/{farm_['id'].upper()}").data["id"] == farm_["id"]
    made = user.made("/crops", {"farmId": farm_["id"].upper(), "fieldId": field["id"].upper(),
                                "cropType": "Rye"})
    assert (made["farmId"], made["fieldId"]) == (farm_["id"], field["id"])
    assert set(user.listed(f"/crops?farmId={farm_['id'].upper()}")) == {crop["id"], made["id"]}


@pytest.mark.parametrize("wrong", ["x", "", 7, "{id}", "urn:uuid:{id}", "{id} ", "nodashes", "short"])
def test_a_malformed_id_in_a_body_is_a_validation_error(user, wrong):
    farm_, field, *_ = user.land()
    if isinstance(wrong, str):
        wrong = wrong.replace("{id}", "{" + farm_["id"] + "}" if wrong == "{id}" else farm_["id"])
        wrong = {"nodashes": farm_["id"].replace("-", ""), "short": farm_["id"][:-1]}.get(wrong, wrong)
    body = {"farmId": wrong, "fieldId": field["id"], "cropType": "Rye"}
    invalid(user.post("/crops", body), "farmId")


DATES = {
    "2026-03-01": "2026-03-01", "2024-02-29": "2024-02-29", "0001-01-01": "0001-01-01",
    "9999-12-31": "9999-12-31", "2026-03-01T10:00:00Z": "2026-03-01", "2026-03-01T10:00Z": "2026-03-01",
    "2026-02-03T10:00": "2026-02-03", "2026-02-03T10:00:00": "2026-02-03", "2026-02-03T10:00:00.5": "2026-02-03",
    "2026-02-03T25:00": None, "2026-02-03T10": None, "2026-02-03T10:00:00x": None,
    "2026-03-01T23:30:00-11:00": "2026-03-01", "2026-03-01T00:30:00.123456789+14:00": "2026-03-01",
    "2026-02-30": None, "2023-02-29": None, "2026-13-01": None, "2026-00-10": None, "2026-3-1": None,
    "20260301": None, "01.03.2026": None, "2026-03-01T25:00:00Z": None, "2026-03-01T10:61:00Z": None,
    "2026-02-30T10:00:00Z": None, "2026-03": None, "tomorrow": None, "": None, " 2026-03-01": None,
    "2026-03-01x": None, "2026-03-01T10:00:00+25:00": None,
}


@pytest.mark.parametrize("text", DATES)
def test_a_date_is_a_day_of_the_calendar(user, text):
    _, field, *_ = user.land()
    body = {"farmId": field["farmId"], "fieldId": field["id"], "cropType": "Rye", "plantingDate": text}
    reply, expected = user.post("/crops", body), DATES[text]
    if expected is None:
        invalid(reply, "plantingDate")
    else:
        assert reply.status == 201 and reply.data["plantingDate"] == expected, reply


PLACES = {
    "country": {"de": "Germany", "DE": "Germany", "deu": "Germany", "gErMaNy": "Germany",
                "Federal Republic of Germany": "Germany", "BO": "Bolivia",
                "Bolivia, Plurinational State of": "Bolivia", "bolivia": "Bolivia", "Atlantis": None,
                "": None, "D": None, "Germany ": None, "XX": None, "276": None},
    "currency": {"EUR": "EUR", "USD": "USD", "JPY": "JPY", "XQX": None, "": None, "EURO": None, "E": None},
    "timezone": {"UTC": "UTC", "Europe/Berlin": "Europe/Berlin", "US/Eastern": "US/Eastern",
                 "Asia/Kathmandu": "Asia/Kathmandu", "Mars/Phobos": None, "": None, "../etc/passwd": None,
                 "+01:00": None, "Europe": None, "Europe/Berlin ": None},
}


@pytest.mark.parametrize("member,text", [(member, text) for member in PLACES for text in PLACES[member]])
def test_names_of_places_are_those_of_the_installed_tables(user, member, text):
    reply, expected = farm(user, member, json.dumps(text)), PLACES[member][text]
    if expected is None:
        invalid(reply, member)
    else:
        assert reply.status == 201 and reply.data[member] == expected, reply


def test_instants_are_answered_in_utc_with_milliseconds(tilth):
    tilth.set_clock("2026-03-05T04:05:06.789Z")
    farmer = tilth.user()
    record = farmer.farm()
    assert record["createdAt"] == record["updatedAt"] == "2026-03-05T04:05:06.789Z"
