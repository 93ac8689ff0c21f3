"""The records that the service keeps or computes.

Made by clients/generate.py of the OpenAPI document; do not edit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

from ._records import Record


@dataclass(frozen=True)
class AdminCrop(Record):
    """An admin crop."""
    id: str
    """The record's id."""
    name: str
    """What it is called."""
    scientific_name: Optional[str]
    """The botanical name."""
    category: Optional[str]
    """What kind it is."""
    lifecycle: Optional[Literal["annual", "biennial", "perennial"]]
    """How long the plant lives."""
    days_to_maturity: Optional[int]
    """Days from planting to harvest."""
    spacing_x: Optional[float]
    """Between rows, in meters."""
    spacing_y: Optional[float]
    """Between plants, in meters."""
    plant_density: Optional[float]
    """Plants per hectare."""
    yield_per_hectare: Optional[YieldRange]
    """The yield of one hectare."""
    soil_ph_min: Optional[float]
    """The lowest pH value that suits it."""
    soil_ph_max: Optional[float]
    """The highest pH value that suits it."""
    temperature_min_c: Optional[float]
    """The lowest temperature that it tolerates, in degrees Celsius."""
    temperature_max_c: Optional[float]
    """The highest temperature that it tolerates, in degrees Celsius."""
    water_requirement_mm: Optional[float]
    """From planting to harvest, or of a year."""
    kc_initial: Optional[float]
    """Crop coefficient, FAO-56."""
    kc_mid: Optional[float]
    """The crop coefficient in mid-season (FAO-56)."""
    kc_end: Optional[float]
    """The crop coefficient at the end (FAO-56)."""
    ky: Optional[float]
    """Yield response to water, FAO-33."""
    bushel_weight_kg: Optional[float]
    """The weight of a bushel, in kilograms."""
    is_verified: bool
    """Whether an operator has checked it."""
    is_active: bool
    """Whether it is in use."""
    created_at: datetime
    """When it was created."""


@dataclass(frozen=True)
class AdminCropName(Record):
    """An admin crop name."""
    id: str
    """The record's id."""
    name: str
    """What it is called."""
    scientific_name: Optional[str]
    """The botanical name."""


