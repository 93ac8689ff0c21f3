"""Crop prices in a country: directed cases, and random ones compared with a computation row by row."""
import datetime
import random

import pytest

from market import Market, ask
from market_oracle import SHORT
from service import Service, invalid, refused

CONFIG = "[plans.summit]\nrequests_per_hour = 1000000\nfarms = \"unlimited\"\nai_requests_per_month = \"unlimited\"\n" \
         "may_mint_keys = true\n"


@pytest.fixture
def market(tmp_path):
    running = Service(tmp_path, config=CONFIG)
    try:
        yield Market(running.start())
        running.stop()
    finally:
        running.kill()


def five(market, prices=("100", "200", "300", "400", "500"), **members):
    farms = [market.farm() for _ in prices]
    for farm, price in zip(farms, prices):
        market.report(farm, price, **members)
    return farms


@pytest.mark.embedded_log
def test_five_farms_make_a_price(market):
    farms = five(market, "1234")
    assert market.check() == []
    market.report(farms[0], "9")  # a farm that reports twice is one farm
    assert market.check() == []
    farms.append(market.farm())
    sold = market.sell(market.crop(farms[4]), "7", quantity="3000", unit="kg")
    shown = market.check()
    assert shown[0]["sampleSize"] == 5 and shown[0]["sources"] == {"userReported": 4, "sales": 1}
    market.sell(market.crop(farms[0]), "5")
    assert market.check()[0]["sources"] == {"userReported": 4, "sales": 2}
    market.remove(sold)
    assert market.check() == []


@pytest.mark.embedded_log
def test_an_operator_may_require_several_owners(tmp_path):
    def shown(directory, config, **more):
        directory.mkdir(exist_ok=True)
        service = Service(directory, config=CONFIG + config, **more)
        try:
            market = Market(service.start())
            crowd = market.tilth.user()
            for price in ("100", "200", "300", "400"):
                market.report(market.farm(user=crowd), price)
            one = market.farm()
            market.report(one, "5000")
            before = [row["maxPrice"] for row in ask(market.asker, "Japan")["data"]]
            other = market.farm()
            seen = market.report(other, "600")
            with_three = [row["maxPrice"] for row in ask(market.asker, "Japan")["data"]]
            market.remove(seen)
            assert [row["maxPrice"] for row in ask(market.asker, "Japan")["data"]] == before
            service.stop()
            return before, with_three
        finally:
            service.kill()
    assert shown(tmp_path / "one", "") == ([5000], [5000])
    assert shown(tmp_path / "two", "\n[market]\nmin_owners = 2\n") == ([5000], [5000])
    assert shown(tmp_path / "three", "\n[market]\nmin_owners = 3\n") == ([], [5000])


@pytest.mark.embedded_log
def test_a_country_may_be_spelled_in_any_way(market):
    five(market)
    for spelled in ("Japan", "japan", "JP"):
        shown = ask(market.asker, spelled)
        assert [row["region"] for row in shown["data"]] == [spelled]
        assert shown["meta"] == {"country": "Japan", "currency": "JPY", "minSampleSize": 5, "count": 1}
    path = "/market/regional-prices"
    invalid(market.asker.get(path), "country")
    for wrong in ("Atlantis", "", "x" * 2000):
        invalid(market.asker.get(f"{path}?country={wrong}"), "country")
    invalid(market.asker.get(f"{path}?country=JP&country=JP"), "country")
    refused(market.asker.with_key(scopes=["farms:read"]).get(path + "?country=JP"), 403, "INSUFFICIENT_SCOPE")
    assert market.asker.get(path + "?country=JP", {"Tilth-As-Of": "2026-02-01T00:00:00Z"}).status == 400


@pytest.mark.embedded_log
def test_nothing_is_told_below_the_threshold(market):
    farms = five(market)
    only = market.report(farms[0], "123456", name="Rare")
    body = market.asker.get("/market/regional-prices?country=JP").body.decode()
    assert "Rare" not in body and "123456" not in body
    assert not any(farm["id"] in body or farm["user"].id in body for farm in farms)
    market.remove(only)
    market.move(farms[0], "Kuwait")
    assert market.check() == [] and market.check("Kuwait") == []


