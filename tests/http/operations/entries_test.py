"""Every kind of entry: its members, its list and the list's periods, and that nothing is ever amended."""
import itertools
import uuid

import pytest

from entries import (EXPENSES, FERTIGATIONS, IRRIGATIONS, KINDS, OVERHEADS, PRICE_REPORTS, SALES, SOIL_SAMPLES)
from members import check_absence, check_create, check_refusals, decimal, names_fault
from service import VAST, invalid, path_of, refused

CASES = [(kind, member) for kind in KINDS for member in kind.members]
NAMES = [f"{kind}-{member}" for kind, member in CASES]
READABLE = [kind for kind in KINDS if "GET" in kind.methods]


@pytest.fixture(scope="module")
def owner(tilth):
    user = tilth.user("vast")
    return user, user.land()


CONFIG = VAST


def list_of(kind, land):
    farm, field, crop, block, *_ = land
    id_ = crop["id"] if kind.path.startswith("/crops") else farm["id"]
    return kind.path.format(id=id_, fieldId=field["id"], blockId=block["id"])


def creating(owner, kind):
    user, land = owner

    def create(members):
        body = {"farmId": land[0]["id"], **kind.body, **members}
        return user.post(list_of(kind, land), {key: value for key, value in body.items() if value is not ...})
    return create


@pytest.mark.parametrize("kind,member", CASES, ids=NAMES)
def test_a_member_of_a_new_entry(owner, kind, member):
    create = creating(owner, kind)
    check_create(create, member)
    check_absence(create, member)


@pytest.mark.parametrize("kind,member", CASES, ids=NAMES)
def test_a_member_is_refused(owner, kind, member):
    user, land = owner
    before = user.get(list_of(kind, land)).pagination["total"]
    check_refusals(creating(owner, kind), None, member)
    assert user.get(list_of(kind, land)).pagination["total"] == before


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_an_entry_has_all_its_members_and_no_others(owner, kind):
    user, land = owner
    reply = creating(owner, kind)({})
    made = reply.data
    assert set(made) == kind.record
    for name, record in zip(("farmId", "fieldId", "cropId", "blockId"), land):
        assert made.get(name) in (None, record["id"]), name
    assert user.get(list_of(kind, land) + "?sort=createdAt&limit=100").data[0]["createdAt"] == made["createdAt"]
    if kind in READABLE:
        assert made["updatedAt"] == made["createdAt"]
        assert reply.header("Location") == f"/api/v1{list_of(kind, land)}/{made['id']}"
        shown = user.send("GET", reply.header("Location"))
        assert shown.data == made and shown.header("ETag") == reply.header("ETag") is not None
    else:
        assert reply.header("Location") is None and reply.header("ETag")


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_what_is_missing_is_named_at_once(owner, kind):
    user, land = owner
    needed = set(kind.body) | ({"farmId"} if kind is PRICE_REPORTS else set())
    invalid(user.post(list_of(kind, land), {}), *needed)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_an_entry_is_removed_once(tilth, kind):
    user = tilth.user()
    land = user.land()
    entry = land.entry(kind)
    refused(user.delete(entry["path"], {"If-Match": '"other"'}), 412, "PRECONDITION_FAILED")
    assert user.delete(entry["path"]).status == 204
    refused(user.delete(entry["path"]), 404, "NOT_FOUND")
    if kind in READABLE:
        refused(user.get(entry["path"]), 404, "NOT_FOUND")
    assert user.get(list_of(kind, land)).pagination == {"page": 1, "limit": 20, "total": 0, "totalPages": 0}
    assert [event["type"].rsplit(".", 1)[1] for event in tilth.events(user.id)[-2:]] == ["recorded", "removed"]


# The times of five entries as they are sent; two of them are equal.
INSTANTS = ["2026-02-03T00:00:00Z", "2026-02-01T00:00:00Z", "2026-02-01T23:59:59.999Z", "2026-02-02",
            "2026-02-02T02:00:00+02:00"]
DATES = ["2026-02-03", "2026-01-31", "2026-02-01", "2026-02-02", "2026-02-02"]
PERIODS = ["", "from=2026-02-01", "to=2026-02-01", "from=2026-02-01&to=2026-02-01", "from=2026-02-02&to=2026-02-02",
           "from=2026-02-03T00:00:00Z", "from=2026-02-04", "to=2026-01-30", "from=2026-02-01T23:59:59.999Z",
           "to=2026-02-02T00:00:00Z", "to=2026-02-01T23:59:59.998Z", "from=2026-02-01&to=2026-02-02T00:00:00Z"]