@dataclass(frozen=True)
class Block(Record):
    """A block."""
    id: str
    """The record's id."""
    farm_id: str
    """The farm that it belongs to."""
    field_id: str
    """The field that it is about."""
    crop_id: str
    """A crop of the same field."""
    variety_id: Optional[str]
    """The variety of the library, if it is one."""
    name: str
    """What it is called."""
    description: Optional[str]
    """What it is, in the owner's words."""
    planting_date: Optional[date]
    """The day of planting."""
    plant_count: Optional[int]
    """How many plants there are."""
    spacing_x: Optional[Decimal]
    """Between rows, in meters."""
    spacing_y: Optional[Decimal]
    """Between plants, in meters."""
    plant_density: Optional[Decimal]
    """Plants per hectare; follows from the spacings where it is not given."""
    area: Optional[Decimal]
    """In the farm's areaUnit."""
    geometry: Optional[Geometry]
    """A GeoJSON Polygon or Point."""
    grid_metadata: Optional[GridMetadata]
    """How the plants are arranged."""
    status: Literal["planned", "planted", "established", "mature", "declined", "harvested", "removed"]
    """Where it stands."""
    notes: Optional[str]
    """Free text."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""


@dataclass(frozen=True)
class ClimateRange(Record):
    """A climate range."""
    temperature_min_c: Optional[float]
    """The lowest temperature that it tolerates, in degrees Celsius."""
    temperature_max_c: Optional[float]
    """The highest temperature that it tolerates, in degrees Celsius."""


@dataclass(frozen=True)
class CostSummary(Record):
    """A cost summary."""
    total: Decimal
    """All of it that has a rate, in the base currency."""
    by_currency: Dict[str, CostSummaryByCurrency]
    """By the codes of currencies."""
    by_category: Dict[str, Decimal]
    """Converted amounts, by the categories that have any."""


@dataclass(frozen=True)
class CostSummaryByCurrency(Record):
    """A cost summary by currency."""
    original: Decimal
    """The sum in its own currency."""
    converted: Optional[Decimal]
    """The sum in the base currency; null: there is no rate."""
    rate: Optional[Decimal]
    """The exchange rate that follows from the sums."""


@dataclass(frozen=True)
class Crop(Record):
    """A crop."""
    id: str
    """The record's id."""
    farm_id: str
    """The farm that it belongs to."""
    field_id: str
    """The field that it is about."""
    crop_type: str
    """What is grown, by name."""
    variety: Optional[str]
    """The variety, by name."""
    admin_crop_id: Optional[str]
    """The crop of the library, if it is one."""
    variety_id: Optional[str]
    """The variety of the library, if it is one."""
    planting_date: Optional[date]
    """The day of planting."""
    expected_harvest_date: Optional[date]
    """Not before plantingDate."""
    actual_harvest_date: Optional[date]
    """Set to today when the crop becomes harvested, unless given."""
    area: Optional[Decimal]
    """In the farm's areaUnit."""
    plant_count: Optional[int]
    """How many plants there are."""
    expected_yield: Optional[Decimal]
    """What should be harvested, in yieldUnit."""
    actual_yield: Optional[Decimal]
    """What was harvested, in yieldUnit."""
    yield_unit: Literal["kg", "ton", "lb"]
    """The unit of expectedYield and actualYield."""
    status: Literal["planned", "planted", "growing", "harvested", "failed"]
    """Where it stands."""
    notes: Optional[str]
    """Free text."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""


@dataclass(frozen=True)
class CropPrediction(Record):
    """A crop prediction."""
    crop_id: str
    """The crop that it is about."""
    crop_type: str
    """What is grown, by name."""
    field_id: str
    """The field that it is about."""
    area_hectares: float
    """The area in hectares."""
    predicted_yield: float
    """The harvest that is likely, in unit."""
    unit: Literal["ton"]
    """The unit of the amount."""
    yield_per_hectare: float
    """The yield of one hectare."""
    lower_bound: float
    """The least that is likely."""
    upper_bound: float
    """The most that is likely."""
    confidence: Literal["high", "medium", "low"]
    """How much the prediction is based on."""
    method: Literal["own_history", "variety", "library"]
    """The way in which it was done."""
    factors: List[PredictionFactor]
    """What it was computed from."""
    expected_harvest_date: Optional[date]
    """When it should be ready for harvest."""


@dataclass(frozen=True)
class Event(Record):
    """An event."""
    specversion: str
    """The version of CloudEvents."""
    id: str
    """The event's id; a copy that was sent twice has the same."""
    source: str
    """The node that decided."""
    type: str
    """What happened, such as tilth.task.completed."""
    subject: str
    """The owner."""
    time: datetime
    """When it was decided."""
    datacontenttype: str
    """Of data: application/json."""
    streamversion: int
    """How many events of the owner there are up to this one."""
    schemaversion: int
    """The version of the shape of data."""
    data: Dict[str, Any]
    """What happened, in the shape of its type and schemaversion."""
    position: str
    """Where the event is in the history, for `after`. Opaque."""
    correlationid: Optional[str]
    """The request that it began with."""
    causationid: Optional[str]
    """The request or event that caused it."""
    actor: Optional[str]
    """The key, the user, the operator or the clock that caused it."""
    idempotencykey: Optional[str]
    """The request's Idempotency-Key, if it had one."""
    traceparent: Optional[str]
    """The trace that it belongs to, as in W3C Trace Context."""