@pytest.mark.embedded_log
def test_prices_are_those_of_a_year(market):
    farms = five(market, "12345", date="2025-03-02")  # 365 days including today, the first of March
    assert len(market.check()) == 1
    for farm in farms:
        market.report(farm, "9", name="Old", date="2025-03-01")
        market.sell(market.crop(farm, "Future"), "9", date="2026-03-02")
    assert [row["cropName"] for row in market.check()] == ["Wheat"]
    market.tilth.set_clock("2026-03-01T23:59:59.999Z")
    assert [row["cropName"] for row in market.check()] == ["Wheat"]
    market.tilth.advance("PT0.001S")
    assert [row["cropName"] for row in market.check()] == ["Future"]
    market.tilth.advance("P364D")
    assert [row["cropName"] for row in market.check()] == ["Future"]
    market.tilth.advance("P1D")
    assert market.check() == []


@pytest.mark.embedded_log
def test_averages_are_weighed_by_tons(market):
    farms = [market.farm() for _ in range(5)]
    market.report(farms[0], "1000")  # without a quantity: one ton
    market.report(farms[1], "2", unit="per_kg", quantity="500")
    market.report(farms[2], "1", unit="per_lb", quantity="2000")
    market.report(farms[3], "90", unit="per_bushel", quantity="40")
    market.sell(market.crop(farms[4]), "3000", quantity="2.5")
    shown = market.check()[0]
    assert (shown["minPrice"], shown["maxPrice"]) == (1000, 3307)


def test_a_middle_is_rounded_to_the_even_one(market):
    """Also if every price was divided by a rate, and only their sum is a finite decimal."""
    for currency, prices in (("JPY", ["1", "2", "1", "2", "1.5"]), ("USD", ["1", "2", "1", "2", "1.5"])):
        market.publish("2026-02-20", USD="3", JPY="3" if currency == "JPY" else "5")
        farms = five(market, prices, name=f"In {currency}", currency=currency)
        market.check()
    thirds = [market.farm() for _ in range(6)]
    market.publish("2026-02-20", USD="3", JPY="1")
    for farm, price in zip(thirds, ("1", "2", "4", "5", "7", "8")):  # a third of each: 27/3 over six is 1.5
        market.report(farm, price, name="Thirds", currency="USD")
    shown = {row["cropName"]: row for row in market.check()}
    assert shown["Thirds"]["avgPrice"] == 2


@pytest.mark.embedded_log
def test_a_row_without_a_rate_does_not_count_until_there_is_one(market):
    farms = five(market, currency="USD")
    assert market.check() == []
    market.publish("2026-02-21", USD="1.1", JPY="160")
    assert market.check() == []  # published after the day
    market.publish("2026-02-19", USD="1.1")
    assert market.check() == []  # JPY has no rate by then
    market.publish("2026-02-10", JPY="150")
    before = market.check()
    assert len(before) == 1
    market.publish("2026-02-20", USD="1.3")
    assert market.check() != before
    market.report(farms[0], "7", currency="EUR")
    market.report(farms[1], "7", currency="CHF")
    assert market.check()[0]["sampleSize"] == 5


def test_names_are_canonical(market):
    farms = [market.farm() for _ in range(5)]
    market.report(farms[0], "1", name="wheat")
    market.report(farms[1], "1", name="  WHEAT ")
    market.sell(market.crop(farms[2], "anything", kind="Wheat"), "1")
    market.sell(market.crop(farms[3], "whEAT"), "1")
    market.report(farms[4], "1", name="Wheat")
    for farm in farms:
        market.report(farm, "2", name="  RED \t rice ")
        market.report(farm, "2", name="secret")
    assert [row["cropName"] for row in market.check()] == ["Red rice", "Secret", "Wheat"]
    for name in ("WHEAT", " wheat ", "red  RICE", "Red rice", "rice", ""):
        market.check("Japan", name)
    assert len(market.check("Japan", "red  RICE")) == 1


