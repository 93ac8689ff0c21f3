"""The expected regional prices, computed from every row with fractions."""
import datetime
from decimal import Decimal
from fractions import Fraction

from money_oracle import MINOR

KILOGRAMS = {"kg": 1, "ton": 1000, "lb": "0.45359237", "per_kg": 1, "per_ton": 1000, "per_lb": "0.45359237"}
SHORT = {"JP": "Japan", "Japan": "Japan", "japan": "Japan", "KWT": "Kuwait", "Kuwait": "Kuwait",
         "State of Kuwait": "Kuwait", "Switzerland": "Switzerland", "che": "Switzerland"}
MONEY = {"Japan": "JPY", "Kuwait": "KWD", "Switzerland": "CHF"}


def tidied(text):
    name = " ".join(text.split()).lower()
    return name[:1].upper() + name[1:]


class Library:
    """The library's crops by id, as they are currently described."""

    def __init__(self):
        self.crops = {}

    def canonical(self, text, kind=None):
        if kind:
            return self.crops[kind]["name"]
        for crop in self.crops.values():
            if crop["isVerified"] and crop["isActive"] and crop["name"].casefold() == text.strip().casefold():
                return crop["name"]
        return tidied(text)


def number(fraction, digits):
    """Rounded half-even, as a JSON number."""
    return float(Decimal(round(fraction * 10 ** digits)).scaleb(-digits))


def regional_prices(offers, library, rates, spelled, today, crop_name=None):
    """`offers` have a source, a farm with its country, a name and a kind, a date, a currency, a price, a unit, a
    quantity and the weight of a bushel."""
    country = SHORT[spelled]
    currency, crops = MONEY[country], {}
    today = datetime.date.fromisoformat(today[:10])
    first = today - datetime.timedelta(364)
    for offer in offers:
        day = datetime.date.fromisoformat(offer["date"])
        factor = rates.factor(offer["currency"], currency, offer["date"])
        if offer["farm"]["country"] != country or not first <= day <= today or factor is None:
            continue
        kilograms = Fraction(offer["bushel"] if offer["unit"] == "per_bushel" else KILOGRAMS[offer["unit"]])
        price = Fraction(offer["price"]) * 1000 / kilograms * factor[0]
        tons = Fraction(offer["quantity"]) * kilograms / 1000 if offer["quantity"] else Fraction(1)
        name = library.canonical(offer["name"], offer["kind"])
        crops.setdefault(name, []).append((offer["farm"]["id"], offer["source"], price, tons))
    data, digits = [], MINOR[currency]
    for name, rows in sorted(crops.items()):
        farms = {source: {farm for farm, of, _, _ in rows if of == source} for source in ("report", "sale")}
        if len(farms["report"] | farms["sale"]) < 5:
            continue
        data.append({"cropName": name, "region": spelled,
                     "avgPrice": number(sum(price * tons for _, _, price, tons in rows)
                                        / sum(tons for _, _, _, tons in rows), digits),
                     "minPrice": number(min(price for _, _, price, _ in rows), digits),
                     "maxPrice": number(max(price for _, _, price, _ in rows), digits),
                     "currency": currency, "unit": "per_ton",
                     "sampleSize": len(farms["report"] | farms["sale"]),
                     "sources": {"userReported": len(farms["report"]), "sales": len(farms["sale"])}})
    if crop_name is not None:
        wanted = crop_name if any(row["cropName"] == crop_name for row in data) else library.canonical(crop_name)
        data = [row for row in data if row["cropName"] == wanted]
    return {"data": data, "meta": {"country": country, "currency": currency, "minSampleSize": 5, "count": len(data)}}
