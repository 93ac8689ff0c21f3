"""A market and its farms: every action is sent to the service, and recorded for the oracle."""
import urllib.parse

from market_oracle import Library, regional_prices
from money_oracle import Rates
from service import path_of

CROPS = {"crops": [{"name": "Wheat", "bushelWeightKg": "27.2155422"}, {"name": "Date Palm"},
                   {"name": "Secret", "isVerified": False}, {"name": "Olive"}]}


def ask(user, country, **query):
    reply = user.get("/market/regional-prices?" + urllib.parse.urlencode({"country": country, **query}))
    assert reply.status == 200, reply
    assert reply.header("ETag") is None
    return reply.json


class Market:
    """Its own service, its users, and all offers of their farms."""

    def __init__(self, tilth):
        self.tilth, self.rates, self.library = tilth, Rates(), Library()
        self.farms, self.crops, self.offers = {}, {}, {}
        self.asker = tilth.user()
        self.describe(CROPS)

    def describe(self, document):
        self.tilth.operate("POST", "/operator/v1/library", document)
        shown = self.tilth.operate("GET", "/operator/v1/library").json
        self.library.crops = {crop["id"]: crop for crop in shown["crops"]}

    def kind(self, name):
        return next(id_ for id_, crop in self.library.crops.items() if crop["name"] == name)

    def publish(self, day, **values):
        text = f"Date,{','.join(values)}\n{day},{','.join(values.values())}\n"
        reply = self.tilth.operator.send("POST", "/operator/v1/exchange-rates", text,
                                         headers={"Content-Type": "text/csv"})
        assert reply.status == 200, reply
        for currency, value in values.items():
            self.rates.put(currency, day, value, "ECB")

    def farm(self, country="Japan", user=None):
        user = user or self.tilth.user()
        made = user.farm(country=country)
        farm = {"id": made["id"], "country": made["country"], "user": user, "fields": [user.field(made)]}
        self.farms[farm["id"]] = farm
        return farm

    def crop(self, farm, name="Wheat", kind=None):
        made = farm["user"].crop(farm["fields"][0], cropType=name,
                                 **({"adminCropId": self.kind(kind)} if kind else {}))
        crop = {"id": made["id"], "farm": farm, "field": made["fieldId"], "name": name, "kind": made["adminCropId"]}
        self.crops[crop["id"]] = crop
        return crop

    def report(self, farm, price, name="Wheat", unit="per_ton", quantity=None, currency="JPY", date="2026-02-20"):
        made = farm["user"].made("/market/price-reports", {
            "farmId": farm["id"], "cropName": name, "price": price, "unit": unit, "quantity": quantity,
            "currency": currency, "observedOn": date})
        bushel = None
        if unit == "per_bushel":
            bushel = next(crop["bushelWeightKg"] for crop in self.library.crops.values()
                          if crop["name"] == self.library.canonical(name))
            bushel = repr(bushel) if isinstance(bushel, float) else str(bushel)
        self.offers[made["id"]] = {"id": made["id"], "source": "report", "farm": farm, "name": name, "kind": None,
                                   "date": date, "currency": currency, "price": price, "unit": unit,
                                   "quantity": quantity, "bushel": bushel, "crop": None}
        return self.offers[made["id"]]

    def sell(self, crop, price, quantity="1", unit="ton", currency="JPY", date="2026-02-20"):
        made = crop["farm"]["user"].made(f"/crops/{crop['id']}/sales", {
            "quantity": quantity, "unit": unit, "pricePerUnit": price, "currency": currency, "saleDate": date})
        self.offers[made["id"]] = {"id": made["id"], "source": "sale", "farm": crop["farm"], "crop": crop, "date": date,
                                   "currency": currency, "price": price, "unit": unit, "quantity": quantity}
        return self.offers[made["id"]]

    def remove(self, offer):
        path = (f"/crops/{offer['crop']['id']}/sales/" if offer["crop"] else "/market/price-reports/") + offer["id"]
        assert offer["farm"]["user"].delete(path).status == 204
        del self.offers[offer["id"]]

    def remove_crop(self, crop):
        assert crop["farm"]["user"].delete(f"/crops/{crop['id']}").status == 204
        self.forget(lambda offer: offer["crop"] is crop)
        del self.crops[crop["id"]]

    def remove_field(self, farm, field):
        assert farm["user"].delete(path_of(field)).status == 204
        farm["fields"].remove(field)
        gone = [crop for crop in self.crops.values() if crop["field"] == field["id"]]
        self.forget(lambda offer: offer["crop"] in gone)
        for crop in gone:
            del self.crops[crop["id"]]

    def remove_farm(self, farm):
        assert farm["user"].delete(f"/farms/{farm['id']}").status == 204
        self.forget(lambda offer: offer["farm"] is farm)
        self.crops = {id_: crop for id_, crop in self.crops.items() if crop["farm"] is not farm}
        del self.farms[farm["id"]]

    def forget(self, which):
        self.offers = {id_: offer for id_, offer in self.offers.items() if not which(offer)}

    def move(self, farm, country):
        changed = farm["user"].put(f"/farms/{farm['id']}", {"country": country})
        assert changed.status == 200, changed
        farm["country"] = changed.data["country"]

    def rename(self, crop, **members):
        changed = crop["farm"]["user"].put(f"/crops/{crop['id']}", members)
        assert changed.status == 200, changed
        crop["name"], crop["kind"] = changed.data["cropType"], changed.data["adminCropId"]

    def expected(self, country, crop_name=None):
        offers = [{**offer, "name": offer["crop"]["name"], "kind": offer["crop"]["kind"]} if offer["crop"] else offer
                  for offer in self.offers.values()]
        return regional_prices(offers, self.library, self.rates, country, self.tilth.now(), crop_name)

    def check(self, country="Japan", crop_name=None):
        shown = ask(self.asker, country, **({"cropName": crop_name} if crop_name is not None else {}))
        expected = self.expected(country, crop_name)
        assert shown == expected, (country, crop_name, shown, expected)
        return shown["data"]