@pytest.mark.embedded_log
def test_the_library_changes_names(market):
    farms = [market.farm() for _ in range(5)]
    for farm in farms:
        market.sell(market.crop(farm, "anything", kind="Wheat"), "1")
        market.report(farm, "2", name="wheat")
        market.report(farm, "3", name="emmer")
    wheat, olive = market.kind("Wheat"), market.kind("Olive")
    assert [row["cropName"] for row in market.check()] == ["Emmer", "Wheat"]
    market.describe({"crops": [{"id": wheat, "name": "EMMER"}]})
    assert [row["cropName"] for row in market.check()] == ["EMMER", "Wheat"]
    market.describe({"crops": [{"id": wheat, "isActive": False}]})
    assert [row["cropName"] for row in market.check()] == ["EMMER", "Emmer", "Wheat"]
    market.describe({"crops": [{"id": wheat, "name": "Spelt"}]})
    market.describe({"crops": [{"id": olive, "name": "emmeR"}]})
    assert [row["cropName"] for row in market.check()] == ["Spelt", "Wheat", "emmeR"]


@pytest.mark.embedded_log
def test_each_name_that_is_shown_asks_for_its_row(market):
    farms = [market.farm() for _ in range(5)]
    for farm in farms:
        market.sell(market.crop(farm, "anything", kind="Date Palm"), "1")
        market.report(farm, "2", name="date  PALM")
    market.describe({"crops": [{"id": market.kind("Date Palm"), "isActive": False}]})
    shown = market.check()
    assert [row["cropName"] for row in shown] == ["Date Palm", "Date palm"]
    for row in shown:
        assert ask(market.asker, "Japan", cropName=row["cropName"])["data"] == [row]


@pytest.mark.embedded_log
def test_crops_change_names(market):
    farms = [market.farm() for _ in range(5)]
    crops = [market.crop(farm, "Rye") for farm in farms]
    for crop in crops:
        market.sell(crop, "5")
    assert [row["cropName"] for row in market.check()] == ["Rye"]
    market.rename(crops[0], cropType="Barley")
    assert market.check() == []
    market.rename(crops[0], adminCropId=market.kind("Olive"))
    for crop in crops[1:]:
        market.rename(crop, cropType="olive")
    assert [row["cropName"] for row in market.check()] == ["Olive"]
    market.rename(crops[0], adminCropId=None)
    assert market.check() == []


def test_what_is_removed_does_not_count(market):
    for remove in (lambda farm, crop: market.remove_farm(farm), lambda farm, crop: market.remove_crop(crop),
                   lambda farm, crop: market.remove_field(farm, farm["fields"][0])):
        farms = [market.farm() for _ in range(5)]
        crops = [market.crop(farm) for farm in farms]
        for crop in crops:
            market.sell(crop, "5")
        assert len(market.check()) == 1
        remove(farms[0], crops[0])
        assert market.check() == []
        for farm in farms[1:]:
            market.remove_farm(farm)


@pytest.mark.embedded_log
def test_a_farm_of_more_offers_than_one_event_moves_moves_whole(market):
    farms = five(market)
    for i in range(450):
        market.report(farms[0], str(i + 1))
    market.check()
    market.move(farms[0], "Kuwait")
    assert market.check() == []
    market.move(farms[0], "JP")
    market.check()
    market.remove_farm(farms[0])
    assert market.check() == []


@pytest.mark.embedded_log
def test_prices_are_the_same_after_a_restart(market):
    five(market)
    before = market.check()
    market.tilth.restart()
    market.asker = market.tilth.client_of(market.asker)
    assert market.check() == before
    market.tilth.advance("P300D")
    market.tilth.restart()
    market.asker = market.tilth.client_of(market.asker)
    market.check()


NAMES = ["Wheat", "wheat", " date  palm", "DATE PALM", "Secret", "Olive", "olive ", "Rye", "rYe", "2-Row"]
PRICES = ["1", "2.5", "0.01", "0.005", "333.33333333", "1000", "0.00000001", "123456789.12345678", "19.99", "1.5"]
QUANTITIES = ["1", "0.5", "3", "0.00000001", "1234.5678", "7", "1000000"]
CURRENCIES = ["JPY", "KWD", "CHF", "EUR", "USD"]
COUNTRIES = ["Japan", "Kuwait", "Switzerland", None]


