"""The financial summary, compared with a computation row by row."""
import datetime
import random
import time
from fractions import Fraction

import pytest

from money_oracle import Rates, summary
from service import DEADLINE, invalid, refused

SPENT_ON = ["seeds", "fuel", "labor", "other"]
OVERHEADS = ["rent", "tax", "other"]
AMOUNTS = ["0.005", "0.01", "0.0025", "0.015", "1", "2.5", "19.99", "1000", "123456.78", "0.00000001", "999999999999"]
RATES = ["1", "3", "7", "1.6", "0.5", "1.0834", "162.35", "0.00000003", "1.28"]
CURRENCIES = ["EUR", "USD", "JPY", "KWD", "CHF"]
COUNTRIES = {"Kuwait": "KWD", "Japan": "JPY", None: "USD"}


@pytest.fixture(scope="module")
def rates(tilth):
    known = Rates()

    def put(day, source="ECB", **values):
        text = f"Date,{','.join(values)},\n{day},{','.join(values.values())},\n"
        reply = tilth.operator.send("POST", f"/operator/v1/exchange-rates?source={source}", text,
                                    headers={"Content-Type": "text/csv"})
        assert reply.status == 200, reply
        changed = sum([known.put(currency, day, value, source) for currency, value in values.items()])
        assert reply.data == {"days": 1, "rates": len(values), "changed": changed}
    known.give = put
    return known


class Farm:
    """A farm whose rows the test keeps as well, by their ids in the service."""

    def __init__(self, user, rates, **members):
        self.user, self.rates, self.rows = user, rates, {}
        self.farm = user.farm(**members)
        self.base = members.get("currency", "USD")
        self.fields, self.crops = {}, {}

    def path(self, name):
        return f"/farms/{self.farm['id']}/{name}"

    def add_field(self):
        field = self.user.field(self.farm)
        self.fields[field["id"]] = field

    def add_crop(self, field):
        crop = self.user.crop(self.fields[field])
        self.crops[crop["id"]] = crop

    def spend(self, amount, currency, day, category="fuel", **on):
        row = self.user.made(self.path("expenses"), {
            "amount": amount, "currency": currency, "category": category, "transactionDate": day, **on})
        field = on.get("fieldId") or (self.crops[on["cropId"]]["fieldId"] if "cropId" in on else None)
        self.keep(row, "expenses", "expenses", category, Fraction(amount), field, on.get("cropId"))

    def spend_on_all(self, amount, currency, day, category="rent"):
        row = self.user.made(self.path("overheads"), {
            "amount": amount, "currency": currency, "category": category, "transactionDate": day})
        self.keep(row, "overheads", "overheads", category, Fraction(amount))

    def sell(self, crop, quantity, price, currency, day):
        row = self.user.made(f"/crops/{crop}/sales", {
            "quantity": quantity, "unit": "kg", "pricePerUnit": price, "currency": currency, "saleDate": day})
        amount = Fraction(round(Fraction(quantity) * Fraction(price) * 10 ** 8), 10 ** 8)
        self.keep(row, "revenue", f"/crops/{crop}/sales", None, amount, self.crops[crop]["fieldId"], crop)

    def keep(self, row, book, path, category, amount, field=None, crop=None):
        day = row.get("transactionDate") or row["saleDate"]
        self.rows[row["id"]] = {"book": book, "category": category, "currency": row["currency"], "day": day,
                                "amount": amount, "field": field, "crop": crop,
                                "path": path if path.startswith("/") else self.path(path)}

    def remove(self, path):
        reply = self.user.delete(path)
        assert reply.status == 204, reply

    def remove_row(self, row):
        self.remove(f"{self.rows.pop(row)['path']}/{row}")

    def remove_crop(self, crop):
        self.remove(f"/crops/{crop}")
        del self.crops[crop]
        self.rows = {id: row for id, row in self.rows.items() if row["crop"] != crop}

    def remove_field(self, field):
        self.remove(self.path(f"fields/{field}"))
        del self.fields[field]
        self.crops = {id: crop for id, crop in self.crops.items() if crop["fieldId"] != field}
        self.rows = {id: row for id, row in self.rows.items() if row["field"] != field}

    def amend(self, base, **members):
        reply = self.user.put(f"/farms/{self.farm['id']}", members)
        assert reply.status == 200, reply
        self.base = base

    def summary(self, start=None, end=None):
        query = "&".join(f"{name}={day}" for name, day in (("from", start), ("to", end)) if day)
        return self.user.read(self.path(f"financial-summary?{query}"))

    def check(self, start=None, end=None):
        expected = summary(self.rows.values(), self.rates, self.farm["id"], self.base, start, end)
        assert self.summary(start, end) == expected