@dataclass(frozen=True)
class Expense(Record):
    """An expense."""
    id: str
    """The record's id."""
    farm_id: str
    """The farm that it belongs to."""
    crop_id: Optional[str]
    """A crop of the farm."""
    field_id: Optional[str]
    """A field of the farm; not together with cropId."""
    amount: Decimal
    """How much, in its currency or unit."""
    currency: str
    """The farm's base currency, unless said."""
    category: Literal["seeds", "fertilizer", "pesticide", "irrigation", "fuel", "equipment", "labor", "land", "transport", "utilities", "packaging", "services", "other"]
    """What kind it is."""
    transaction_date: date
    """The day on which it was paid."""
    note: Optional[str]
    """Free text."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""


@dataclass(frozen=True)
class Farm(Record):
    """A farm."""
    id: str
    """The record's id."""
    name: str
    """Unique among the owner's farms."""
    farm_type: str
    """What kind of farm it is."""
    primary_use: str
    """What the farm is mainly used for."""
    description: Optional[str]
    """What it is, in the owner's words."""
    address: Optional[str]
    """Street and number, or how to find it."""
    city: Optional[str]
    """The town."""
    region: Optional[str]
    """The region or state."""
    country: Optional[str]
    """A name or an ISO 3166-1 code."""
    location: Optional[LatLng]
    """The place."""
    boundaries: Optional[Polygon]
    """A GeoJSON Polygon."""
    timezone: str
    """A name of the tz database."""
    total_area: Decimal
    """In areaUnit."""
    area_unit: Literal["hectare", "acre", "square_meter", "square_foot", "feddan", "dunam"]
    """Changing it converts nothing."""
    currency: Optional[str]
    """The currency, as an ISO 4217 code."""
    soil_type: Optional[str]
    """What kind of soil it is."""
    irrigation_system: Optional[Literal["drip", "sprinkler", "flood", "pivot", "manual", "none"]]
    """How it is irrigated."""
    irrigation_flow_rate_per_emitter: Optional[Decimal]
    """Liters per hour."""
    emitters_per_plant: Optional[int]
    """Emitters for each plant."""
    drip_line_spacing_meters: Optional[Decimal]
    """Between drip lines, in meters."""
    status: Literal["active", "inactive", "archived", "draft"]
    """Where it stands."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""


@dataclass(frozen=True)
class Fertigation(Record):
    """A fertigation."""
    id: str
    """The record's id."""
    farm_id: str
    """The farm that it belongs to."""
    field_id: str
    """The field that it is about."""
    block_id: str
    """The block that it is about."""
    applied_at: datetime
    """When it was applied."""
    product: str
    """What was applied."""
    amount: Decimal
    """In unit."""
    unit: Literal["kg", "gram", "liter"]
    """The unit of the amount."""
    n_percent: Optional[Decimal]
    """Nitrogen, in percent."""
    p_percent: Optional[Decimal]
    """Phosphorus, in percent."""
    k_percent: Optional[Decimal]
    """Potassium, in percent."""
    water_volume: Optional[Decimal]
    """Cubic meters."""
    ec: Optional[Decimal]
    """Electrical conductivity, in the laboratory's unit."""
    ph: Optional[Decimal]
    """The pH value."""
    notes: Optional[str]
    """Free text."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""


@dataclass(frozen=True)
class Field(Record):
    """A field."""
    id: str
    """The record's id."""
    farm_id: str
    """The farm that it belongs to."""
    name: str
    """What it is called."""
    area: Decimal
    """In the farm's areaUnit."""
    soil_type: Optional[str]
    """What kind of soil it is."""
    soil_ph: Optional[Decimal]
    """The pH value of the soil."""
    status: Literal["active", "fallow", "preparing", "planted"]
    """Where it stands."""
    notes: Optional[str]
    """Free text."""
    description: Optional[str]
    """What it is, in the owner's words."""
    boundaries: Optional[Polygon]
    """A GeoJSON Polygon."""
    irrigation_flow_rate_per_emitter: Optional[Decimal]
    """Liters per hour; overrides the farm's."""
    emitters_per_plant: Optional[int]
    """Emitters for each plant."""
    drip_line_spacing_meters: Optional[Decimal]
    """Between drip lines, in meters."""
    custom_irrigation_system: Optional[Literal["drip", "sprinkler", "flood", "pivot", "manual", "none"]]
    """How this field is irrigated, if not as the farm is."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""


@dataclass(frozen=True)
class FinancialSummary(Record):
    """A financial summary."""
    farm_id: str
    """The farm that it belongs to."""
    base_currency: str
    """The currency of the totals."""
    from_: Optional[date]
    """The first day that counts; null: all before."""
    to: Optional[date]
    """The last day that counts; null: all after."""
    revenue: RevenueSummary
    """What was earned by sales."""
    expenses: CostSummary
    """What was spent on crops and fields."""
    overheads: CostSummary
    """What was spent on the farm as a whole."""
    net: Decimal
    """Revenue less the others."""
    rate_source: Optional[str]
    """Where the rates come from that were used."""
    unconverted_currencies: List[str]
    """Of amounts without a rate; they are in no total."""


@dataclass(frozen=True)
class GridMetadata(Record):
    """A grid metadata."""
    pattern: Literal["square", "hexagonal", "triangular", "custom"]
    """How the rows of plants lie."""
    row_count: Optional[int]
    """How many rows of plants there are."""
    column_count: Optional[int]
    """How many plants there are in a row."""
    row_orientation: Optional[float]
    """Degrees."""
    origin_lat_lng: Optional[List[float]]
    """[lat, lng]"""


@dataclass(frozen=True)
class HealthAlert(Record):
    """A health alert."""
    severity: Literal["info", "warning", "critical"]
    """How bad it is."""
    code: Literal["TASKS_OVERDUE", "PLANTS_DYING", "SOIL_PH_OUT_OF_RANGE", "HARVEST_OVERDUE"]
    """What needs attention."""
    message: str
    """The same in a sentence."""
    entity_type: Literal["farm", "field", "crop"]
    """What kind of record it is about."""
    entity_id: str
    """The record that it is about."""


@dataclass(frozen=True)
class HealthFactor(Record):
    """A health factor."""
    key: Literal["taskTimeliness", "plantVitality", "soilSuitability", "irrigationAdherence", "cropProgress"]
    """Which factor it is."""
    weight: int
    """How much the factor counts."""
    score: Optional[float]
    """From 0 to 100; null without data."""
    detail: str
    """How it came about, in a sentence."""


@dataclass(frozen=True)
class HealthScore(Record):
    """A health score."""
    farm_id: str
    """The farm that it belongs to."""
    score: Optional[int]
    """From 0 to 100; null without data."""
    grade: Optional[Literal["excellent", "good", "fair", "poor", "critical"]]
    """The score in a word; null without data."""
    factors: List[HealthFactor]
    """What it was computed from."""
    data_completeness: float
    """The share of the factors for which there are data, from 0 to 1."""
    alerts: List[HealthAlert]
    """What needs attention."""
    calculated_at: datetime
    """When it was computed."""


@dataclass(frozen=True)
class Irrigation(Record):
    """An irrigation."""
    id: str
    """The record's id."""
    farm_id: str
    """The farm that it belongs to."""
    field_id: str
    """The field that it is about."""
    started_at: datetime
    """When it began."""
    duration_minutes: int
    """How long it took, in minutes."""
    water_volume: Decimal
    """In volumeUnit."""
    volume_unit: Literal["m3", "liter"]
    """The unit of waterVolume."""
    method: Optional[Literal["drip", "sprinkler", "flood", "pivot", "manual", "none"]]
    """The way in which it was done."""
    notes: Optional[str]
    """Free text."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""


@dataclass(frozen=True)
class KeyUsage(Record):
    """A key usage."""
    at: datetime
    """When the hour or day begins."""
    key_id: str
    """The API key."""
    name: Optional[str]
    """The key's name, also when it is revoked."""
    requests: int
    """How many requests came with the key, whatever their responses. A batch is one."""
    limited: int
    """How many of them were answered with 429."""


