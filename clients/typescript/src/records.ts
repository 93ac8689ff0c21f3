// The records that the service keeps or computes, and the bodies that make and change them.
// Made by clients/generate.py of the OpenAPI document; do not edit.

import type { CalendarDate, Decimal, Id, Instant } from "./values.js";

/** An admin crop. */
export interface AdminCrop {
  /** The record's id. */
  readonly id: string;
  /** What it is called. */
  readonly name: string;
  /** The botanical name. */
  readonly scientificName: string | null;
  /** What kind it is. */
  readonly category: string | null;
  /** How long the plant lives. */
  readonly lifecycle: "annual" | "biennial" | "perennial" | null;
  /** Days from planting to harvest. */
  readonly daysToMaturity: number | null;
  /** Between rows, in meters. */
  readonly spacingX: number | null;
  /** Between plants, in meters. */
  readonly spacingY: number | null;
  /** Plants per hectare. */
  readonly plantDensity: number | null;
  /** The yield of one hectare. */
  readonly yieldPerHectare: YieldRange | null;
  /** The lowest pH value that suits it. */
  readonly soilPhMin: number | null;
  /** The highest pH value that suits it. */
  readonly soilPhMax: number | null;
  /** The lowest temperature that it tolerates, in degrees Celsius. */
  readonly temperatureMinC: number | null;
  /** The highest temperature that it tolerates, in degrees Celsius. */
  readonly temperatureMaxC: number | null;
  /** From planting to harvest, or of a year. */
  readonly waterRequirementMm: number | null;
  /** Crop coefficient, FAO-56. */
  readonly kcInitial: number | null;
  /** The crop coefficient in mid-season (FAO-56). */
  readonly kcMid: number | null;
  /** The crop coefficient at the end (FAO-56). */
  readonly kcEnd: number | null;
  /** Yield response to water, FAO-33. */
  readonly ky: number | null;
  /** The weight of a bushel, in kilograms. */
  readonly bushelWeightKg: number | null;
  /** Whether an operator has checked it. */
  readonly isVerified: boolean;
  /** Whether it is in use. */
  readonly isActive: boolean;
  /** When it was created. */
  readonly createdAt: string;
}

/** An admin crop name. */
export interface AdminCropName {
  /** The record's id. */
  readonly id: string;
  /** What it is called. */
  readonly name: string;
  /** The botanical name. */
  readonly scientificName: string | null;
}

/** A block. */
export interface Block {
  /** The record's id. */
  readonly id: string;
  /** The farm that it belongs to. */
  readonly farmId: string;
  /** The field that it is about. */
  readonly fieldId: string;
  /** A crop of the same field. */
  readonly cropId: string;
  /** The variety of the library, if it is one. */
  readonly varietyId: string | null;
  /** What it is called. */
  readonly name: string;
  /** What it is, in the owner's words. */
  readonly description: string | null;
  /** The day of planting. */
  readonly plantingDate: string | null;
  /** How many plants there are. */
  readonly plantCount: number | null;
  /** Between rows, in meters. */
  readonly spacingX: Decimal | null;
  /** Between plants, in meters. */
  readonly spacingY: Decimal | null;
  /** Plants per hectare; follows from the spacings where it is not given. */
  readonly plantDensity: Decimal | null;
  /** In the farm's areaUnit. */
  readonly area: Decimal | null;
  /** A GeoJSON Polygon or Point. */
  readonly geometry: Geometry | null;
  /** How the plants are arranged. */
  readonly gridMetadata: GridMetadata | null;
  /** Where it stands. */
  readonly status: "planned" | "planted" | "established" | "mature" | "declined" | "harvested" | "removed";
  /** Free text. */
  readonly notes: string | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
}

/** A climate range. */
export interface ClimateRange {
  /** The lowest temperature that it tolerates, in degrees Celsius. */
  readonly temperatureMinC: number | null;
  /** The highest temperature that it tolerates, in degrees Celsius. */
  readonly temperatureMaxC: number | null;
}

/** A cost summary. */
export interface CostSummary {
  /** All of it that has a rate, in the base currency. */
  readonly total: Decimal;
  /** By the codes of currencies. */
  readonly byCurrency: Readonly<Record<string, CostSummaryByCurrency>>;
  /** Converted amounts, by the categories that have any. */
  readonly byCategory: Readonly<Record<string, Decimal>>;
}

/** A cost summary by currency. */
export interface CostSummaryByCurrency {
  /** The sum in its own currency. */
  readonly original: Decimal;
  /** The sum in the base currency; null: there is no rate. */
  readonly converted: Decimal | null;
  /** The exchange rate that follows from the sums. */
  readonly rate: Decimal | null;
}

/** A crop. */
export interface Crop {
  /** The record's id. */
  readonly id: string;
  /** The farm that it belongs to. */
  readonly farmId: string;
  /** The field that it is about. */
  readonly fieldId: string;
  /** What is grown, by name. */
  readonly cropType: string;
  /** The variety, by name. */
  readonly variety: string | null;
  /** The crop of the library, if it is one. */
  readonly adminCropId: string | null;
  /** The variety of the library, if it is one. */
  readonly varietyId: string | null;
  /** The day of planting. */
  readonly plantingDate: string | null;
  /** Not before plantingDate. */
  readonly expectedHarvestDate: string | null;
  /** Set to today when the crop becomes harvested, unless given. */
  readonly actualHarvestDate: string | null;
  /** In the farm's areaUnit. */
  readonly area: Decimal | null;
  /** How many plants there are. */
  readonly plantCount: number | null;
  /** What should be harvested, in yieldUnit. */
  readonly expectedYield: Decimal | null;
  /** What was harvested, in yieldUnit. */
  readonly actualYield: Decimal | null;
  /** The unit of expectedYield and actualYield. */
  readonly yieldUnit: "kg" | "ton" | "lb";
  /** Where it stands. */
  readonly status: "planned" | "planted" | "growing" | "harvested" | "failed";
  /** Free text. */
  readonly notes: string | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
}

/** A crop prediction. */
export interface CropPrediction {
  /** The crop that it is about. */
  readonly cropId: string;
  /** What is grown, by name. */
  readonly cropType: string;
  /** The field that it is about. */
  readonly fieldId: string;
  /** The area in hectares. */
  readonly areaHectares: number;
  /** The harvest that is likely, in unit. */
  readonly predictedYield: number;
  /** The unit of the amount. */
  readonly unit: "ton";
  /** The yield of one hectare. */
  readonly yieldPerHectare: number;
  /** The least that is likely. */
  readonly lowerBound: number;
  /** The most that is likely. */
  readonly upperBound: number;
  /** How much the prediction is based on. */
  readonly confidence: "high" | "medium" | "low";
  /** The way in which it was done. */
  readonly method: "own_history" | "variety" | "library";
  /** What it was computed from. */
  readonly factors: readonly PredictionFactor[];
  /** When it should be ready for harvest. */
  readonly expectedHarvestDate: string | null;
}

/** An event. */
export interface Event {
  /** The version of CloudEvents. */
  readonly specversion: string;
  /** The event's id; a copy that was sent twice has the same. */
  readonly id: string;
  /** The node that decided. */
  readonly source: string;
  /** What happened, such as tilth.task.completed. */
  readonly type: string;
  /** The owner. */
  readonly subject: string;
  /** When it was decided. */
  readonly time: string;
  /** Of data: application/json. */
  readonly datacontenttype: string;
  /** How many events of the owner there are up to this one. */
  readonly streamversion: number;
  /** The version of the shape of data. */
  readonly schemaversion: number;
  /** What happened, in the shape of its type and schemaversion. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Where the event is in the history, for `after`. Opaque. */
  readonly position: string;
  /** The request that it began with. */
  readonly correlationid?: string;
  /** The request or event that caused it. */
  readonly causationid?: string;
  /** The key, the user, the operator or the clock that caused it. */
  readonly actor?: string;
  /** The request's Idempotency-Key, if it had one. */
  readonly idempotencykey?: string;
  /** The trace that it belongs to, as in W3C Trace Context. */
  readonly traceparent?: string;
}