@pytest.fixture
def farm(user, rates):
    made = Farm(user, rates, currency="EUR")
    made.add_field()
    made.add_crop(next(iter(made.fields)))
    return made


def test_a_farm_without_rows_has_nothing(farm):
    nothing = {"total": "0", "byCurrency": {}, "byCategory": {}}
    assert farm.summary() == {
        "farmId": farm.farm["id"], "baseCurrency": "EUR", "from": None, "to": None,
        "revenue": {"total": "0", "byCurrency": {}}, "expenses": nothing, "overheads": nothing, "net": "0",
        "rateSource": None, "unconvertedCurrencies": []}


def test_each_row_is_converted_at_the_rate_of_its_own_day(farm, rates):
    rates.give("2020-01-02", USD="1.25")
    rates.give("2020-01-06", USD="1.6", JPY="120")
    crop = next(iter(farm.crops))
    farm.sell(crop, "10", "12.5", "USD", "2020-01-05")   # 125 / 1.25
    farm.sell(crop, "16", "1", "USD", "2020-01-06")      # 16 / 1.6
    farm.spend("3", "EUR", "2020-01-05", "seeds")
    farm.spend("600", "JPY", "2020-02-01", "fuel")       # 600 / 120
    farm.spend("7", "JPY", "2020-01-05", "labor")        # no rate yet
    farm.spend_on_all("4", "XOF", "2020-01-05", "tax")   # never any
    assert farm.summary() == {
        "farmId": farm.farm["id"], "baseCurrency": "EUR", "from": None, "to": None,
        "revenue": {"total": "110", "byCurrency": {"USD": {"original": "141", "converted": "110", "rate": "0.78014184"}}},
        "expenses": {"total": "8", "byCurrency": {
            "EUR": {"original": "3", "converted": "3", "rate": "1"},
            "JPY": {"original": "607", "converted": "5", "rate": "0.00833333"}},
            "byCategory": {"seeds": "3", "fuel": "5", "labor": "0"}},
        "overheads": {"total": "0", "byCurrency": {"XOF": {"original": "4", "converted": None, "rate": None}},
                      "byCategory": {"tax": "0"}},
        "net": "102", "rateSource": "ECB", "unconvertedCurrencies": ["JPY", "XOF"]}
    farm.check("2020-01-05", "2020-01-06")


def test_a_change_shows_at_once_and_a_removal_too(farm):
    farm.spend("10", "EUR", "2021-03-01")
    assert farm.summary()["expenses"]["total"] == "10"
    farm.spend("5.005", "EUR", "2021-03-01")
    assert farm.summary()["net"] == "-15"
    for row in list(farm.rows):
        farm.remove_row(row)
    assert farm.summary()["expenses"] == {"total": "0", "byCurrency": {}, "byCategory": {}}


def test_rates_that_come_late_or_are_corrected_change_what_they_touch(farm, rates):
    farm.spend("12", "CHF", "2021-06-15")
    farm.spend("12", "CHF", "2021-07-15")
    farm.check()
    rates.give("2021-07-01", CHF="2")
    farm.check()
    rates.give("2021-06-01", CHF="3", source="SNB")
    farm.check()
    assert farm.summary()["rateSource"] == "ECB, SNB"
    rates.give("2021-07-01", CHF="4")
    farm.check()
    rates.give("2021-07-01", CHF="4", source="SNB")
    assert farm.summary()["rateSource"] == "SNB"
    assert farm.summary()["expenses"]["total"] == "7"


def test_the_base_is_the_farms_currency_else_its_countrys_else_the_dollar(farm, rates):
    rates.give("2019-01-01", USD="2", KWD="4")
    farm.spend("10", "EUR", "2019-06-01")
    for base, members in (("KWD", {"currency": "KWD"}), ("KWD", {"currency": None, "country": "Kuwait"}),
                          ("USD", {"country": None}), ("CHF", {"currency": "CHF"})):
        farm.amend(base, **members)
        farm.check()
    assert farm.summary()["unconvertedCurrencies"] == ["EUR"]  # the base itself has no rate on that day


def test_what_is_halfway_between_two_is_rounded_to_the_even_one(farm, rates):
    rates.give("2018-01-01", USD="3")
    farm.spend("0.01", "USD", "2018-01-01")    # a third of a cent; the next row is a sixth
    farm.spend("0.005", "USD", "2018-01-02")
    assert farm.summary("2018-01-01", "2018-12-31")["expenses"]["total"] == "0"
    farm.spend("0.03", "USD", "2018-01-03")
    assert farm.summary("2018-01-01", "2018-12-31")["expenses"]["total"] == "0.02"
    farm.check()