@dataclass(frozen=True)
class LatLng(Record):
    """A lat lng."""
    lat: float
    """Degrees north."""
    lng: float
    """Degrees east."""


@dataclass(frozen=True)
class LeafSample(Record):
    """A leaf sample."""
    id: str
    """The record's id."""
    farm_id: str
    """The farm that it belongs to."""
    field_id: str
    """The field that it is about."""
    block_id: str
    """The block that it is about."""
    sampled_at: datetime
    """When the sample was taken."""
    lab: Optional[str]
    """The laboratory."""
    tissue: Optional[Literal["leaf", "petiole"]]
    """What part of the leaf was sampled."""
    growth_stage: Optional[str]
    """How far the plants had grown."""
    nitrogen: Optional[Decimal]
    """Nitrogen, in the laboratory's unit."""
    phosphorus: Optional[Decimal]
    """Phosphorus, in the laboratory's unit."""
    potassium: Optional[Decimal]
    """Potassium, in the laboratory's unit."""
    calcium: Optional[Decimal]
    """Calcium, in the laboratory's unit."""
    magnesium: Optional[Decimal]
    """Magnesium, in the laboratory's unit."""
    sodium: Optional[Decimal]
    """Sodium, in the laboratory's unit."""
    sulfur: Optional[Decimal]
    """Sulfur, in the laboratory's unit."""
    zinc: Optional[Decimal]
    """Zinc, in the laboratory's unit."""
    manganese: Optional[Decimal]
    """Manganese, in the laboratory's unit."""
    iron: Optional[Decimal]
    """Iron, in the laboratory's unit."""
    copper: Optional[Decimal]
    """Copper, in the laboratory's unit."""
    boron: Optional[Decimal]
    """Boron, in the laboratory's unit."""
    notes: Optional[str]
    """Free text."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""


@dataclass(frozen=True)
class Overhead(Record):
    """An overhead."""
    id: str
    """The record's id."""
    farm_id: str
    """The farm that it belongs to."""
    amount: Decimal
    """How much, in its currency or unit."""
    currency: str
    """The farm's base currency, unless said."""
    category: Literal["rent", "insurance", "tax", "salaries", "maintenance", "utilities", "administration", "interest", "depreciation", "other"]
    """What kind it is."""
    transaction_date: date
    """The day on which it was paid."""
    note: Optional[str]
    """Free text."""
    period: Literal["one_time", "monthly", "yearly"]
    """What it paid for; it counts once, on its date."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""


@dataclass(frozen=True)
class Pagination(Record):
    """A pagination."""
    page: int
    """The number of this page, from 1."""
    limit: int
    """The most records in a page."""
    total: int
    """How many records match in all."""
    total_pages: int
    """How many pages they fill."""


@dataclass(frozen=True)
class Plant(Record):
    """A plant."""
    id: str
    """The record's id."""
    block_id: str
    """The block that it is about."""
    label: str
    """What the plant is called in its block."""
    tag_id: Optional[str]
    """QR, RFID or barcode; unique within the block."""
    position: Optional[LatLng]
    """Where it stands in its block."""
    planted_at: Optional[datetime]
    """When it was planted."""
    status: Literal["alive", "sick", "dead", "replaced", "removed"]
    """Where it stands."""
    notes: Optional[str]
    """Free text."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""


class Point(TypedDict):
    """A GeoJSON Point."""
    type: Literal["Point"]
    coordinates: List[float]


class Polygon(TypedDict):
    """A GeoJSON Polygon of at most 10,000 positions in all."""
    type: Literal["Polygon"]
    coordinates: List[List[List[float]]]


@dataclass(frozen=True)
class PredictionFactor(Record):
    """A prediction factor."""
    key: Literal["survival", "soil", "water"]
    """Which factor it is."""
    multiplier: float
    """By how much it changes the yield."""
    detail: str
    """How it came about, in a sentence."""


@dataclass(frozen=True)
class PredictionTotal(Record):
    """A prediction total."""
    crop_type: str
    """What is grown, by name."""
    area_hectares: float
    """The area in hectares."""
    predicted_yield: float
    """The harvest that is likely, in unit."""
    unit: Literal["ton"]
    """The unit of the amount."""


@dataclass(frozen=True)
class PriceReport(Record):
    """A price report."""
    id: str
    """The record's id."""
    farm_id: str
    """The farm that it belongs to."""
    crop_name: str
    """The crop, by name."""
    price: Decimal
    """The price of one unit."""
    unit: Literal["per_kg", "per_ton", "per_lb", "per_bushel"]
    """The unit of the amount."""
    quantity: Optional[Decimal]
    """In the unit of its price."""
    currency: str
    """The farm's base currency, unless said."""
    observed_on: date
    """Not after today, in UTC."""
    created_at: datetime
    """When it was created."""