/** An expense. */
export interface Expense {
  /** The record's id. */
  readonly id: string;
  /** The farm that it belongs to. */
  readonly farmId: string;
  /** A crop of the farm. */
  readonly cropId: string | null;
  /** A field of the farm; not together with cropId. */
  readonly fieldId: string | null;
  /** How much, in its currency or unit. */
  readonly amount: Decimal;
  /** The farm's base currency, unless said. */
  readonly currency: string;
  /** What kind it is. */
  readonly category: "seeds" | "fertilizer" | "pesticide" | "irrigation" | "fuel" | "equipment" | "labor" | "land" | "transport" | "utilities" | "packaging" | "services" | "other";
  /** The day on which it was paid. */
  readonly transactionDate: string;
  /** Free text. */
  readonly note: string | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
}

/** A farm. */
export interface Farm {
  /** The record's id. */
  readonly id: string;
  /** Unique among the owner's farms. */
  readonly name: string;
  /** What kind of farm it is. */
  readonly farmType: string;
  /** What the farm is mainly used for. */
  readonly primaryUse: string;
  /** What it is, in the owner's words. */
  readonly description: string | null;
  /** Street and number, or how to find it. */
  readonly address: string | null;
  /** The town. */
  readonly city: string | null;
  /** The region or state. */
  readonly region: string | null;
  /** A name or an ISO 3166-1 code. */
  readonly country: string | null;
  /** The place. */
  readonly location: LatLng | null;
  /** A GeoJSON Polygon. */
  readonly boundaries: Polygon | null;
  /** A name of the tz database. */
  readonly timezone: string;
  /** In areaUnit. */
  readonly totalArea: Decimal;
  /** Changing it converts nothing. */
  readonly areaUnit: "hectare" | "acre" | "square_meter" | "square_foot" | "feddan" | "dunam";
  /** The currency, as an ISO 4217 code. */
  readonly currency: string | null;
  /** What kind of soil it is. */
  readonly soilType: string | null;
  /** How it is irrigated. */
  readonly irrigationSystem: "drip" | "sprinkler" | "flood" | "pivot" | "manual" | "none" | null;
  /** Liters per hour. */
  readonly irrigationFlowRatePerEmitter: Decimal | null;
  /** Emitters for each plant. */
  readonly emittersPerPlant: number | null;
  /** Between drip lines, in meters. */
  readonly dripLineSpacingMeters: Decimal | null;
  /** Where it stands. */
  readonly status: "active" | "inactive" | "archived" | "draft";
  /** When it was created. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
}

/** A fertigation. */
export interface Fertigation {
  /** The record's id. */
  readonly id: string;
  /** The farm that it belongs to. */
  readonly farmId: string;
  /** The field that it is about. */
  readonly fieldId: string;
  /** The block that it is about. */
  readonly blockId: string;
  /** When it was applied. */
  readonly appliedAt: string;
  /** What was applied. */
  readonly product: string;
  /** In unit. */
  readonly amount: Decimal;
  /** The unit of the amount. */
  readonly unit: "kg" | "gram" | "liter";
  /** Nitrogen, in percent. */
  readonly nPercent: Decimal | null;
  /** Phosphorus, in percent. */
  readonly pPercent: Decimal | null;
  /** Potassium, in percent. */
  readonly kPercent: Decimal | null;
  /** Cubic meters. */
  readonly waterVolume: Decimal | null;
  /** Electrical conductivity, in the laboratory's unit. */
  readonly ec: Decimal | null;
  /** The pH value. */
  readonly ph: Decimal | null;
  /** Free text. */
  readonly notes: string | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
}

/** A field. */
export interface Field {
  /** The record's id. */
  readonly id: string;
  /** The farm that it belongs to. */
  readonly farmId: string;
  /** What it is called. */
  readonly name: string;
  /** In the farm's areaUnit. */
  readonly area: Decimal;
  /** What kind of soil it is. */
  readonly soilType: string | null;
  /** The pH value of the soil. */
  readonly soilPh: Decimal | null;
  /** Where it stands. */
  readonly status: "active" | "fallow" | "preparing" | "planted";
  /** Free text. */
  readonly notes: string | null;
  /** What it is, in the owner's words. */
  readonly description: string | null;
  /** A GeoJSON Polygon. */
  readonly boundaries: Polygon | null;
  /** Liters per hour; overrides the farm's. */
  readonly irrigationFlowRatePerEmitter: Decimal | null;
  /** Emitters for each plant. */
  readonly emittersPerPlant: number | null;
  /** Between drip lines, in meters. */
  readonly dripLineSpacingMeters: Decimal | null;
  /** How this field is irrigated, if not as the farm is. */
  readonly customIrrigationSystem: "drip" | "sprinkler" | "flood" | "pivot" | "manual" | "none" | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
}

/** A financial summary. */
export interface FinancialSummary {
  /** The farm that it belongs to. */
  readonly farmId: string;
  /** The currency of the totals. */
  readonly baseCurrency: string;
  /** The first day that counts; null: all before. */
  readonly from: string | null;
  /** The last day that counts; null: all after. */
  readonly to: string | null;
  /** What was earned by sales. */
  readonly revenue: RevenueSummary;
  /** What was spent on crops and fields. */
  readonly expenses: CostSummary;
  /** What was spent on the farm as a whole. */
  readonly overheads: CostSummary;
  /** Revenue less the others. */
  readonly net: Decimal;
  /** Where the rates come from that were used. */
  readonly rateSource: string | null;
  /** Of amounts without a rate; they are in no total. */
  readonly unconvertedCurrencies: readonly string[];
}

/** A GeoJSON Point, or Polygon of at most 10,000 positions in all. */
export type Geometry = Point | Polygon;

/** A grid metadata. */
export interface GridMetadata {
  /** How the rows of plants lie. */
  readonly pattern: "square" | "hexagonal" | "triangular" | "custom";
  /** How many rows of plants there are. */
  readonly rowCount: number | null;
  /** How many plants there are in a row. */
  readonly columnCount: number | null;
  /** Degrees. */
  readonly rowOrientation: number | null;
  /** [lat, lng] */
  readonly originLatLng: readonly number[] | null;
}

/** A health alert. */
export interface HealthAlert {
  /** How bad it is. */
  readonly severity: "info" | "warning" | "critical";
  /** What needs attention. */
  readonly code: "TASKS_OVERDUE" | "PLANTS_DYING" | "SOIL_PH_OUT_OF_RANGE" | "HARVEST_OVERDUE";
  /** The same in a sentence. */
  readonly message: string;
  /** What kind of record it is about. */
  readonly entityType: "farm" | "field" | "crop";
  /** The record that it is about. */
  readonly entityId: string;
}

/** A health factor. */
export interface HealthFactor {
  /** Which factor it is. */
  readonly key: "taskTimeliness" | "plantVitality" | "soilSuitability" | "irrigationAdherence" | "cropProgress";
  /** How much the factor counts. */
  readonly weight: number;
  /** From 0 to 100; null without data. */
  readonly score: number | null;
  /** How it came about, in a sentence. */
  readonly detail: string;
}

/** A health score. */
export interface HealthScore {
  /** The farm that it belongs to. */
  readonly farmId: string;
  /** From 0 to 100; null without data. */
  readonly score: number | null;
  /** The score in a word; null without data. */
  readonly grade: "excellent" | "good" | "fair" | "poor" | "critical" | null;
  /** What it was computed from. */
  readonly factors: readonly HealthFactor[];
  /** The share of the factors for which there are data, from 0 to 1. */
  readonly dataCompleteness: number;
  /** What needs attention. */
  readonly alerts: readonly HealthAlert[];
  /** When it was computed. */
  readonly calculatedAt: string;
}

/** An irrigation. */
export interface Irrigation {
  /** The record's id. */
  readonly id: string;
  /** The farm that it belongs to. */
  readonly farmId: string;
  /** The field that it is about. */
  readonly fieldId: string;
  /** When it began. */
  readonly startedAt: string;
  /** How long it took, in minutes. */
  readonly durationMinutes: number;
  /** In volumeUnit. */
  readonly waterVolume: Decimal;
  /** The unit of waterVolume. */
  readonly volumeUnit: "m3" | "liter";
  /** The way in which it was done. */
  readonly method: "drip" | "sprinkler" | "flood" | "pivot" | "manual" | "none" | null;
  /** Free text. */
  readonly notes: string | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
}

/** A key usage. */
export interface KeyUsage {
  /** When the hour or day begins. */
  readonly at: string;
  /** The API key. */
  readonly keyId: string;
  /** The key's name, also when it is revoked. */
  readonly name: string | null;
  /** How many requests came with the key, whatever their responses. A batch is one. */
  readonly requests: number;
  /** How many of them were answered with 429. */
  readonly limited: number;
}

/** A lat lng. */
export interface LatLng {
  /** Degrees north. */
  readonly lat: number;
  /** Degrees east. */
  readonly lng: number;
}

/** A leaf sample. */
export interface LeafSample {
  /** The record's id. */
  readonly id: string;
  /** The farm that it belongs to. */
  readonly farmId: string;
  /** The field that it is about. */
  readonly fieldId: string;
  /** The block that it is about. */
  readonly blockId: string;
  /** When the sample was taken. */
  readonly sampledAt: string;
  /** The laboratory. */
  readonly lab: string | null;
  /** What part of the leaf was sampled. */
  readonly tissue: "leaf" | "petiole" | null;
  /** How far the plants had grown. */
  readonly growthStage: string | null;
  /** Nitrogen, in the laboratory's unit. */
  readonly nitrogen: Decimal | null;
  /** Phosphorus, in the laboratory's unit. */
  readonly phosphorus: Decimal | null;
  /** Potassium, in the laboratory's unit. */
  readonly potassium: Decimal | null;
  /** Calcium, in the laboratory's unit. */
  readonly calcium: Decimal | null;
  /** Magnesium, in the laboratory's unit. */
  readonly magnesium: Decimal | null;
  /** Sodium, in the laboratory's unit. */
  readonly sodium: Decimal | null;
  /** Sulfur, in the laboratory's unit. */
  readonly sulfur: Decimal | null;
  /** Zinc, in the laboratory's unit. */
  readonly zinc: Decimal | null;
  /** Manganese, in the laboratory's unit. */
  readonly manganese: Decimal | null;
  /** Iron, in the laboratory's unit. */
  readonly iron: Decimal | null;
  /** Copper, in the laboratory's unit. */
  readonly copper: Decimal | null;
  /** Boron, in the laboratory's unit. */
  readonly boron: Decimal | null;
  /** Free text. */
  readonly notes: string | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
}

/** An overhead. */
export interface Overhead {
  /** The record's id. */
  readonly id: string;
  /** The farm that it belongs to. */
  readonly farmId: string;
  /** How much, in its currency or unit. */
  readonly amount: Decimal;
  /** The farm's base currency, unless said. */
  readonly currency: string;
  /** What kind it is. */
  readonly category: "rent" | "insurance" | "tax" | "salaries" | "maintenance" | "utilities" | "administration" | "interest" | "depreciation" | "other";
  /** The day on which it was paid. */
  readonly transactionDate: string;
  /** Free text. */
  readonly note: string | null;
  /** What it paid for; it counts once, on its date. */
  readonly period: "one_time" | "monthly" | "yearly";
  /** When it was created. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
}

/** A pagination. */
export interface Pagination {
  /** The number of this page, from 1. */
  readonly page: number;
  /** The most records in a page. */
  readonly limit: number;
  /** How many records match in all. */
  readonly total: number;
  /** How many pages they fill. */
  readonly totalPages: number;
}

/** A plant. */
export interface Plant {
  /** The record's id. */
  readonly id: string;
  /** The block that it is about. */
  readonly blockId: string;
  /** What the plant is called in its block. */
  readonly label: string;
  /** QR, RFID or barcode; unique within the block. */
  readonly tagId: string | null;
  /** Where it stands in its block. */
  readonly position: LatLng | null;
  /** When it was planted. */
  readonly plantedAt: string | null;
  /** Where it stands. */
  readonly status: "alive" | "sick" | "dead" | "replaced" | "removed";
  /** Free text. */
  readonly notes: string | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
}

/** A GeoJSON Point. */
export interface Point {
  /** Point. */
  readonly type: "Point";
  /** Longitude, latitude and, without effect, an altitude. */
  readonly coordinates: readonly number[];
}

/** A GeoJSON Polygon of at most 10,000 positions in all. */
export interface Polygon {
  /** Polygon. */
  readonly type: "Polygon";
  /** The outer ring, then the holes; each ends where it begins. */
  readonly coordinates: readonly (readonly (readonly number[])[])[];
}

/** A prediction factor. */
export interface PredictionFactor {
  /** Which factor it is. */
  readonly key: "survival" | "soil" | "water";
  /** By how much it changes the yield. */
  readonly multiplier: number;
  /** How it came about, in a sentence. */
  readonly detail: string;
}

/** A prediction total. */
export interface PredictionTotal {
  /** What is grown, by name. */
  readonly cropType: string;
  /** The area in hectares. */
  readonly areaHectares: number;
  /** The harvest that is likely, in unit. */
  readonly predictedYield: number;
  /** The unit of the amount. */
  readonly unit: "ton";
}

/** A price report. */
export interface PriceReport {
  /** The record's id. */
  readonly id: string;
  /** The farm that it belongs to. */
  readonly farmId: string;
  /** The crop, by name. */
  readonly cropName: string;
  /** The price of one unit. */
  readonly price: Decimal;
  /** The unit of the amount. */
  readonly unit: "per_kg" | "per_ton" | "per_lb" | "per_bushel";
  /** In the unit of its price. */
  readonly quantity: Decimal | null;
  /** The farm's base currency, unless said. */
  readonly currency: string;
  /** Not after today, in UTC. */
  readonly observedOn: string;
  /** When it was created. */
  readonly createdAt: string;
}

/** A recurring task. */
export interface RecurringTask {
  /** The record's id. */
  readonly id: string;
  /** The farm that it belongs to. */
  readonly farmId: string;
  /** The template of its tasks. */
  readonly templateId: string;
  /** custom is every interval days. */
  readonly pattern: "daily" | "weekly" | "monthly" | "yearly" | "custom";
  /** Every how many days, weeks, months or years. */
  readonly interval: number;
  /** 0 is Sunday. Of weekly; else startDate's. */
  readonly daysOfWeek: readonly number[] | null;
  /** Of monthly and yearly; a month without it: its last. */
  readonly dayOfMonth: number | null;
  /** Of yearly. */
  readonly monthOfYear: number | null;
  /** Gives the wall time; cut to whole seconds. */
  readonly startDate: string;
  /** The last possible occurrence. */
  readonly endDate: string | null;
  /** Local days before an occurrence its task is made. */
  readonly generateDaysBefore: number;
  /** Who does it, as a name. */
  readonly assignedTo: string | null;
  /** The field in words, where no field is linked. */
  readonly fieldName: string | null;
  /** Whether it is in use. */
  readonly isActive: boolean;
  /** The first occurrence without a task yet; null: there is none. */
  readonly nextOccurrence: string | null;
  /** The rule as RFC 5545 writes it. */
  readonly rrule: string;
  /** The user who created it, or operator. */
  readonly createdBy: string;
  /** When it was created. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
}

/** A regional price. */
export interface RegionalPrice {
  /** The crop, by name. */
  readonly cropName: string;
  /** The region or state. */
  readonly region: string;
  /** The average price, weighted by quantity. */
  readonly avgPrice: number;
  /** The lowest price. */
  readonly minPrice: number;
  /** The highest price. */
  readonly maxPrice: number;
  /** The currency, as an ISO 4217 code. */
  readonly currency: string;
  /** The unit of the amount. */
  readonly unit: "per_ton";
  /** How many farms contribute. */
  readonly sampleSize: number;
  /** What the prices were computed from. */
  readonly sources: RegionalPriceSources;
}

/** A regional price sources. */
export interface RegionalPriceSources {
  /** How many reported prices contribute. */
  readonly userReported: number;
  /** How many sales contribute. */
  readonly sales: number;
}

/** A regional prices meta. */
export interface RegionalPricesMeta {
  /** The country, by name or ISO 3166-1 code. */
  readonly country: string;
  /** The currency, as an ISO 4217 code. */
  readonly currency: string;
  /** How many farms must contribute before a crop is shown. */
  readonly minSampleSize: number;
  /** How many there are. */
  readonly count: number;
}

/** A revenue summary. */
export interface RevenueSummary {
  /** All of it that has a rate, in the base currency. */
  readonly total: Decimal;
  /** By the codes of currencies. */
  readonly byCurrency: Readonly<Record<string, RevenueSummaryByCurrency>>;
}

/** A revenue summary by currency. */
export interface RevenueSummaryByCurrency {
  /** The sum in its own currency. */
  readonly original: Decimal;
  /** The sum in the base currency; null: there is no rate. */
  readonly converted: Decimal | null;
  /** The exchange rate that follows from the sums. */
  readonly rate: Decimal | null;
}

/** A sale. */
export interface Sale {
  /** The record's id. */
  readonly id: string;
  /** The crop that it is about. */
  readonly cropId: string;
  /** The farm that it belongs to. */
  readonly farmId: string;
  /** In unit. */
  readonly quantity: Decimal;
  /** The unit of the amount. */
  readonly unit: "kg" | "ton" | "lb";
  /** The price of one unit. */
  readonly pricePerUnit: Decimal;
  /** The farm's base currency, unless said. */
  readonly currency: string;
  /** The day of the sale. */
  readonly saleDate: string;
  /** Who bought it. */
  readonly buyer: string | null;
  /** Free text. */
  readonly note: string | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
  /** Quantity times price. */
  readonly totalAmount: Decimal;
}

/** A skipped crop. */
export interface SkippedCrop {
  /** The crop that it is about. */
  readonly cropId: string;
  /** Why there is none. */
  readonly reason: "not_growing" | "no_area" | "no_yield_base";
}

/** A soil sample. */
export interface SoilSample {
  /** The record's id. */
  readonly id: string;
  /** The farm that it belongs to. */
  readonly farmId: string;
  /** The field that it is about. */
  readonly fieldId: string;
  /** When the sample was taken. */
  readonly sampledAt: string;
  /** The laboratory. */
  readonly lab: string | null;
  /** The upper end of the sample, in centimeters. */
  readonly depthFromCm: Decimal | null;
  /** More than depthFromCm. */
  readonly depthToCm: Decimal | null;
  /** The soil's texture. */
  readonly texture: "sand" | "loamy_sand" | "sandy_loam" | "loam" | "silt_loam" | "silt" | "sandy_clay_loam" | "clay_loam" | "silty_clay_loam" | "sandy_clay" | "silty_clay" | "clay" | null;
  /** The newest one is the field's soilPh. */
  readonly ph: Decimal | null;
  /** Electrical conductivity, in the laboratory's unit. */
  readonly ec: Decimal | null;
  /** Organic matter, in the laboratory's unit. */
  readonly organicMatter: Decimal | null;
  /** Nitrogen, in the laboratory's unit. */
  readonly nitrogen: Decimal | null;
  /** Phosphorus, in the laboratory's unit. */
  readonly phosphorus: Decimal | null;
  /** Potassium, in the laboratory's unit. */
  readonly potassium: Decimal | null;
  /** Calcium, in the laboratory's unit. */
  readonly calcium: Decimal | null;
  /** Magnesium, in the laboratory's unit. */
  readonly magnesium: Decimal | null;
  /** Sodium, in the laboratory's unit. */
  readonly sodium: Decimal | null;
  /** Sulfur, in the laboratory's unit. */
  readonly sulfur: Decimal | null;
  /** Zinc, in the laboratory's unit. */
  readonly zinc: Decimal | null;
  /** Manganese, in the laboratory's unit. */
  readonly manganese: Decimal | null;
  /** Iron, in the laboratory's unit. */
  readonly iron: Decimal | null;
  /** Copper, in the laboratory's unit. */
  readonly copper: Decimal | null;
  /** Boron, in the laboratory's unit. */
  readonly boron: Decimal | null;
  /** Cation exchange capacity, in the laboratory's unit. */
  readonly cec: Decimal | null;
  /** The place. */
  readonly location: LatLng | null;
  /** Free text. */
  readonly notes: string | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
}

/** A task. */
export interface Task {
  /** The record's id. */
  readonly id: string;
  /** The farm that it belongs to. */
  readonly farmId: string;
  /** What is to be done. */
  readonly title: string;
  /** What it is, in the owner's words. */
  readonly description: string | null;
  /** overdue follows from dueDate and cannot be written. */
  readonly status: "pending" | "in_progress" | "completed" | "overdue" | "cancelled";
  /** How urgent it is. */
  readonly priority: "low" | "medium" | "high" | "urgent";
  /** What kind it is. */
  readonly category: "planting" | "irrigation" | "fertilization" | "pest_control" | "harvesting" | "soil_management" | "maintenance" | "planning" | "inspection" | "other";
  /** When it is due. */
  readonly dueDate: string | null;
  /** When it begins. */
  readonly startDate: string | null;
  /** Set to now when the task becomes completed, unless given. */
  readonly completedDate: string | null;
  /** Who does it, as a name. */
  readonly assignedTo: string | null;
  /** The crop that it is about. */
  readonly cropId: string | null;
  /** The field that it is about. */
  readonly fieldId: string | null;
  /** The block that it is about. */
  readonly blockId: string | null;
  /** The field in words, where no field is linked. */
  readonly fieldName: string | null;
  /** How long it should take, in words. */
  readonly estimatedDuration: string | null;
  /** How long it took, in words. */
  readonly actualDuration: string | null;
  /** Where a photo of the work is. */
  readonly photoUrl: string | null;
  /** The latitude at which it was done. */
  readonly gpsLat: number | null;
  /** The longitude at which it was done. */
  readonly gpsLng: number | null;
  /** Notes on how the work went. */
  readonly completionNotes: string | null;
  /** Free text. */
  readonly notes: string | null;
  /** Not used; always null. */
  readonly sopTemplateId: string | null;
  /** The recurring task that made it, if one did. */
  readonly recurringTaskId: string | null;
  /** The user who created it, or operator. */
  readonly createdBy: string;
  /** When it was created. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
}

/** A task template. */
export interface TaskTemplate {
  /** The record's id. */
  readonly id: string;
  /** What it is called. */
  readonly name: string;
  /** What it is, in the owner's words. */
  readonly description: string | null;
  /** Bound to this farm, or null: to none. */
  readonly farmId: string | null;
  /** What kind it is. */
  readonly category: "planting" | "irrigation" | "fertilization" | "pest_control" | "harvesting" | "soil_management" | "maintenance" | "planning" | "inspection" | "other";
  /** How urgent it is. */
  readonly priority: "low" | "medium" | "high" | "urgent";
  /** How long it should take, in words. */
  readonly estimatedDuration: string | null;
  /** Who does the tasks made from it, unless they name another person. */
  readonly defaultAssignee: string | null;
  /** An inactive template cannot be applied. */
  readonly isActive: boolean;
  /** Whether all owners share it. */
  readonly isGlobal: boolean;
  /** The user who created it, or operator. */
  readonly createdBy: string;
  /** When it was created. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
}

/** A usage. */
export interface Usage {
  /** How many farms there are. */
  readonly farmsCount: number;
  /** Requests to the assistant in this month. */
  readonly aiRequestsThisMonth: number;
}

/** A usage history meta. */
export interface UsageHistoryMeta {
  /** The interval of the request. */
  readonly by: "hour" | "day";
  /** When the first hour or day begins. */
  readonly since: string;
  /** When it was counted: the last hour or day is not over yet. */
  readonly until: string;
  /** How many requests the plan allows in any hour, over all keys. A key may have a limit of its own. */
  readonly requestsPerHour: number;
}

/** A user crop. */
export interface UserCrop {
  /** The record's id. */
  readonly id: string;
  /** The account that it belongs to. */
  readonly userId: string;
  /** The crop of the library, if it is one. */
  readonly adminCropId: string;
  /** The farm that it belongs to. */
  readonly farmId: string | null;
  /** How the crop came onto the shortlist. */
  readonly source: "manual_search" | "ai_recommendation";
  /** The owner's own notes about the crop, as any object. */
  readonly customizations: Readonly<Record<string, unknown>> | null;
  /** The crop of the library, as it is called there. */
  readonly adminCrop: AdminCropName;
  /** When it was created. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
}

/** A variety. */
export interface Variety {
  /** The record's id. */
  readonly id: string;
  /** The crop of the library, if it is one. */
  readonly adminCropId: string;
  /** What the variety is called. */
  readonly varietyName: string;
  /** The botanical name. */
  readonly scientificName: string | null;
  /** What it is, in the owner's words. */
  readonly description: string | null;
  /** Instead of the crop's. */
  readonly daysToMaturity: number | null;
  /** Yields that differ from the crop's. */
  readonly yieldOverride: YieldRange | null;
  /** Temperatures that differ from the crop's. */
  readonly climateOverride: ClimateRange | null;
  /** Between plants in a row, in meters. */
  readonly spacingX: number | null;
  /** Between rows, in meters. */
  readonly spacingY: number | null;
  /** Plants per hectare. */
  readonly plantDensity: number | null;
  /** When it was created. */
  readonly createdAt: string;
}

/** A webhook. */
export interface Webhook {
  /** The record's id. */
  readonly id: string;
  /** Where events are sent. */
  readonly url: string;
  /** What it is, in the owner's words. */
  readonly description: string | null;
  /** The types of the events that are sent: names, or patterns with *. */
  readonly types: readonly string[];
  /** Whether it is in use. */
  readonly isActive: boolean;
  /** Why the service stopped sending to the receiver; null: it has not stopped. */
  readonly disabledReason: string | null;
  /** When an event arrived last. */
  readonly lastSuccessAt: string | null;
  /** When an attempt failed last. */
  readonly lastFailureAt: string | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
}

/** A webhook delivery. */
export interface WebhookDelivery {
  /** The record's id. */
  readonly id: string;
  /** The event's id, which is its `webhook-id`. */
  readonly eventId: string;
  /** What happened, such as tilth.task.completed. */
  readonly type: string;
  /** How many attempts there were. */
  readonly attempt: number;
  /** Whether it is pending, has arrived, or was given up. */
  readonly status: "pending" | "delivered" | "failed";
  /** The receiver's HTTP status; null: there was no response. */
  readonly httpStatus: number | null;
  /** Why the last attempt failed. */
  readonly error: string | null;
  /** How long the last attempt took, in milliseconds. */
  readonly durationMs: number | null;
  /** When the last attempt was made. */
  readonly at: string;
  /** When it is tried again; null: it is not. */
  readonly nextAttemptAt: string | null;
}

/** A webhook test. */
export interface WebhookTest {
  /** The receiver's HTTP status; null: there was no response. */
  readonly status: number | null;
  /** How long it took. */
  readonly milliseconds: number;
  /** Why it failed; null if it arrived. */
  readonly error: string | null;
  /** The first 1,000 bytes of the receiver's response. */
  readonly body: string;
}

/** A webhook with secret. */
export interface WebhookWithSecret {
  /** The record's id. */
  readonly id: string;
  /** Where events are sent. */
  readonly url: string;
  /** What it is, in the owner's words. */
  readonly description: string | null;
  /** The types of the events that are sent: names, or patterns with *. */
  readonly types: readonly string[];
  /** Whether it is in use. */
  readonly isActive: boolean;
  /** Why the service stopped sending to the receiver; null: it has not stopped. */
  readonly disabledReason: string | null;
  /** When an event arrived last. */
  readonly lastSuccessAt: string | null;
  /** When an attempt failed last. */
  readonly lastFailureAt: string | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
  /** The secret that verifies the signatures. It is shown only in this response. */
  readonly secret: string;
}

/** A yield prediction. */
export interface YieldPrediction {
  /** The farm that it belongs to. */
  readonly farmId: string;
  /** One for each crop that is planned or grows. */
  readonly predictions: readonly CropPrediction[];
  /** The sums, by type of crop. */
  readonly totals: readonly PredictionTotal[];
  /** Crops without a prediction, and why. */
  readonly skipped: readonly SkippedCrop[];
  /** The version of the computation. */
  readonly modelVersion: string;
  /** When it was computed. */
  readonly calculatedAt: string;
}

/** A yield range. */
export interface YieldRange {
  /** A poor yield. */
  readonly low: number | null;
  /** A usual yield. */
  readonly typical: number | null;
  /** A good yield. */
  readonly high: number | null;
  /** The unit of the amount. */
  readonly unit: "ton";
}

/** An apply template. */
export interface ApplyTemplate {
  /** Required where the template is bound to no farm. */
  readonly farmId?: Id | null;
  /** What is to be done. */
  readonly title?: string;
  /** What it is, in the owner's words. */
  readonly description?: string | null;
  /** How urgent it is. */
  readonly priority?: "low" | "medium" | "high" | "urgent";
  /** When it is due. */
  readonly dueDate?: Instant | null;
  /** When it begins. */
  readonly startDate?: Instant | null;
  /** Who does it, as a name. */
  readonly assignedTo?: string | null;
  /** The field in words, where no field is linked. */
  readonly fieldName?: string | null;
  /** How long it should take, in words. */
  readonly estimatedDuration?: string | null;
  /** Free text. */
  readonly notes?: string | null;
}

/** A block create. */
export interface BlockCreate {
  /** A crop of the same field. */
  readonly cropId: Id;
  /** The variety of the library, if it is one. */
  readonly varietyId?: Id | null;
  /** What it is called. */
  readonly name: string;
  /** What it is, in the owner's words. */
  readonly description?: string | null;
  /** The day of planting. */
  readonly plantingDate?: CalendarDate | null;
  /** How many plants there are. */
  readonly plantCount?: number | string | null;
  /** Between rows, in meters. */
  readonly spacingX?: number | string | null;
  /** Between plants, in meters. */
  readonly spacingY?: number | string | null;
  /** Plants per hectare; follows from the spacings where it is not given. */
  readonly plantDensity?: number | string | null;
  /** In the farm's areaUnit. */
  readonly area?: number | string | null;
  /** A GeoJSON Polygon or Point. */
  readonly geometry?: Geometry | null;
  /** How the plants are arranged. */
  readonly gridMetadata?: GridMetadataInput | null;
  /** Where it stands. */
  readonly status?: "planned" | "planted" | "established" | "mature" | "declined" | "harvested" | "removed";
  /** Free text. */
  readonly notes?: string | null;
}

/** A block update. */
export interface BlockUpdate {
  /** A crop of the same field. */
  readonly cropId?: Id;
  /** The variety of the library, if it is one. */
  readonly varietyId?: Id | null;
  /** What it is called. */
  readonly name?: string;
  /** What it is, in the owner's words. */
  readonly description?: string | null;
  /** The day of planting. */
  readonly plantingDate?: CalendarDate | null;
  /** How many plants there are. */
  readonly plantCount?: number | string | null;
  /** Between rows, in meters. */
  readonly spacingX?: number | string | null;
  /** Between plants, in meters. */
  readonly spacingY?: number | string | null;
  /** Plants per hectare; follows from the spacings where it is not given. */
  readonly plantDensity?: number | string | null;
  /** In the farm's areaUnit. */
  readonly area?: number | string | null;
  /** A GeoJSON Polygon or Point. */
  readonly geometry?: Geometry | null;
  /** How the plants are arranged. */
  readonly gridMetadata?: GridMetadataInput | null;
  /** Where it stands. */
  readonly status?: "planned" | "planted" | "established" | "mature" | "declined" | "harvested" | "removed";
  /** Free text. */
  readonly notes?: string | null;
}

/** A complete task. */
export interface CompleteTask {
  /** Where a photo of the work is. */
  readonly photoUrl?: string | null;
  /** The latitude at which it was done. */
  readonly gpsLat?: number | string | null;
  /** The longitude at which it was done. */
  readonly gpsLng?: number | string | null;
  /** Becomes the task's completionNotes. */
  readonly notes?: string | null;
}

/** A crop create. */
export interface CropCreate {
  /** The farm that it belongs to. */
  readonly farmId: Id;
  /** The field that it is about. */
  readonly fieldId: Id;
  /** What is grown, by name. */
  readonly cropType: string;
  /** The variety, by name. */
  readonly variety?: string | null;
  /** The crop of the library, if it is one. */
  readonly adminCropId?: Id | null;
  /** The variety of the library, if it is one. */
  readonly varietyId?: Id | null;
  /** The day of planting. */
  readonly plantingDate?: CalendarDate | null;
  /** Not before plantingDate. */
  readonly expectedHarvestDate?: CalendarDate | null;
  /** Set to today when the crop becomes harvested, unless given. */
  readonly actualHarvestDate?: CalendarDate | null;
  /** In the farm's areaUnit. */
  readonly area?: number | string | null;
  /** How many plants there are. */
  readonly plantCount?: number | string | null;
  /** What should be harvested, in yieldUnit. */
  readonly expectedYield?: number | string | null;
  /** What was harvested, in yieldUnit. */
  readonly actualYield?: number | string | null;
  /** The unit of expectedYield and actualYield. */
  readonly yieldUnit?: "kg" | "ton" | "lb";
  /** Where it stands. */
  readonly status?: "planned" | "planted" | "growing" | "harvested" | "failed";
  /** Free text. */
  readonly notes?: string | null;
}

/** A crop update. */
export interface CropUpdate {
  /** What is grown, by name. */
  readonly cropType?: string;
  /** The variety, by name. */
  readonly variety?: string | null;
  /** The crop of the library, if it is one. */
  readonly adminCropId?: Id | null;
  /** The variety of the library, if it is one. */
  readonly varietyId?: Id | null;
  /** The day of planting. */
  readonly plantingDate?: CalendarDate | null;
  /** Not before plantingDate. */
  readonly expectedHarvestDate?: CalendarDate | null;
  /** Set to today when the crop becomes harvested, unless given. */
  readonly actualHarvestDate?: CalendarDate | null;
  /** In the farm's areaUnit. */
  readonly area?: number | string | null;
  /** How many plants there are. */
  readonly plantCount?: number | string | null;
  /** What should be harvested, in yieldUnit. */
  readonly expectedYield?: number | string | null;
  /** What was harvested, in yieldUnit. */
  readonly actualYield?: number | string | null;
  /** The unit of expectedYield and actualYield. */
  readonly yieldUnit?: "kg" | "ton" | "lb";
  /** Where it stands. */
  readonly status?: "planned" | "planted" | "growing" | "harvested" | "failed";
  /** Free text. */
  readonly notes?: string | null;
}

/** An expense create. */
export interface ExpenseCreate {
  /** A crop of the farm. */
  readonly cropId?: Id | null;
  /** A field of the farm; not together with cropId. */
  readonly fieldId?: Id | null;
  /** How much, in its currency or unit. */
  readonly amount: number | string;
  /** The farm's base currency, unless said. */
  readonly currency?: string;
  /** What kind it is. */
  readonly category: "seeds" | "fertilizer" | "pesticide" | "irrigation" | "fuel" | "equipment" | "labor" | "land" | "transport" | "utilities" | "packaging" | "services" | "other";
  /** The day on which it was paid. */
  readonly transactionDate: CalendarDate;
  /** Free text. */
  readonly note?: string | null;
}

/** A farm create. */
export interface FarmCreate {
  /** Unique among the owner's farms. */
  readonly name: string;
  /** What kind of farm it is. */
  readonly farmType?: string;
  /** What the farm is mainly used for. */
  readonly primaryUse?: string;
  /** What it is, in the owner's words. */
  readonly description?: string | null;
  /** Street and number, or how to find it. */
  readonly address?: string | null;
  /** The town. */
  readonly city?: string | null;
  /** The region or state. */
  readonly region?: string | null;
  /** A name or an ISO 3166-1 code. */
  readonly country?: string | null;
  /** The place. */
  readonly location?: LatLngInput | null;
  /** A GeoJSON Polygon. */
  readonly boundaries?: Polygon | null;
  /** A name of the tz database. */
  readonly timezone?: string;
  /** In areaUnit. */
  readonly totalArea: number | string;
  /** Changing it converts nothing. */
  readonly areaUnit?: "hectare" | "acre" | "square_meter" | "square_foot" | "feddan" | "dunam";
  /** The currency, as an ISO 4217 code. */
  readonly currency?: string | null;
  /** What kind of soil it is. */
  readonly soilType?: string | null;
  /** How it is irrigated. */
  readonly irrigationSystem?: "drip" | "sprinkler" | "flood" | "pivot" | "manual" | "none" | null;
  /** Liters per hour. */
  readonly irrigationFlowRatePerEmitter?: number | string | null;
  /** Emitters for each plant. */
  readonly emittersPerPlant?: number | string | null;
  /** Between drip lines, in meters. */
  readonly dripLineSpacingMeters?: number | string | null;
  /** Where it stands. */
  readonly status?: "active" | "inactive" | "archived" | "draft";
}

/** A farm update. */
export interface FarmUpdate {
  /** Unique among the owner's farms. */
  readonly name?: string;
  /** What kind of farm it is. */
  readonly farmType?: string;
  /** What the farm is mainly used for. */
  readonly primaryUse?: string;
  /** What it is, in the owner's words. */
  readonly description?: string | null;
  /** Street and number, or how to find it. */
  readonly address?: string | null;
  /** The town. */
  readonly city?: string | null;
  /** The region or state. */
  readonly region?: string | null;
  /** A name or an ISO 3166-1 code. */
  readonly country?: string | null;
  /** The place. */
  readonly location?: LatLngInput | null;
  /** A GeoJSON Polygon. */
  readonly boundaries?: Polygon | null;
  /** A name of the tz database. */
  readonly timezone?: string;
  /** In areaUnit. */
  readonly totalArea?: number | string;
  /** Changing it converts nothing. */
  readonly areaUnit?: "hectare" | "acre" | "square_meter" | "square_foot" | "feddan" | "dunam";
  /** The currency, as an ISO 4217 code. */
  readonly currency?: string | null;
  /** What kind of soil it is. */
  readonly soilType?: string | null;
  /** How it is irrigated. */
  readonly irrigationSystem?: "drip" | "sprinkler" | "flood" | "pivot" | "manual" | "none" | null;
  /** Liters per hour. */
  readonly irrigationFlowRatePerEmitter?: number | string | null;
  /** Emitters for each plant. */
  readonly emittersPerPlant?: number | string | null;
  /** Between drip lines, in meters. */
  readonly dripLineSpacingMeters?: number | string | null;
  /** Where it stands. */
  readonly status?: "active" | "inactive" | "archived" | "draft";
}

/** A fertigation create. */
export interface FertigationCreate {
  /** When it was applied. */
  readonly appliedAt: Instant;
  /** What was applied. */
  readonly product: string;
  /** In unit. */
  readonly amount: number | string;
  /** The unit of the amount. */
  readonly unit: "kg" | "gram" | "liter";
  /** Nitrogen, in percent. */
  readonly nPercent?: number | string | null;
  /** Phosphorus, in percent. */
  readonly pPercent?: number | string | null;
  /** Potassium, in percent. */
  readonly kPercent?: number | string | null;
  /** Cubic meters. */
  readonly waterVolume?: number | string | null;
  /** Electrical conductivity, in the laboratory's unit. */
  readonly ec?: number | string | null;
  /** The pH value. */
  readonly ph?: number | string | null;
  /** Free text. */
  readonly notes?: string | null;
}

/** A field create. */
export interface FieldCreate {
  /** What it is called. */
  readonly name: string;
  /** In the farm's areaUnit. */
  readonly area: number | string;
  /** What kind of soil it is. */
  readonly soilType?: string | null;
  /** The pH value of the soil. */
  readonly soilPh?: number | string | null;
  /** Where it stands. */
  readonly status?: "active" | "fallow" | "preparing" | "planted";
  /** Free text. */
  readonly notes?: string | null;
  /** What it is, in the owner's words. */
  readonly description?: string | null;
  /** A GeoJSON Polygon. */
  readonly boundaries?: Polygon | null;
  /** Liters per hour; overrides the farm's. */
  readonly irrigationFlowRatePerEmitter?: number | string | null;
  /** Emitters for each plant. */
  readonly emittersPerPlant?: number | string | null;
  /** Between drip lines, in meters. */
  readonly dripLineSpacingMeters?: number | string | null;
  /** How this field is irrigated, if not as the farm is. */
  readonly customIrrigationSystem?: "drip" | "sprinkler" | "flood" | "pivot" | "manual" | "none" | null;
}

/** A field update. */
export interface FieldUpdate {
  /** What it is called. */
  readonly name?: string;
  /** In the farm's areaUnit. */
  readonly area?: number | string;
  /** What kind of soil it is. */
  readonly soilType?: string | null;
  /** The pH value of the soil. */
  readonly soilPh?: number | string | null;
  /** Where it stands. */
  readonly status?: "active" | "fallow" | "preparing" | "planted";
  /** Free text. */
  readonly notes?: string | null;
  /** What it is, in the owner's words. */
  readonly description?: string | null;
  /** A GeoJSON Polygon. */
  readonly boundaries?: Polygon | null;
  /** Liters per hour; overrides the farm's. */
  readonly irrigationFlowRatePerEmitter?: number | string | null;
  /** Emitters for each plant. */
  readonly emittersPerPlant?: number | string | null;
  /** Between drip lines, in meters. */
  readonly dripLineSpacingMeters?: number | string | null;
  /** How this field is irrigated, if not as the farm is. */
  readonly customIrrigationSystem?: "drip" | "sprinkler" | "flood" | "pivot" | "manual" | "none" | null;
}

/** A grid metadata input. */
export interface GridMetadataInput {
  /** How the rows of plants lie. */
  readonly pattern: "square" | "hexagonal" | "triangular" | "custom";
  /** How many rows of plants there are. */
  readonly rowCount?: number | string | null;
  /** How many plants there are in a row. */
  readonly columnCount?: number | string | null;
  /** Degrees. */
  readonly rowOrientation?: number | string | null;
  /** [lat, lng] */
  readonly originLatLng?: readonly number[] | null;
}

/** An irrigation create. */
export interface IrrigationCreate {
  /** When it began. */
  readonly startedAt: Instant;
  /** How long it took, in minutes. */
  readonly durationMinutes: number | string;
  /** In volumeUnit. */
  readonly waterVolume: number | string;
  /** The unit of waterVolume. */
  readonly volumeUnit?: "m3" | "liter";
  /** The way in which it was done. */
  readonly method?: "drip" | "sprinkler" | "flood" | "pivot" | "manual" | "none" | null;
  /** Free text. */
  readonly notes?: string | null;
}

/** A lat lng input. */
export interface LatLngInput {
  /** Degrees north. */
  readonly lat: number | string;
  /** Degrees east. */
  readonly lng: number | string;
}

/** A leaf sample create. */
export interface LeafSampleCreate {
  /** When the sample was taken. */
  readonly sampledAt: Instant;
  /** The laboratory. */
  readonly lab?: string | null;
  /** What part of the leaf was sampled. */
  readonly tissue?: "leaf" | "petiole" | null;
  /** How far the plants had grown. */
  readonly growthStage?: string | null;
  /** Nitrogen, in the laboratory's unit. */
  readonly nitrogen?: number | string | null;
  /** Phosphorus, in the laboratory's unit. */
  readonly phosphorus?: number | string | null;
  /** Potassium, in the laboratory's unit. */
  readonly potassium?: number | string | null;
  /** Calcium, in the laboratory's unit. */
  readonly calcium?: number | string | null;
  /** Magnesium, in the laboratory's unit. */
  readonly magnesium?: number | string | null;
  /** Sodium, in the laboratory's unit. */
  readonly sodium?: number | string | null;
  /** Sulfur, in the laboratory's unit. */
  readonly sulfur?: number | string | null;
  /** Zinc, in the laboratory's unit. */
  readonly zinc?: number | string | null;
  /** Manganese, in the laboratory's unit. */
  readonly manganese?: number | string | null;
  /** Iron, in the laboratory's unit. */
  readonly iron?: number | string | null;
  /** Copper, in the laboratory's unit. */
  readonly copper?: number | string | null;
  /** Boron, in the laboratory's unit. */
  readonly boron?: number | string | null;
  /** Free text. */
  readonly notes?: string | null;
}

/** A move crop. */
export interface MoveCrop {
  /** Where it stands. */
  readonly status: "planned" | "planted" | "growing" | "harvested" | "failed";
  /** When it was harvested. */
  readonly actualHarvestDate?: CalendarDate | null;
  /** What was harvested, in yieldUnit. */
  readonly actualYield?: number | string | null;
}

/** An overhead create. */
export interface OverheadCreate {
  /** How much, in its currency or unit. */
  readonly amount: number | string;
  /** The farm's base currency, unless said. */
  readonly currency?: string;
  /** What kind it is. */
  readonly category: "rent" | "insurance" | "tax" | "salaries" | "maintenance" | "utilities" | "administration" | "interest" | "depreciation" | "other";
  /** The day on which it was paid. */
  readonly transactionDate: CalendarDate;
  /** Free text. */
  readonly note?: string | null;
  /** What it paid for; it counts once, on its date. */
  readonly period?: "one_time" | "monthly" | "yearly";
}

/** A plant create. */
export interface PlantCreate {
  /** What the plant is called in its block. */
  readonly label: string;
  /** QR, RFID or barcode; unique within the block. */
  readonly tagId?: string | null;
  /** Where it stands in its block. */
  readonly position?: LatLngInput | null;
  /** When it was planted. */
  readonly plantedAt?: CalendarDate | null;
  /** Where it stands. */
  readonly status?: "alive" | "sick" | "dead" | "replaced" | "removed";
  /** Free text. */
  readonly notes?: string | null;
}

/** A plant update. */
export interface PlantUpdate {
  /** What the plant is called in its block. */
  readonly label?: string;
  /** QR, RFID or barcode; unique within the block. */
  readonly tagId?: string | null;
  /** Where it stands in its block. */
  readonly position?: LatLngInput | null;
  /** When it was planted. */
  readonly plantedAt?: CalendarDate | null;
  /** Where it stands. */
  readonly status?: "alive" | "sick" | "dead" | "replaced" | "removed";
  /** Free text. */
  readonly notes?: string | null;
}

/** A price report create. */
export interface PriceReportCreate {
  /** The farm that it belongs to. */
  readonly farmId: Id;
  /** The crop, by name. */
  readonly cropName: string;
  /** The price of one unit. */
  readonly price: number | string;
  /** The unit of the amount. */
  readonly unit: "per_kg" | "per_ton" | "per_lb" | "per_bushel";
  /** In the unit of its price. */
  readonly quantity?: number | string | null;
  /** The farm's base currency, unless said. */
  readonly currency?: string;
  /** Not after today, in UTC. */
  readonly observedOn: CalendarDate;
}

/** A recurring task create. */
export interface RecurringTaskCreate {
  /** The farm that it belongs to. */
  readonly farmId: Id;
  /** The template of its tasks. */
  readonly templateId: Id;
  /** custom is every interval days. */
  readonly pattern: "daily" | "weekly" | "monthly" | "yearly" | "custom";
  /** Every how many days, weeks, months or years. */
  readonly interval?: number | string;
  /** 0 is Sunday. Of weekly; else startDate's. */
  readonly daysOfWeek?: readonly number[] | null;
  /** Of monthly and yearly; a month without it: its last. */
  readonly dayOfMonth?: number | string | null;
  /** Of yearly. */
  readonly monthOfYear?: number | string | null;
  /** Gives the wall time; cut to whole seconds. */
  readonly startDate: Instant;
  /** The last possible occurrence. */
  readonly endDate?: Instant | null;
  /** Local days before an occurrence its task is made. */
  readonly generateDaysBefore?: number | string;
  /** Who does it, as a name. */
  readonly assignedTo?: string | null;
  /** The field in words, where no field is linked. */
  readonly fieldName?: string | null;
  /** Whether it is in use. */
  readonly isActive?: boolean;
}

/** A recurring task update. */
export interface RecurringTaskUpdate {
  /** The template of its tasks. */
  readonly templateId?: Id;
  /** custom is every interval days. */
  readonly pattern?: "daily" | "weekly" | "monthly" | "yearly" | "custom";
  /** Every how many days, weeks, months or years. */
  readonly interval?: number | string;
  /** 0 is Sunday. Of weekly; else startDate's. */
  readonly daysOfWeek?: readonly number[] | null;
  /** Of monthly and yearly; a month without it: its last. */
  readonly dayOfMonth?: number | string | null;
  /** Of yearly. */
  readonly monthOfYear?: number | string | null;
  /** Gives the wall time; cut to whole seconds. */
  readonly startDate?: Instant;
  /** The last possible occurrence. */
  readonly endDate?: Instant | null;
  /** Local days before an occurrence its task is made. */
  readonly generateDaysBefore?: number | string;
  /** Who does it, as a name. */
  readonly assignedTo?: string | null;
  /** The field in words, where no field is linked. */
  readonly fieldName?: string | null;
  /** Whether it is in use. */
  readonly isActive?: boolean;
}

/** A replay webhook. */
export interface ReplayWebhook {
  /** The time of the first event that is sent again. */
  readonly since: Instant;
  /** Only events before this instant; null: up to the request. */
  readonly until?: Instant | null;
  /** What types of events are sent again; null: those that the webhook wants. */
  readonly types?: readonly string[] | null;
}

/** A reschedule task. */
export interface RescheduleTask {
  /** When it is due. */
  readonly dueDate: Instant;
}

/** A sale create. */
export interface SaleCreate {
  /** In unit. */
  readonly quantity: number | string;
  /** The unit of the amount. */
  readonly unit: "kg" | "ton" | "lb";
  /** The price of one unit. */
  readonly pricePerUnit: number | string;
  /** The farm's base currency, unless said. */
  readonly currency?: string;
  /** The day of the sale. */
  readonly saleDate: CalendarDate;
  /** Who bought it. */
  readonly buyer?: string | null;
  /** Free text. */
  readonly note?: string | null;
}

/** A soil sample create. */
export interface SoilSampleCreate {
  /** When the sample was taken. */
  readonly sampledAt: Instant;
  /** The laboratory. */
  readonly lab?: string | null;
  /** The upper end of the sample, in centimeters. */
  readonly depthFromCm?: number | string | null;
  /** More than depthFromCm. */
  readonly depthToCm?: number | string | null;
  /** The soil's texture. */
  readonly texture?: "sand" | "loamy_sand" | "sandy_loam" | "loam" | "silt_loam" | "silt" | "sandy_clay_loam" | "clay_loam" | "silty_clay_loam" | "sandy_clay" | "silty_clay" | "clay" | null;
  /** The newest one is the field's soilPh. */
  readonly ph?: number | string | null;
  /** Electrical conductivity, in the laboratory's unit. */
  readonly ec?: number | string | null;
  /** Organic matter, in the laboratory's unit. */
  readonly organicMatter?: number | string | null;
  /** Nitrogen, in the laboratory's unit. */
  readonly nitrogen?: number | string | null;
  /** Phosphorus, in the laboratory's unit. */
  readonly phosphorus?: number | string | null;
  /** Potassium, in the laboratory's unit. */
  readonly potassium?: number | string | null;
  /** Calcium, in the laboratory's unit. */
  readonly calcium?: number | string | null;
  /** Magnesium, in the laboratory's unit. */
  readonly magnesium?: number | string | null;
  /** Sodium, in the laboratory's unit. */
  readonly sodium?: number | string | null;
  /** Sulfur, in the laboratory's unit. */
  readonly sulfur?: number | string | null;
  /** Zinc, in the laboratory's unit. */
  readonly zinc?: number | string | null;
  /** Manganese, in the laboratory's unit. */
  readonly manganese?: number | string | null;
  /** Iron, in the laboratory's unit. */
  readonly iron?: number | string | null;
  /** Copper, in the laboratory's unit. */
  readonly copper?: number | string | null;
  /** Boron, in the laboratory's unit. */
  readonly boron?: number | string | null;
  /** Cation exchange capacity, in the laboratory's unit. */
  readonly cec?: number | string | null;
  /** The place. */
  readonly location?: LatLngInput | null;
  /** Free text. */
  readonly notes?: string | null;
}

/** A task create. */
export interface TaskCreate {
  /** The farm that it belongs to. */
  readonly farmId: Id;
  /** What is to be done. */
  readonly title: string;
  /** What it is, in the owner's words. */
  readonly description?: string | null;
  /** overdue follows from dueDate and cannot be written. */
  readonly status?: "pending" | "in_progress" | "completed" | "cancelled";
  /** How urgent it is. */
  readonly priority?: "low" | "medium" | "high" | "urgent";
  /** What kind it is. */
  readonly category: "planting" | "irrigation" | "fertilization" | "pest_control" | "harvesting" | "soil_management" | "maintenance" | "planning" | "inspection" | "other";
  /** When it is due. */
  readonly dueDate?: Instant | null;
  /** When it begins. */
  readonly startDate?: Instant | null;
  /** Set to now when the task becomes completed, unless given. */
  readonly completedDate?: Instant | null;
  /** Who does it, as a name. */
  readonly assignedTo?: string | null;
  /** The crop that it is about. */
  readonly cropId?: Id | null;
  /** The field that it is about. */
  readonly fieldId?: Id | null;
  /** The block that it is about. */
  readonly blockId?: Id | null;
  /** The field in words, where no field is linked. */
  readonly fieldName?: string | null;
  /** How long it should take, in words. */
  readonly estimatedDuration?: string | null;
  /** How long it took, in words. */
  readonly actualDuration?: string | null;
  /** Where a photo of the work is. */
  readonly photoUrl?: string | null;
  /** The latitude at which it was done. */
  readonly gpsLat?: number | string | null;
  /** The longitude at which it was done. */
  readonly gpsLng?: number | string | null;
  /** Notes on how the work went. */
  readonly completionNotes?: string | null;
  /** Free text. */
  readonly notes?: string | null;
}

/** A task template create. */
export interface TaskTemplateCreate {
  /** What it is called. */
  readonly name: string;
  /** What it is, in the owner's words. */
  readonly description?: string | null;
  /** Bound to this farm, or null: to none. */
  readonly farmId?: Id | null;
  /** What kind it is. */
  readonly category: "planting" | "irrigation" | "fertilization" | "pest_control" | "harvesting" | "soil_management" | "maintenance" | "planning" | "inspection" | "other";
  /** How urgent it is. */
  readonly priority?: "low" | "medium" | "high" | "urgent";
  /** How long it should take, in words. */
  readonly estimatedDuration?: string | null;
  /** Who does the tasks made from it, unless they name another person. */
  readonly defaultAssignee?: string | null;
  /** An inactive template cannot be applied. */
  readonly isActive?: boolean;
}

/** A task template update. */
export interface TaskTemplateUpdate {
  /** What it is called. */
  readonly name?: string;
  /** What it is, in the owner's words. */
  readonly description?: string | null;
  /** Bound to this farm, or null: to none. */
  readonly farmId?: Id | null;
  /** What kind it is. */
  readonly category?: "planting" | "irrigation" | "fertilization" | "pest_control" | "harvesting" | "soil_management" | "maintenance" | "planning" | "inspection" | "other";
  /** How urgent it is. */
  readonly priority?: "low" | "medium" | "high" | "urgent";
  /** How long it should take, in words. */
  readonly estimatedDuration?: string | null;
  /** Who does the tasks made from it, unless they name another person. */
  readonly defaultAssignee?: string | null;
  /** An inactive template cannot be applied. */
  readonly isActive?: boolean;
}

/** A task update. */
export interface TaskUpdate {
  /** What is to be done. */
  readonly title?: string;
  /** What it is, in the owner's words. */
  readonly description?: string | null;
  /** overdue follows from dueDate and cannot be written. */
  readonly status?: "pending" | "in_progress" | "completed" | "cancelled";
  /** How urgent it is. */
  readonly priority?: "low" | "medium" | "high" | "urgent";
  /** What kind it is. */
  readonly category?: "planting" | "irrigation" | "fertilization" | "pest_control" | "harvesting" | "soil_management" | "maintenance" | "planning" | "inspection" | "other";
  /** When it is due. */
  readonly dueDate?: Instant | null;
  /** When it begins. */
  readonly startDate?: Instant | null;
  /** Set to now when the task becomes completed, unless given. */
  readonly completedDate?: Instant | null;
  /** Who does it, as a name. */
  readonly assignedTo?: string | null;
  /** The crop that it is about. */
  readonly cropId?: Id | null;
  /** The field that it is about. */
  readonly fieldId?: Id | null;
  /** The block that it is about. */
  readonly blockId?: Id | null;
  /** The field in words, where no field is linked. */
  readonly fieldName?: string | null;
  /** How long it should take, in words. */
  readonly estimatedDuration?: string | null;
  /** How long it took, in words. */
  readonly actualDuration?: string | null;
  /** Where a photo of the work is. */
  readonly photoUrl?: string | null;
  /** The latitude at which it was done. */
  readonly gpsLat?: number | string | null;
  /** The longitude at which it was done. */
  readonly gpsLng?: number | string | null;
  /** Notes on how the work went. */
  readonly completionNotes?: string | null;
  /** Free text. */
  readonly notes?: string | null;
}

/** A user crop create. */
export interface UserCropCreate {
  /** A crop of the library that is listed. */
  readonly adminCropId: Id;
  /** The farm that it belongs to. */
  readonly farmId?: Id | null;
  /** How the crop came onto the shortlist. */
  readonly source?: "manual_search" | "ai_recommendation";
  /** Any object of up to 16 KiB as JSON without blanks: customName, customNotes, customGrowthDuration… */
  readonly customizations?: Readonly<Record<string, unknown>> | null;
}

/** A webhook create. */
export interface WebhookCreate {
  /** Where events are sent. */
  readonly url: string;
  /** What it is, in the owner's words. */
  readonly description?: string | null;
  /** The types of the events that are sent: names, or patterns with *. */
  readonly types?: readonly string[];
  /** Whether it is in use. */
  readonly isActive?: boolean;
}

/** A webhook update. */
export interface WebhookUpdate {
  /** Where events are sent. */
  readonly url?: string;
  /** What it is, in the owner's words. */
  readonly description?: string | null;
  /** The types of the events that are sent: names, or patterns with *. */
  readonly types?: readonly string[];
  /** Whether it is in use. */
  readonly isActive?: boolean;
}