class Chance:
    """Random actions on a market, from a seed."""

    def __init__(self, market, seed):
        self.market, self.random = market, random.Random(seed)
        self.users = [market.tilth.user() for _ in range(4)]

    def day(self, before=420, after=30):
        today = datetime.date.fromisoformat(self.market.tilth.now()[:10])
        return (today + datetime.timedelta(self.random.randint(-before, after))).isoformat()

    def listed(self):
        return [crop["name"] for crop in self.market.library.crops.values() if crop["isVerified"]]

    def one(self, things):
        return self.random.choice(list(things.values())) if things else None

    def farm(self):
        self.market.farm(self.random.choice(COUNTRIES), self.random.choice(self.users))

    def crop(self):
        if farm := self.one(self.market.farms):
            if farm["fields"]:
                self.market.crop(farm, self.random.choice(NAMES), self.random.choice([None, *self.listed()]))

    def report(self):
        if farm := self.one(self.market.farms):
            name = self.random.choice(NAMES)
            units = ["per_kg", "per_ton", "per_lb"]
            if name.strip().casefold() == "wheat" and "Wheat" in self.listed():
                units.append("per_bushel")
            self.market.report(farm, self.random.choice(PRICES), name, self.random.choice(units),
                               self.random.choice([None, *QUANTITIES]), self.random.choice(CURRENCIES),
                               self.day(after=0))

    def sell(self):
        if crop := self.one(self.market.crops):
            self.market.sell(crop, self.random.choice(PRICES), self.random.choice(QUANTITIES),
                             self.random.choice(["kg", "ton", "lb"]), self.random.choice(CURRENCIES), self.day())

    def remove(self):
        if offer := self.one(self.market.offers):
            self.market.remove(offer)

    def rename(self):
        if crop := self.one(self.market.crops):
            self.market.rename(crop, **self.random.choice([
                {"cropType": self.random.choice(NAMES)}, {"adminCropId": None},
                *({"adminCropId": self.market.kind(name)} for name in self.listed())]))

    def move(self):
        if farm := self.one(self.market.farms):
            self.market.move(farm, self.random.choice(COUNTRIES))

    def remove_something(self):
        farm, crop = self.one(self.market.farms), self.one(self.market.crops)
        what = self.random.randrange(3)
        if what == 0 and len(self.market.farms) > 12:
            self.market.remove_farm(farm)
        elif what == 1 and crop:
            self.market.remove_crop(crop)
        elif what == 2 and farm["fields"]:
            self.market.remove_field(farm, farm["fields"][0])
            farm["fields"].append(farm["user"].field({"id": farm["id"]}))

    def describe(self):
        name = self.random.choice(["Wheat", "Date Palm", "Olive", "Secret"])
        self.market.describe({"crops": [{"id": self.market.kind(name), "isVerified": self.random.random() < 0.7}]})

    def publish(self):
        values = self.random.sample([code for code in CURRENCIES if code != "EUR"], self.random.randint(1, 4))
        self.market.publish(self.day(after=3), **{code: self.random.choice(["3", "7", "1.0834", "162.35", "0.3075"])
                                                  for code in values})

    def pass_time(self):
        self.market.tilth.advance(self.random.choice(["PT7H", "P1D", "P13D", "P40D"]))

    def step(self):
        steps = {self.report: 30, self.sell: 30, self.farm: 4, self.crop: 8, self.remove: 6, self.rename: 4,
                 self.move: 3, self.remove_something: 1, self.describe: 1, self.publish: 6, self.pass_time: 2}
        self.random.choices(list(steps), list(steps.values()))[0]()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.embedded_log
def test_prices_are_what_every_row_comes_to(market, seed):
    chance = Chance(market, seed)
    for _ in range(14):
        chance.farm(), chance.crop()
    shown = 0
    for number in range(700):
        chance.step()
        if number % 7 == 0:
            shown += len(market.check(chance.random.choice(list(SHORT)),
                                      chance.random.choice([None, None, *NAMES])))
    assert shown > 0, "the seed never exceeded the threshold"
    market.tilth.restart()
    market.asker = market.tilth.client_of(market.asker)
    for country in ("Japan", "Kuwait", "Switzerland"):
        market.check(country)