@dataclass(frozen=True)
class RecurringTask(Record):
    """A recurring task."""
    id: str
    """The record's id."""
    farm_id: str
    """The farm that it belongs to."""
    template_id: str
    """The template of its tasks."""
    pattern: Literal["daily", "weekly", "monthly", "yearly", "custom"]
    """custom is every interval days."""
    interval: int
    """Every how many days, weeks, months or years."""
    days_of_week: Optional[List[int]]
    """0 is Sunday. Of weekly; else startDate's."""
    day_of_month: Optional[int]
    """Of monthly and yearly; a month without it: its last."""
    month_of_year: Optional[int]
    """Of yearly."""
    start_date: datetime
    """Gives the wall time; cut to whole seconds."""
    end_date: Optional[datetime]
    """The last possible occurrence."""
    generate_days_before: int
    """Local days before an occurrence its task is made."""
    assigned_to: Optional[str]
    """Who does it, as a name."""
    field_name: Optional[str]
    """The field in words, where no field is linked."""
    is_active: bool
    """Whether it is in use."""
    next_occurrence: Optional[datetime]
    """The first occurrence without a task yet; null: there is none."""
    rrule: str
    """The rule as RFC 5545 writes it."""
    created_by: str
    """The user who created it, or operator."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""


@dataclass(frozen=True)
class RegionalPrice(Record):
    """A regional price."""
    crop_name: str
    """The crop, by name."""
    region: str
    """The region or state."""
    avg_price: float
    """The average price, weighted by quantity."""
    min_price: float
    """The lowest price."""
    max_price: float
    """The highest price."""
    currency: str
    """The currency, as an ISO 4217 code."""
    unit: Literal["per_ton"]
    """The unit of the amount."""
    sample_size: int
    """How many farms contribute."""
    sources: RegionalPriceSources
    """What the prices were computed from."""


@dataclass(frozen=True)
class RegionalPriceSources(Record):
    """A regional price sources."""
    user_reported: int
    """How many reported prices contribute."""
    sales: int
    """How many sales contribute."""


@dataclass(frozen=True)
class RegionalPricesMeta(Record):
    """A regional prices meta."""
    country: str
    """The country, by name or ISO 3166-1 code."""
    currency: str
    """The currency, as an ISO 4217 code."""
    min_sample_size: int
    """How many farms must contribute before a crop is shown."""
    count: int
    """How many there are."""


@dataclass(frozen=True)
class RevenueSummary(Record):
    """A revenue summary."""
    total: Decimal
    """All of it that has a rate, in the base currency."""
    by_currency: Dict[str, RevenueSummaryByCurrency]
    """By the codes of currencies."""


@dataclass(frozen=True)
class RevenueSummaryByCurrency(Record):
    """A revenue summary by currency."""
    original: Decimal
    """The sum in its own currency."""
    converted: Optional[Decimal]
    """The sum in the base currency; null: there is no rate."""
    rate: Optional[Decimal]
    """The exchange rate that follows from the sums."""


@dataclass(frozen=True)
class Sale(Record):
    """A sale."""
    id: str
    """The record's id."""
    crop_id: str
    """The crop that it is about."""
    farm_id: str
    """The farm that it belongs to."""
    quantity: Decimal
    """In unit."""
    unit: Literal["kg", "ton", "lb"]
    """The unit of the amount."""
    price_per_unit: Decimal
    """The price of one unit."""
    currency: str
    """The farm's base currency, unless said."""
    sale_date: date
    """The day of the sale."""
    buyer: Optional[str]
    """Who bought it."""
    note: Optional[str]
    """Free text."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""
    total_amount: Decimal
    """Quantity times price."""


@dataclass(frozen=True)
class SkippedCrop(Record):
    """A skipped crop."""
    crop_id: str
    """The crop that it is about."""
    reason: Literal["not_growing", "no_area", "no_yield_base"]
    """Why there is none."""


@dataclass(frozen=True)
class SoilSample(Record):
    """A soil sample."""
    id: str
    """The record's id."""
    farm_id: str
    """The farm that it belongs to."""
    field_id: str
    """The field that it is about."""
    sampled_at: datetime
    """When the sample was taken."""
    lab: Optional[str]
    """The laboratory."""
    depth_from_cm: Optional[Decimal]
    """The upper end of the sample, in centimeters."""
    depth_to_cm: Optional[Decimal]
    """More than depthFromCm."""
    texture: Optional[Literal["sand", "loamy_sand", "sandy_loam", "loam", "silt_loam", "silt", "sandy_clay_loam", "clay_loam", "silty_clay_loam", "sandy_clay", "silty_clay", "clay"]]
    """The soil's texture."""
    ph: Optional[Decimal]
    """The newest one is the field's soilPh."""
    ec: Optional[Decimal]
    """Electrical conductivity, in the laboratory's unit."""
    organic_matter: Optional[Decimal]
    """Organic matter, in the laboratory's unit."""
    nitrogen: Optional[Decimal]
    """Nitrogen, in the laboratory's unit."""
    phosphorus: Optional[Decimal]
    """Phosphorus, in the laboratory's unit."""
    potassium: Optional[Decimal]
    """Potassium, in the laboratory's unit."""
    calcium: Optional[Decimal]
    """Calcium, in the laboratory's unit."""
    magnesium: Optional[Decimal]
    """Magnesium, in the laboratory's unit."""
    sodium: Optional[Decimal]
    """Sodium, in the laboratory's unit."""
    sulfur: Optional[Decimal]
    """Sulfur, in the laboratory's unit."""
    zinc: Optional[Decimal]
    """Zinc, in the laboratory's unit."""
    manganese: Optional[Decimal]
    """Manganese, in the laboratory's unit."""
    iron: Optional[Decimal]
    """Iron, in the laboratory's unit."""
    copper: Optional[Decimal]
    """Copper, in the laboratory's unit."""
    boron: Optional[Decimal]
    """Boron, in the laboratory's unit."""
    cec: Optional[Decimal]
    """Cation exchange capacity, in the laboratory's unit."""
    location: Optional[LatLng]
    """The place."""
    notes: Optional[str]
    """Free text."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""


@dataclass(frozen=True)
class Task(Record):
    """A task."""
    id: str
    """The record's id."""
    farm_id: str
    """The farm that it belongs to."""
    title: str
    """What is to be done."""
    description: Optional[str]
    """What it is, in the owner's words."""
    status: Literal["pending", "in_progress", "completed", "overdue", "cancelled"]
    """overdue follows from dueDate and cannot be written."""
    priority: Literal["low", "medium", "high", "urgent"]
    """How urgent it is."""
    category: Literal["planting", "irrigation", "fertilization", "pest_control", "harvesting", "soil_management", "maintenance", "planning", "inspection", "other"]
    """What kind it is."""
    due_date: Optional[datetime]
    """When it is due."""
    start_date: Optional[datetime]
    """When it begins."""
    completed_date: Optional[datetime]
    """Set to now when the task becomes completed, unless given."""
    assigned_to: Optional[str]
    """Who does it, as a name."""
    crop_id: Optional[str]
    """The crop that it is about."""
    field_id: Optional[str]
    """The field that it is about."""
    block_id: Optional[str]
    """The block that it is about."""
    field_name: Optional[str]
    """The field in words, where no field is linked."""
    estimated_duration: Optional[str]
    """How long it should take, in words."""
    actual_duration: Optional[str]
    """How long it took, in words."""
    photo_url: Optional[str]
    """Where a photo of the work is."""
    gps_lat: Optional[float]
    """The latitude at which it was done."""
    gps_lng: Optional[float]
    """The longitude at which it was done."""
    completion_notes: Optional[str]
    """Notes on how the work went."""
    notes: Optional[str]
    """Free text."""
    sop_template_id: Optional[str]
    """Not used; always null."""
    recurring_task_id: Optional[str]
    """The recurring task that made it, if one did."""
    created_by: str
    """The user who created it, or operator."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""


@dataclass(frozen=True)
class TaskTemplate(Record):
    """A task template."""
    id: str
    """The record's id."""
    name: str
    """What it is called."""
    description: Optional[str]
    """What it is, in the owner's words."""
    farm_id: Optional[str]
    """Bound to this farm, or null: to none."""
    category: Literal["planting", "irrigation", "fertilization", "pest_control", "harvesting", "soil_management", "maintenance", "planning", "inspection", "other"]
    """What kind it is."""
    priority: Literal["low", "medium", "high", "urgent"]
    """How urgent it is."""
    estimated_duration: Optional[str]
    """How long it should take, in words."""
    default_assignee: Optional[str]
    """Who does the tasks made from it, unless they name another person."""
    is_active: bool
    """An inactive template cannot be applied."""
    is_global: bool
    """Whether all owners share it."""
    created_by: str
    """The user who created it, or operator."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""


@dataclass(frozen=True)
class Usage(Record):
    """A usage."""
    farms_count: int
    """How many farms there are."""
    ai_requests_this_month: int
    """Requests to the assistant in this month."""


@dataclass(frozen=True)
class UsageHistoryMeta(Record):
    """A usage history meta."""
    by: Literal["hour", "day"]
    """The interval of the request."""
    since: datetime
    """When the first hour or day begins."""
    until: datetime
    """When it was counted: the last hour or day is not over yet."""
    requests_per_hour: int
    """How many requests the plan allows in any hour, over all keys. A key may have a limit of its own."""


@dataclass(frozen=True)
class UserCrop(Record):
    """A user crop."""
    id: str
    """The record's id."""
    user_id: str
    """The account that it belongs to."""
    admin_crop_id: str
    """The crop of the library, if it is one."""
    farm_id: Optional[str]
    """The farm that it belongs to."""
    source: Literal["manual_search", "ai_recommendation"]
    """How the crop came onto the shortlist."""
    customizations: Optional[Dict[str, Any]]
    """The owner's own notes about the crop, as any object."""
    admin_crop: AdminCropName
    """The crop of the library, as it is called there."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""


@dataclass(frozen=True)
class Variety(Record):
    """A variety."""
    id: str
    """The record's id."""
    admin_crop_id: str
    """The crop of the library, if it is one."""
    variety_name: str
    """What the variety is called."""
    scientific_name: Optional[str]
    """The botanical name."""
    description: Optional[str]
    """What it is, in the owner's words."""
    days_to_maturity: Optional[int]
    """Instead of the crop's."""
    yield_override: Optional[YieldRange]
    """Yields that differ from the crop's."""
    climate_override: Optional[ClimateRange]
    """Temperatures that differ from the crop's."""
    spacing_x: Optional[float]
    """Between plants in a row, in meters."""
    spacing_y: Optional[float]
    """Between rows, in meters."""
    plant_density: Optional[float]
    """Plants per hectare."""
    created_at: datetime
    """When it was created."""