def within(time, query):
    """Whether a returned time is in a queried period."""
    bounds = dict(bound.split("=") for bound in query.split("&") if bound)
    if len(time) == 10:
        low, high = bounds.get("from", "")[:10], bounds.get("to", "9999")[:10]
    else:
        low = bounds.get("from", "").replace("Z", "")
        high = bounds.get("to", "9999")
        high = high.replace("Z", "") if "T" in high else high + "T23:59:59.999"
        time = time.replace("Z", "")
        low, high = (bound + ".000" if bound.endswith("00:00:00") else bound for bound in (low, high))
    return low <= time <= high


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_period_has_both_its_ends_in_every_order_and_page(tilth, kind):
    user = tilth.user()
    land = user.land()
    times = INSTANTS if kind.time.endswith("At") else DATES
    made = []
    for time in times:
        made.append(user.entry(kind, land[2], land[3], **{kind.time: time}))
        tilth.advance("PT1S")
    for query, sort, order in itertools.product(PERIODS, (kind.time, "createdAt"), ("asc", "desc")):
        wanted = sorted((entry for entry in made if within(entry[kind.time], query)),
                        key=lambda entry: (entry[sort], entry["id"]), reverse=order == "desc")
        asked = f"{list_of(kind, land)}?{query}&sort={sort}&order={order}"
        reply = user.get(asked)
        assert reply.status == 200, reply
        assert [entry["id"] for entry in reply.data] == [entry["id"] for entry in wanted], asked
        assert reply.pagination["total"] == len(wanted)
        second = user.get(asked + "&limit=2&page=2")
        assert [entry["id"] for entry in second.data] == [entry["id"] for entry in wanted[2:4]], asked
        assert second.pagination["totalPages"] == (len(wanted) + 1) // 2
    by_default = "createdAt" if kind is PRICE_REPORTS else kind.time
    wanted = sorted(made, key=lambda entry: (entry[by_default], entry["id"]), reverse=True)
    assert user.listed(list_of(kind, land)) == [entry["id"] for entry in wanted]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_wrong_period_is_named(owner, kind):
    user, land = owner
    path = list_of(kind, land)
    for wrong in ("", "x", "2026-02-30", "2026-13-01T00:00:00Z"):
        invalid(user.get(f"{path}?from={wrong}"), "from")
        invalid(user.get(f"{path}?from={wrong}&to={wrong}&sort=colour"), "from", "to", "sort")
    invalid(user.get(f"{path}?from=2026-02-02&to=2026-02-01"), "to")
    invalid(user.get(f"{path}?from=2026-02-02&from=2026-02-02"), "from")
    assert user.get(f"{path}?from=2026-02-02&to=2026-02-02").status == 200


@pytest.mark.parametrize("kind,used,other", [(EXPENSES, "labor", "rent"), (OVERHEADS, "rent", "labor")], ids=str)
def test_costs_are_filtered_by_category(tilth, kind, used, other):
    user = tilth.user()
    land = user.land()
    path = list_of(kind, land)
    made = [user.entry(kind, land[2], land[3], category=category, transactionDate=f"2026-02-1{number}")["id"]
            for number, category in enumerate([used, "other", used])]
    assert user.listed(f"{path}?category={used}") == [made[2], made[0]]
    assert user.listed(f"{path}?category={used}&to=2026-02-11") == [made[0]]
    assert user.listed(f"{path}?category=utilities") == []
    invalid(user.get(f"{path}?category={other}"), "category")


def test_price_reports_are_one_list_filtered_by_farm_and_crop(tilth):
    user = tilth.user()
    first, second = user.land(), user.land()
    made = [user.entry(PRICE_REPORTS, land[2], land[3], cropName=name)["id"]
            for land, name in ((first, "Dates"), (second, "Dates"), (second, "dates"))]
    path = PRICE_REPORTS.path
    assert set(user.listed(path)) == set(made)
    assert set(user.listed(f"{path}?farmId={second[0]['id']}")) == set(made[1:])
    assert set(user.listed(f"{path}?cropName=Dates")) == set(made[:2])
    assert user.listed(f"{path}?cropName=dates&farmId={second[0]['id']}&from=2026-02-10") == made[2:]
    assert user.listed(f"{path}?farmId={uuid.uuid4()}") == []
    refused(user.get(f"{path}?farmId=x"), 400, "INVALID_ID", "farmId")
    refused(user.post(path, {**PRICE_REPORTS.body, "farmId": str(uuid.uuid4())}), 404, "NOT_FOUND")


def test_a_price_is_observed_today_at_the_latest_and_today_is_utc_s(tilth):
    user = tilth.user()
    farm = user.farm(timezone="Pacific/Kiritimati")
    body = {**PRICE_REPORTS.body, "farmId": farm["id"]}
    today = tilth.now()[:10]
    assert user.post(PRICE_REPORTS.path, {**body, "observedOn": today}).status == 201
    reply = user.post(PRICE_REPORTS.path, {**body, "observedOn": "2999-01-01", "price": 0})
    invalid(reply, "observedOn", "price")


def test_a_bushel_needs_a_crop_of_the_library(owner):
    names_fault(creating(owner, PRICE_REPORTS)({"unit": "per_bushel"}), "unit", "per_bushel")
    invalid(creating(owner, PRICE_REPORTS)({"unit": "per_bushel", "price": -1}), "price")
    refused(creating(owner, PRICE_REPORTS)({"unit": "per_bushel", "farmId": str(uuid.uuid4())}), 404, "NOT_FOUND")


