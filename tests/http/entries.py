"""Entries, which are recorded once and never amended: the list, the members and the parents of each kind."""
import dataclasses

from members import (REQUIRED, Member, choice, date, decimal, instant, integer, place, text)

FIELD = "/farms/{id}/fields/{fieldId}"
BLOCK = FIELD + "/blocks/{blockId}"
NUTRIENTS = [decimal(name, 0, None) for name in
             "nitrogen phosphorus potassium calcium magnesium sodium sulfur zinc manganese iron copper boron".split()]
CURRENCY = Member("currency", ["EUR", "JPY"], ["eur", "XQX", "", 5, True], "USD")
SPENT_ON = ("seeds fertilizer pesticide irrigation fuel equipment labor land transport utilities packaging "
            "services other")
SPENT_ON_ALL = "rent insurance tax salaries maintenance utilities administration interest depreciation other"


@dataclasses.dataclass
class Kind:
    name: str
    path: str  # of the list
    slot: str  # the name of the id in the path of one
    family: str  # of scopes
    parents: str  # members that name its parents
    body: dict  # the smallest valid one
    members: list
    methods: str = "GET DELETE"
    fixed: str = "id createdAt updatedAt"  # members that the service sets

    def __str__(self):
        return self.name

    @property
    def one(self):
        return f"{self.path}/{{{self.slot}}}"

    @property
    def time(self):
        return next(member.name for member in self.members if member.name in self.body
                    and member.name in "startedAt appliedAt sampledAt transactionDate saleDate observedOn")

    @property
    def record(self):
        return set(self.parents.split()) | set(self.fixed.split()) | {member.name for member in self.members}


def required(member):
    member.default = REQUIRED
    return member


IRRIGATIONS = Kind(
    "irrigations", FIELD + "/irrigations", "opId", "fields", "farmId fieldId",
    {"startedAt": "2026-02-10T04:00:00Z", "durationMinutes": 60, "waterVolume": 12},
    [required(instant("startedAt")), integer("durationMinutes", 0, 10080, REQUIRED),
     decimal("waterVolume", 0, None, REQUIRED), choice("volumeUnit", "m3 liter", "m3"),
     choice("method", "drip sprinkler flood pivot manual none"), text("notes", 5000)])
SOIL_SAMPLES = Kind(
    "soil-samples", FIELD + "/soil-samples", "opId", "fields", "farmId fieldId depthFromCm depthToCm",
    {"sampledAt": "2026-02-10T04:00:00Z"},
    [required(instant("sampledAt")), text("lab", 200),
     choice("texture", "sand loamy_sand sandy_loam loam silt_loam silt sandy_clay_loam clay_loam silty_clay_loam "
                       "sandy_clay silty_clay clay"),
     decimal("ph", 0, 14), decimal("ec", 0, None), decimal("organicMatter", 0, None), *NUTRIENTS,
     decimal("cec", 0, None), place("location"), text("notes", 5000)])
FERTIGATIONS = Kind(
    "fertigations", BLOCK + "/fertigations", "opId", "fields", "farmId fieldId blockId",
    {"appliedAt": "2026-02-10T04:00:00Z", "product": "Urea", "amount": 3, "unit": "kg"},
    [required(instant("appliedAt")), text("product", 200, REQUIRED, empty=False),
     decimal("amount", 0, None, REQUIRED, above=True), required(choice("unit", "kg gram liter")),
     *[decimal(name, 0, 100) for name in ("nPercent", "pPercent", "kPercent")], decimal("waterVolume", 0, None),
     decimal("ec", 0, None), decimal("ph", 0, 14), text("notes", 5000)])
LEAF_SAMPLES = Kind(
    "leaf-samples", BLOCK + "/leaf-samples", "opId", "fields", "farmId fieldId blockId",
    {"sampledAt": "2026-02-10T04:00:00Z"},
    [required(instant("sampledAt")), text("lab", 200), choice("tissue", "leaf petiole"), text("growthStage", 100),
     *NUTRIENTS, text("notes", 5000)])
EXPENSES = Kind(
    "expenses", "/farms/{id}/expenses", "expenseId", "finance", "farmId cropId fieldId",
    {"amount": 80, "category": "fuel", "transactionDate": "2026-02-10"},
    [decimal("amount", 0, None, REQUIRED, above=True), CURRENCY, required(choice("category", SPENT_ON)),
     required(date("transactionDate")), text("note", 2000)])
OVERHEADS = Kind(
    "overheads", "/farms/{id}/overheads", "overheadId", "finance", "farmId",
    {"amount": 80, "category": "rent", "transactionDate": "2026-02-10"},
    [decimal("amount", 0, None, REQUIRED, above=True), CURRENCY, required(choice("category", SPENT_ON_ALL)),
     required(date("transactionDate")), choice("period", "one_time monthly yearly", "one_time"),
     text("note", 2000)])
SALES = Kind(
    "sales", "/crops/{id}/sales", "saleId", "finance", "cropId farmId",
    {"quantity": "1e-8", "unit": "kg", "pricePerUnit": "1e-8", "saleDate": "2026-02-10"},
    [decimal("quantity", 0, None, REQUIRED, above=True), required(choice("unit", "kg ton lb")),
     decimal("pricePerUnit", 0, None, REQUIRED, above=True), CURRENCY, required(date("saleDate")),
     text("buyer", 200), text("note", 2000)], fixed="id createdAt updatedAt totalAmount")
PRICE_REPORTS = Kind(
    "price-reports", "/market/price-reports", "id", "market", "farmId",
    {"cropName": "Dates", "price": 3, "unit": "per_kg", "observedOn": "2026-02-10"},
    [text("cropName", 100, REQUIRED, empty=False), decimal("price", 0, None, REQUIRED, above=True),
     required(Member("unit", "per_kg per_ton per_lb".split(), ["kg", "", 1])),
     decimal("quantity", 0, None, above=True), CURRENCY,
     required(Member("observedOn", ["2026-03-01", ("2026-03-01T23:59:59-08:00", "2026-03-01"), "2024-02-29"],
                     ["2026-03-02", "2026-03-02T00:00:00+14:00", "2026-02-30", "x", "", 20260501, True]))],
    methods="DELETE", fixed="id createdAt")

KINDS = [IRRIGATIONS, SOIL_SAMPLES, FERTIGATIONS, LEAF_SAMPLES, EXPENSES, OVERHEADS, SALES, PRICE_REPORTS]