@dataclass(frozen=True)
class Webhook(Record):
    """A webhook."""
    id: str
    """The record's id."""
    url: str
    """Where events are sent."""
    description: Optional[str]
    """What it is, in the owner's words."""
    types: List[str]
    """The types of the events that are sent: names, or patterns with *."""
    is_active: bool
    """Whether it is in use."""
    disabled_reason: Optional[str]
    """Why the service stopped sending to the receiver; null: it has not stopped."""
    last_success_at: Optional[datetime]
    """When an event arrived last."""
    last_failure_at: Optional[datetime]
    """When an attempt failed last."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""


@dataclass(frozen=True)
class WebhookDelivery(Record):
    """A webhook delivery."""
    id: str
    """The record's id."""
    event_id: str
    """The event's id, which is its `webhook-id`."""
    type: str
    """What happened, such as tilth.task.completed."""
    attempt: int
    """How many attempts there were."""
    status: Literal["pending", "delivered", "failed"]
    """Whether it is pending, has arrived, or was given up."""
    http_status: Optional[int]
    """The receiver's HTTP status; null: there was no response."""
    error: Optional[str]
    """Why the last attempt failed."""
    duration_ms: Optional[int]
    """How long the last attempt took, in milliseconds."""
    at: datetime
    """When the last attempt was made."""
    next_attempt_at: Optional[datetime]
    """When it is tried again; null: it is not."""


