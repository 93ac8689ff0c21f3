"""The expected financial summary, computed from every row with fractions."""
import bisect
from decimal import Decimal
from fractions import Fraction

MINOR = {"USD": 2, "EUR": 2, "GBP": 2, "JPY": 0, "KWD": 3, "CHF": 2}


def text(value, digits=8):
    """A fraction, rounded half-even to that many digits, in canonical form."""
    units = round(value * 10 ** digits)
    plain = f"{Decimal(units).scaleb(-digits):f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


class Rates:
    def __init__(self):
        self.days = {}  # by currency: {day: (rate, source)}

    def put(self, currency, day, rate, source):
        """Stores a rate; returns whether it is new or different."""
        before = self.days.setdefault(currency, {}).get(day)
        self.days[currency][day] = (Fraction(rate), source)
        return before is None or before[0] != Fraction(rate)

    def on(self, currency, day):
        if currency == "EUR":
            return Fraction(1), None
        published = sorted(self.days.get(currency, {}))
        at = bisect.bisect_right(published, day)
        return self.days[currency][published[at - 1]] if at else None

    def factor(self, currency, base, day):
        """The factor for an amount, and the sources of its rates; None without a rate."""
        if currency == base:
            return Fraction(1), set()
        of_currency, of_base = self.on(currency, day), self.on(base, day)
        if of_currency is None or of_base is None:
            return None
        sources = {source for _, source in (of_currency, of_base) if source}
        return of_base[0] / of_currency[0], sources


def summary(rows, rates, farm, base, start=None, end=None):
    """`rows` have a book, a category, a currency, a day and an amount."""
    rows = [row for row in rows if (not start or row["day"] >= start) and (not end or row["day"] <= end)]
    digits, sources, unconverted, totals = MINOR[base], set(), set(), {}
    answer = {"farmId": farm, "baseCurrency": base, "from": start, "to": end}
    for book in ("revenue", "expenses", "overheads"):
        currencies, categories = {}, {}
        for row in (row for row in rows if row["book"] == book):
            original, covered, converted, count = currencies.get(row["currency"], (0, 0, 0, 0))
            categories.setdefault(row["category"], Fraction(0))
            factor = rates.factor(row["currency"], base, row["day"])
            if factor:
                worth = row["amount"] * factor[0]
                sources |= factor[1]
                categories[row["category"]] += worth
                covered, converted, count = covered + row["amount"], converted + worth, count + 1
            else:
                unconverted.add(row["currency"])
            currencies[row["currency"]] = original + row["amount"], covered, converted, count
        totals[book] = sum((each[2] for each in currencies.values()), Fraction(0))
        answer[book] = {"total": text(totals[book], digits), "byCurrency": {
            currency: {"original": text(original), "converted": text(converted, digits) if count else None,
                       "rate": text(converted / covered) if covered else None}
            for currency, (original, covered, converted, count) in currencies.items()}}
        if book != "revenue":
            answer[book]["byCategory"] = {name: text(worth, digits) for name, worth in categories.items()}
    answer["net"] = text(totals["revenue"] - totals["expenses"] - totals["overheads"], digits)
    answer["rateSource"] = ", ".join(sorted(sources)) or None
    answer["unconvertedCurrencies"] = sorted(unconverted)
    return answer