def test_the_span_is_told_and_both_ends_are_in_it(farm):
    farm.spend("1", "EUR", "2020-03-01")
    farm.spend("2", "EUR", "2020-03-31")
    farm.spend("4", "EUR", "2020-04-01")
    told = farm.summary("2020-03-01T22:00:00-05:00", "2020-03-31")
    assert (told["from"], told["to"], told["expenses"]["total"]) == ("2020-03-01", "2020-03-31", "3")
    for start, end, total in (("2020-03-02", None, "6"), (None, "2020-03-30", "1"), ("2020-03-31", "2020-03-31", "2")):
        assert farm.summary(start, end)["expenses"]["total"] == total
    path = farm.path("financial-summary")
    assert invalid(farm.user.get(path + "?from=2020-04-01&to=2020-03-01"), "to")
    assert invalid(farm.user.get(path + "?from=2020-02-30"), "from")
    assert farm.user.get(path).header("ETag") is None


def test_it_is_its_owners_and_needs_its_scope(tilth, farm):
    path = farm.path("financial-summary")
    assert refused(tilth.user().get(path), 404, "NOT_FOUND")
    assert refused(farm.user.with_key(scopes=["farms:read", "finance:write"]).get(path), 403, "INSUFFICIENT_SCOPE")
    assert farm.user.with_key(scopes=["finance:read"]).get(path).status == 200
    farm.remove(f"/farms/{farm.farm['id']}")
    assert refused(farm.user.get(path), 404, "NOT_FOUND")


@pytest.mark.whole_land
def test_a_pause_holds_up_nothing_else(tilth, farm):
    projection = "/operator/v1/projections/finance"
    farm.spend("1", "EUR", "2020-03-01")
    assert farm.summary()["net"] == "-1"
    tilth.operate("POST", projection + "/pause")
    try:
        farm.spend("2", "EUR", "2020-03-01")
        reply = farm.user.get(farm.path("financial-summary"))
        assert refused(reply, 503, "SERVICE_UNAVAILABLE") and reply.header("Retry-After")
        assert farm.user.get(farm.path("expenses")).pagination["total"] == 2
    finally:
        tilth.operate("POST", projection + "/resume")
    deadline = time.monotonic() + DEADLINE
    while farm.user.get(farm.path("financial-summary")).status == 503:
        assert time.monotonic() < deadline
    assert farm.summary()["net"] == "-3"


@pytest.mark.parametrize("seed", range(4))
def test_whatever_happens_it_is_the_sum_of_what_the_rows_come_to(user, rates, seed):
    choose = random.Random(seed)
    farms = [Farm(user, rates, currency=choose.choice(CURRENCIES)) for _ in range(2)]

    def day():
        return str(datetime.date(2024, 11, 1) + datetime.timedelta(choose.randrange(480)))

    def money():
        return choose.choice(AMOUNTS), choose.choice(CURRENCIES), day()

    def act(farm):
        what = choose.random()
        fields, crops, rows = list(farm.fields), list(farm.crops), list(farm.rows)
        if not fields or what < 0.04:
            farm.add_field()
        elif not crops or what < 0.10:
            farm.add_crop(choose.choice(fields))
        elif what < 0.40:
            on = choose.choice([{}, {"cropId": choose.choice(crops)}, {"fieldId": choose.choice(fields)}])
            farm.spend(*money(), choose.choice(SPENT_ON), **on)
        elif what < 0.55:
            farm.spend_on_all(*money(), choose.choice(OVERHEADS))
        elif what < 0.75:
            farm.sell(choose.choice(crops), choose.choice(["1", "0.00001", "12.345"]), *money())
        elif what < 0.80 and rows:
            farm.remove_row(choose.choice(rows))
        elif what < 0.82:
            farm.remove_crop(choose.choice(crops))
        elif what < 0.83:
            farm.remove_field(choose.choice(fields))
        elif what < 0.86:
            country = choose.choice(list(COUNTRIES))
            base = choose.choice([None, "EUR", "JPY"])
            farm.amend(base or COUNTRIES[country], currency=base, country=country)
        else:
            values = {code: choose.choice(RATES) for code in choose.sample(CURRENCIES[1:], choose.randrange(1, 4))}
            rates.give(day(), choose.choice(["ECB", "Bank"]), **values)

    for step in range(160):
        farm = choose.choice(farms)
        act(farm)
        if step % 4 == 0:
            first, last = sorted([day(), day()])
            farm.check(choose.choice([None, first, first[:8] + "01"]), choose.choice([None, last]))
    for farm in farms:
        farm.check()
        farm.check("2025-01-01", "2025-12-31")