@dataclass(frozen=True)
class WebhookTest(Record):
    """A webhook test."""
    status: Optional[int]
    """The receiver's HTTP status; null: there was no response."""
    milliseconds: int
    """How long it took."""
    error: Optional[str]
    """Why it failed; null if it arrived."""
    body: str
    """The first 1,000 bytes of the receiver's response."""


@dataclass(frozen=True)
class WebhookWithSecret(Record):
    """A webhook with secret."""
    id: str
    """The record's id."""
    url: str
    """Where events are sent."""
    description: Optional[str]
    """What it is, in the owner's words."""
    types: List[str]
    """The types of the events that are sent: names, or patterns with *."""
    is_active: bool
    """Whether it is in use."""
    disabled_reason: Optional[str]
    """Why the service stopped sending to the receiver; null: it has not stopped."""
    last_success_at: Optional[datetime]
    """When an event arrived last."""
    last_failure_at: Optional[datetime]
    """When an attempt failed last."""
    created_at: datetime
    """When it was created."""
    updated_at: datetime
    """When it was last changed."""
    secret: str
    """The secret that verifies the signatures. It is shown only in this response."""


@dataclass(frozen=True)
class YieldPrediction(Record):
    """A yield prediction."""
    farm_id: str
    """The farm that it belongs to."""
    predictions: List[CropPrediction]
    """One for each crop that is planned or grows."""
    totals: List[PredictionTotal]
    """The sums, by type of crop."""
    skipped: List[SkippedCrop]
    """Crops without a prediction, and why."""
    model_version: str
    """The version of the computation."""
    calculated_at: datetime
    """When it was computed."""


@dataclass(frozen=True)
class YieldRange(Record):
    """A yield range."""
    low: Optional[float]
    """A poor yield."""
    typical: Optional[float]
    """A usual yield."""
    high: Optional[float]
    """A good yield."""
    unit: Literal["ton"]
    """The unit of the amount."""


Geometry = Union[Point, Polygon]