def test_a_bushel_weighs_what_the_library_says(tilth, owner):
    user, land = owner
    crops = [{"name": "Winter wheat", "bushelWeightKg": 27.2155}, {"name": "Okra"},
             {"name": "Old wheat", "bushelWeightKg": 27, "isActive": False}]
    tilth.operate("POST", "/operator/v1/library", {"crops": crops})
    create = creating(owner, PRICE_REPORTS)
    assert create({"unit": "per_bushel", "cropName": " winter WHEAT "}).data["cropName"] == " winter WHEAT "
    assert tilth.events(user.id)[-1]["data"]["bushelWeightKg"] == "27.2155"
    for name in ("Okra", "Old wheat", "Winterwheat", "  "):
        invalid(create({"unit": "per_bushel", "cropName": name}), "unit")
    assert create({"unit": "per_kg", "cropName": "Winter wheat"}).status == 201
    assert tilth.events(user.id)[-1]["data"]["bushelWeightKg"] is None


@pytest.mark.parametrize("depths,path", [
    ({"depthFromCm": 0}, "depthToCm"), ({"depthToCm": 5}, "depthFromCm"),
    ({"depthFromCm": 5, "depthToCm": 5}, "depthToCm"), ({"depthFromCm": 6, "depthToCm": 5}, "depthToCm"),
    ({"depthFromCm": -1, "depthToCm": 5}, "depthFromCm"), ({"depthFromCm": 0, "depthToCm": 1001}, "depthToCm"),
    ({"depthFromCm": None, "depthToCm": 5}, "depthFromCm"), ({"depthFromCm": "x"}, "depthFromCm")])
def test_depths_come_in_pairs(owner, depths, path):
    invalid(creating(owner, SOIL_SAMPLES)(depths), path)


def test_a_depth_is_a_decimal(owner):
    made = creating(owner, SOIL_SAMPLES)({"depthFromCm": "0.0", "depthToCm": 1000}).data
    assert (made["depthFromCm"], made["depthToCm"]) == ("0", "1000")


@pytest.mark.parametrize("quantity,price,total", [
    ("12.5", "940.4", "11755"), (3, "0.00000001", "0.00000003"), ("0.5", "0.00000001", "0"),
    ("1.5", "0.00000001", "0.00000002"), ("2.5", "0.00000001", "0.00000002"), ("0.00000003", "0.5", "0.00000002"),
    ("999999999999999999", 1, "999999999999999999")])
def test_a_sale_s_total_is_exact(owner, quantity, price, total):
    assert creating(owner, SALES)({"quantity": quantity, "pricePerUnit": price, "totalAmount": 7}).data[
        "totalAmount"] == total


def test_a_sale_s_total_is_a_decimal_too(owner):
    invalid(creating(owner, SALES)({"quantity": 1e9, "pricePerUnit": 1e9}), "pricePerUnit")


@pytest.mark.parametrize("kind", [EXPENSES, OVERHEADS, SALES, PRICE_REPORTS], ids=str)
def test_a_currency_that_is_not_said_is_the_farm_s_base(tilth, kind):
    user = tilth.user()
    for members, base in (({}, "USD"), ({"country": "Japan"}, "JPY"), ({"country": "JP", "currency": "EUR"}, "EUR")):
        field = user.field(user.farm(**members))
        crop = user.crop(field)
        entry = user.entry(kind, crop, user.block(crop))
        assert entry["currency"] == base
        assert user.put(f"/farms/{field['farmId']}", {"currency": "CHF"}).status == 200
        assert entry["id"] in user.listed(entry["path"].rsplit("/", 1)[0])
        assert tilth.events(user.id)[-2]["data"]["currency"] == base


def test_an_expense_is_for_a_crop_or_a_field_of_its_farm_or_for_neither(owner):
    user, (_, field, crop, *_) = owner
    create = creating(owner, EXPENSES)
    other = user.land()
    for name, record, theirs in (("cropId", crop, other[2]), ("fieldId", field, other[1])):
        made = create({name: record["id"].upper()}).data
        assert made[name] == record["id"] and {made["cropId"], made["fieldId"]} == {None, record["id"]}
        refused(create({name: theirs["id"]}), 404, "NOT_FOUND")
        refused(create({name: str(uuid.uuid4())}), 404, "NOT_FOUND")
        invalid(create({name: "x"}), name)
        assert create({name: None}).data[name] is None
    invalid(create({"cropId": crop["id"], "fieldId": field["id"]}), "fieldId")


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_repeated_request_is_answered_alike(owner, kind):
    user, land = owner
    body = {"farmId": land[0]["id"], **kind.body}
    key = {"Idempotency-Key": str(uuid.uuid4())}
    first, again = (user.post(list_of(kind, land), body, key) for _ in range(2))
    assert (again.status, again.body) == (first.status, first.body)
    assert again.header("Idempotent-Replayed") == "true" and first.header("ETag") == again.header("ETag")
    assert first.header("Location") == again.header("Location")
