// The resources: what can be asked of the service.
// Made by clients/generate.py of the OpenAPI document; do not edit.

import { type Listing, Resource, type Table, type Transport } from "./transport.js";
import type { Changing, ChangingExisting } from "./transport.js";
import type { CalendarDate, Id, Instant } from "./values.js";
import type {
  AdminCrop,
  ApplyTemplate,
  Block,
  BlockCreate,
  BlockUpdate,
  CompleteTask,
  Crop,
  CropCreate,
  CropUpdate,
  Expense,
  ExpenseCreate,
  Farm,
  FarmCreate,
  FarmUpdate,
  Fertigation,
  FertigationCreate,
  Field,
  FieldCreate,
  FieldUpdate,
  FinancialSummary,
  HealthScore,
  Irrigation,
  IrrigationCreate,
  KeyUsage,
  LeafSample,
  LeafSampleCreate,
  MoveCrop,
  Overhead,
  OverheadCreate,
  Plant,
  PlantCreate,
  PlantUpdate,
  PriceReport,
  PriceReportCreate,
  RecurringTask,
  RecurringTaskCreate,
  RecurringTaskUpdate,
  RegionalPrice,
  RegionalPricesMeta,
  ReplayWebhook,
  RescheduleTask,
  Sale,
  SaleCreate,
  SoilSample,
  SoilSampleCreate,
  Task,
  TaskCreate,
  TaskTemplate,
  TaskTemplateCreate,
  TaskTemplateUpdate,
  TaskUpdate,
  Usage,
  UsageHistoryMeta,
  UserCrop,
  UserCropCreate,
  Variety,
  Webhook,
  WebhookCreate,
  WebhookDelivery,
  WebhookTest,
  WebhookUpdate,
  WebhookWithSecret,
  YieldPrediction,
} from "./records.js";

/** What adminCrops.list selects by. */
export interface AdminCropsListQuery {
  /** Part of name or scientificName, without case and accents. */
  readonly search?: string;
  /** Returns only records with this `category`. */
  readonly category?: string;
  /** What the list is sorted by; the first is the default. */
  readonly sort?: "name" | "createdAt";
  /** The number of the page, from 1. */
  readonly page?: number;
  /** The most records in a page. */
  readonly limit?: number;
  /** The direction of the sort: ascending or descending. */
  readonly order?: "asc" | "desc";
}

/** The library of crops and varieties, and the owner's shortlist of them. */
export class AdminCropsResource extends Resource {
  /**
   * List the library's crops. Lists the verified crops that every owner can choose from, by name. Returns one
   * page, the newest first by default; `pagination.total` counts all matching records.
   */
  list(query: AdminCropsListQuery = {}): Listing<AdminCrop> {
    return this.list_("GET", "/v1/crop-library/crops", { query });
  }

  /**
   * Show a crop of the library. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as
   * long as the record has not changed.
   */
  get(adminCrop: Id): Promise<AdminCrop> {
    return this.one("GET", this.path`/v1/crop-library/crops/${adminCrop}`);
  }
}

/** What blocks.list selects by. */
export interface BlocksListQuery {
  /** Returns only records with this `status`. */
  readonly status?: "planned" | "planted" | "established" | "mature" | "declined" | "harvested" | "removed";
  /** Returns only records with this `cropId`. */
  readonly cropId?: Id;
  /** What the list is sorted by; the first is the default. */
  readonly sort?: "createdAt" | "name";
  /** The number of the page, from 1. */
  readonly page?: number;
  /** The most records in a page. */
  readonly limit?: number;
  /** The direction of the sort: ascending or descending. */
  readonly order?: "asc" | "desc";
}

/** Fields and what is on them: blocks, plants, irrigations, fertigations, samples. */
export class BlocksResource extends Resource {
  /**
   * List the blocks. Lists the blocks of one field. Returns all of them in one response, or one page if `page`
   * or `limit` is given.
   */
  list(farm: Id, field: Id, query: BlocksListQuery = {}): Listing<Block> {
    return this.listAtOnce("GET", this.path`/v1/farms/${farm}/fields/${field}/blocks`, { query });
  }

  /**
   * Create a block. A block is the part of a field on which one crop grows. Spacings and density come from the
   * library unless they are given. Returns the new record with its `id`. A repeated request with the same
   * `Idempotency-Key` creates nothing more and returns the same response.
   */
  create(farm: Id, field: Id, body: BlockCreate, options: Changing = {}): Promise<Block> {
    return this.one("POST", this.path`/v1/farms/${farm}/fields/${field}/blocks`, { body, ...options });
  }

  /**
   * Show a block. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the
   * record has not changed.
   */
  get(farm: Id, field: Id, block: Id): Promise<Block> {
    return this.one("GET", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}`);
  }

  /**
   * Update a block. Members that are left out keep their values; null clears an optional member. With `If-
   * Match`, the request fails with 412 if the record has changed since.
   */
  update(farm: Id, field: Id, block: Id, body: BlockUpdate, options: ChangingExisting = {}): Promise<Block> {
    return this.one("PUT", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}`, { body, ...options });
  }

  /**
   * Remove a block. Removes its plants, fertigations and leaf samples with it. Returns 204 without a body; later
   * requests for the record fail with 404. With `If-Match`, the request fails with 412 if the record has changed
   * since.
   */
  delete(farm: Id, field: Id, block: Id, options: ChangingExisting = {}): Promise<void> {
    return this.deed("DELETE", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}`, { ...options });
  }
}

/** What crops.list selects by. */
export interface CropsListQuery {
  /** Returns only records with this `farmId`. */
  readonly farmId?: Id;
  /** Returns only records with this `fieldId`. */
  readonly fieldId?: Id;
  /** Returns only records with this `status`. */
  readonly status?: "planned" | "planted" | "growing" | "harvested" | "failed";
  /** Returns only records with this `cropType`. */
  readonly cropType?: string;
  /** What the list is sorted by; the first is the default. */
  readonly sort?: "createdAt" | "plantingDate" | "expectedHarvestDate" | "cropType";
  /** The number of the page, from 1. */
  readonly page?: number;
  /** The most records in a page. */
  readonly limit?: number;
  /** The direction of the sort: ascending or descending. */
  readonly order?: "asc" | "desc";
}

/** Crops: what is planted on a field, from the plan to the harvest. */
export class CropsResource extends Resource {
  /**
   * List the crops. Lists the owner's plantings on all farms; filters narrow them to a farm, a field or a
   * status. Returns one page, the newest first by default; `pagination.total` counts all matching records.
   */
  list(query: CropsListQuery = {}): Listing<Crop> {
    return this.list_("GET", "/v1/crops", { query });
  }

  /**
   * Create a crop. Plans or records a planting on a field. With `adminCropId` the expected harvest follows from
   * the library, unless it is given. Returns the new record with its `id`. A repeated request with the same
   * `Idempotency-Key` creates nothing more and returns the same response.
   */
  create(body: CropCreate, options: Changing = {}): Promise<Crop> {
    return this.one("POST", "/v1/crops", { body, ...options });
  }

  /**
   * Show a crop. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the
   * record has not changed.
   */
  get(crop: Id): Promise<Crop> {
    return this.one("GET", this.path`/v1/crops/${crop}`);
  }

  /**
   * Update a crop. Members that are left out keep their values; null clears an optional member. With `If-Match`,
   * the request fails with 412 if the record has changed since.
   */
  update(crop: Id, body: CropUpdate, options: ChangingExisting = {}): Promise<Crop> {
    return this.one("PUT", this.path`/v1/crops/${crop}`, { body, ...options });
  }

  /**
   * Remove a crop. Removes its blocks, sales and expenses with it. Returns 204 without a body; later requests
   * for the record fail with 404. With `If-Match`, the request fails with 412 if the record has changed since.
   */
  delete(crop: Id, options: ChangingExisting = {}): Promise<void> {
    return this.deed("DELETE", this.path`/v1/crops/${crop}`, { ...options });
  }

  /**
   * Change the status of a crop. Returns the record after the change. Repeating the request changes nothing
   * more.
   */
  move(crop: Id, body: MoveCrop, options: ChangingExisting = {}): Promise<Crop> {
    return this.one("PUT", this.path`/v1/crops/${crop}/status`, { body, ...options });
  }
}

/** What expenses.list selects by. */
export interface ExpensesListQuery {
  /** Returns only records with this `category`. */
  readonly category?: "seeds" | "fertilizer" | "pesticide" | "irrigation" | "fuel" | "equipment" | "labor" | "land" | "transport" | "utilities" | "packaging" | "services" | "other";
  /** Only records of this time or later. */
  readonly from?: CalendarDate;
  /** Inclusive, as from is. */
  readonly to?: CalendarDate;
  /** What the list is sorted by; the first is the default. */
  readonly sort?: "transactionDate" | "createdAt";
  /** The number of the page, from 1. */
  readonly page?: number;
  /** The most records in a page. */
  readonly limit?: number;
  /** The direction of the sort: ascending or descending. */
  readonly order?: "asc" | "desc";
}

/** Sales, expenses and overheads, and their summary in one currency. */
export class ExpensesResource extends Resource {
  /**
   * List the expenses. Lists what was spent on a farm; `from` and `to` bound the date. Returns one page, the
   * newest first by default; `pagination.total` counts all matching records.
   */
  list(farm: Id, query: ExpensesListQuery = {}): Listing<Expense> {
    return this.list_("GET", this.path`/v1/farms/${farm}/expenses`, { query });
  }

  /**
   * Record an expense. Records money spent on a farm, or on one of its crops or fields. Without `currency` it is
   * in the farm's. Returns the new record with its `id`. A repeated request with the same `Idempotency-Key`
   * creates nothing more and returns the same response.
   */
  create(farm: Id, body: ExpenseCreate, options: Changing = {}): Promise<Expense> {
    return this.one("POST", this.path`/v1/farms/${farm}/expenses`, { body, ...options });
  }

  /**
   * Show an expense. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the
   * record has not changed.
   */
  get(farm: Id, expense: Id): Promise<Expense> {
    return this.one("GET", this.path`/v1/farms/${farm}/expenses/${expense}`);
  }

  /**
   * Remove an expense. Returns 204 without a body; later requests for the record fail with 404. With `If-Match`,
   * the request fails with 412 if the record has changed since.
   */
  delete(farm: Id, expense: Id, options: ChangingExisting = {}): Promise<void> {
    return this.deed("DELETE", this.path`/v1/farms/${farm}/expenses/${expense}`, { ...options });
  }
}

/** What farms.list selects by. */
export interface FarmsListQuery {
  /** Returns only records with this `status`. */
  readonly status?: "active" | "inactive" | "archived" | "draft";
  /** What the list is sorted by; the first is the default. */
  readonly sort?: "createdAt" | "name" | "totalArea";
  /** The number of the page, from 1. */
  readonly page?: number;
  /** The most records in a page. */
  readonly limit?: number;
  /** The direction of the sort: ascending or descending. */
  readonly order?: "asc" | "desc";
}

/** What farms.financialSummary selects by. */
export interface FarmsFinancialSummaryQuery {
  /** Only records of this time or later. */
  readonly from?: CalendarDate;
  /** Inclusive, as from is. */
  readonly to?: CalendarDate;
}

/** What farms.yieldPrediction selects by. */
export interface FarmsYieldPredictionQuery {
  /** Of this crop alone. */
  readonly cropId?: Id;
}

/** Farms: the root of land, work and money. */
export class FarmsResource extends Resource {
  /**
   * List the farms. Lists the owner's farms; `status` narrows them. Returns one page, the newest first by
   * default; `pagination.total` counts all matching records.
   */
  list(query: FarmsListQuery = {}): Listing<Farm> {
    return this.list_("GET", "/v1/farms", { query });
  }

  /**
   * Create a farm. A farm is the root of fields, tasks and money. Its name is unique among the owner's farms,
   * and the plan limits how many there are. Returns the new record with its `id`. A repeated request with the
   * same `Idempotency-Key` creates nothing more and returns the same response.
   */
  create(body: FarmCreate, options: Changing = {}): Promise<Farm> {
    return this.one("POST", "/v1/farms", { body, ...options });
  }

  /**
   * Show a farm. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the
   * record has not changed.
   */
  get(farm: Id): Promise<Farm> {
    return this.one("GET", this.path`/v1/farms/${farm}`);
  }

  /**
   * Update a farm. Members that are left out keep their values; null clears an optional member. With `If-Match`,
   * the request fails with 412 if the record has changed since.
   */
  update(farm: Id, body: FarmUpdate, options: ChangingExisting = {}): Promise<Farm> {
    return this.one("PUT", this.path`/v1/farms/${farm}`, { body, ...options });
  }

  /**
   * Remove a farm. Removes everything on the farm with it: fields, crops, blocks, plants, tasks, recurring tasks
   * and its money. Returns 204 without a body; later requests for the record fail with 404. With `If-Match`, the
   * request fails with 412 if the record has changed since.
   */
  delete(farm: Id, options: ChangingExisting = {}): Promise<void> {
    return this.deed("DELETE", this.path`/v1/farms/${farm}`, { ...options });
  }

  /**
   * Summarize what a farm earned and spent. Adds up sales, expenses and overheads in the farm's base currency,
   * each at the exchange rate of its own day. Computed from the current records for each request, so there is no
   * `ETag`.
   */
  financialSummary(farm: Id, query: FarmsFinancialSummaryQuery = {}): Promise<FinancialSummary> {
    return this.one("GET", this.path`/v1/farms/${farm}/financial-summary`, { query });
  }

  /**
   * Score how a farm is doing. A score of 0 to 100 from tasks, plants, soil, irrigation and crops, with alerts
   * for what needs attention. Computed from the current records for each request, so there is no `ETag`.
   */
  healthScore(farm: Id): Promise<HealthScore> {
    return this.one("GET", this.path`/v1/farms/${farm}/health-score`);
  }

  /**
   * Predict what a farm's crops yield. Predicts the harvest of each crop that is planned or grows, with bounds
   * and the factors that led to it. Computed from the current records for each request, so there is no `ETag`.
   */
  yieldPrediction(farm: Id, query: FarmsYieldPredictionQuery = {}): Promise<YieldPrediction> {
    return this.one("GET", this.path`/v1/farms/${farm}/yield-prediction`, { query });
  }
}

/** What fertigations.list selects by. */
export interface FertigationsListQuery {
  /** Only records of this time or later. */
  readonly from?: Instant;
  /** Inclusive, as from is. */
  readonly to?: Instant;
  /** What the list is sorted by; the first is the default. */
  readonly sort?: "appliedAt" | "createdAt";
  /** The number of the page, from 1. */
  readonly page?: number;
  /** The most records in a page. */
  readonly limit?: number;
  /** The direction of the sort: ascending or descending. */
  readonly order?: "asc" | "desc";
}

/** Fields and what is on them: blocks, plants, irrigations, fertigations, samples. */
export class FertigationsResource extends Resource {
  /**
   * List the fertigations. Lists the fertigations of one block; `from` and `to` bound their time. Returns one
   * page, the newest first by default; `pagination.total` counts all matching records.
   */
  list(farm: Id, field: Id, block: Id, query: FertigationsListQuery = {}): Listing<Fertigation> {
    return this.list_("GET", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/fertigations`, { query });
  }

  /**
   * Record a fertigation. Records what fertilizer a block was given with its water. Returns the new record with
   * its `id`. A repeated request with the same `Idempotency-Key` creates nothing more and returns the same
   * response.
   */
  create(farm: Id, field: Id, block: Id, body: FertigationCreate, options: Changing = {}): Promise<Fertigation> {
    return this.one("POST", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/fertigations`, { body, ...options });
  }

  /**
   * Show a fertigation. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as
   * the record has not changed.
   */
  get(farm: Id, field: Id, block: Id, fertigation: Id): Promise<Fertigation> {
    return this.one("GET", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/fertigations/${fertigation}`);
  }

  /**
   * Remove a fertigation. Returns 204 without a body; later requests for the record fail with 404. With `If-
   * Match`, the request fails with 412 if the record has changed since.
   */
  delete(farm: Id, field: Id, block: Id, fertigation: Id, options: ChangingExisting = {}): Promise<void> {
    return this.deed("DELETE", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/fertigations/${fertigation}`, { ...options });
  }
}

/** What fields.list selects by. */
export interface FieldsListQuery {
  /** Returns only records with this `status`. */
  readonly status?: "active" | "fallow" | "preparing" | "planted";
  /** What the list is sorted by; the first is the default. */
  readonly sort?: "createdAt" | "name" | "area";
  /** The number of the page, from 1. */
  readonly page?: number;
  /** The most records in a page. */
  readonly limit?: number;
  /** The direction of the sort: ascending or descending. */
  readonly order?: "asc" | "desc";
}

/** Fields and what is on them: blocks, plants, irrigations, fertigations, samples. */
export class FieldsResource extends Resource {
  /**
   * List the fields. Lists the fields of one farm. Returns one page, the newest first by default;
   * `pagination.total` counts all matching records.
   */
  list(farm: Id, query: FieldsListQuery = {}): Listing<Field> {
    return this.list_("GET", this.path`/v1/farms/${farm}/fields`, { query });
  }

  /**
   * Create a field. A field is a piece of land of a farm, in the farm's `areaUnit`. Returns the new record with
   * its `id`. A repeated request with the same `Idempotency-Key` creates nothing more and returns the same
   * response.
   */
  create(farm: Id, body: FieldCreate, options: Changing = {}): Promise<Field> {
    return this.one("POST", this.path`/v1/farms/${farm}/fields`, { body, ...options });
  }

  /**
   * Show a field. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the
   * record has not changed.
   */
  get(farm: Id, field: Id): Promise<Field> {
    return this.one("GET", this.path`/v1/farms/${farm}/fields/${field}`);
  }

  /**
   * Update a field. Members that are left out keep their values; null clears an optional member. With `If-
   * Match`, the request fails with 412 if the record has changed since.
   */
  update(farm: Id, field: Id, body: FieldUpdate, options: ChangingExisting = {}): Promise<Field> {
    return this.one("PUT", this.path`/v1/farms/${farm}/fields/${field}`, { body, ...options });
  }

  /**
   * Remove a field. Removes its crops, blocks, irrigations, soil samples and expenses with it. Returns 204
   * without a body; later requests for the record fail with 404. With `If-Match`, the request fails with 412 if
   * the record has changed since.
   */
  delete(farm: Id, field: Id, options: ChangingExisting = {}): Promise<void> {
    return this.deed("DELETE", this.path`/v1/farms/${farm}/fields/${field}`, { ...options });
  }
}

/** What irrigations.list selects by. */
export interface IrrigationsListQuery {
  /** Only records of this time or later. */
  readonly from?: Instant;
  /** Inclusive, as from is. */
  readonly to?: Instant;
  /** What the list is sorted by; the first is the default. */
  readonly sort?: "startedAt" | "createdAt";
  /** The number of the page, from 1. */
  readonly page?: number;
  /** The most records in a page. */
  readonly limit?: number;
  /** The direction of the sort: ascending or descending. */
  readonly order?: "asc" | "desc";
}

/** Fields and what is on them: blocks, plants, irrigations, fertigations, samples. */
export class IrrigationsResource extends Resource {
  /**
   * List the irrigations. Lists the irrigations of one field; `from` and `to` bound their time. Returns one
   * page, the newest first by default; `pagination.total` counts all matching records.
   */
  list(farm: Id, field: Id, query: IrrigationsListQuery = {}): Listing<Irrigation> {
    return this.list_("GET", this.path`/v1/farms/${farm}/fields/${field}/irrigations`, { query });
  }

  /**
   * Record an irrigation. Records how long and with how much water a field was irrigated. Returns the new record
   * with its `id`. A repeated request with the same `Idempotency-Key` creates nothing more and returns the same
   * response.
   */
  create(farm: Id, field: Id, body: IrrigationCreate, options: Changing = {}): Promise<Irrigation> {
    return this.one("POST", this.path`/v1/farms/${farm}/fields/${field}/irrigations`, { body, ...options });
  }

  /**
   * Show an irrigation. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as
   * the record has not changed.
   */
  get(farm: Id, field: Id, irrigation: Id): Promise<Irrigation> {
    return this.one("GET", this.path`/v1/farms/${farm}/fields/${field}/irrigations/${irrigation}`);
  }

  /**
   * Remove an irrigation. Returns 204 without a body; later requests for the record fail with 404. With `If-
   * Match`, the request fails with 412 if the record has changed since.
   */
  delete(farm: Id, field: Id, irrigation: Id, options: ChangingExisting = {}): Promise<void> {
    return this.deed("DELETE", this.path`/v1/farms/${farm}/fields/${field}/irrigations/${irrigation}`, { ...options });
  }
}

/** What leafSamples.list selects by. */
export interface LeafSamplesListQuery {
  /** Only records of this time or later. */
  readonly from?: Instant;
  /** Inclusive, as from is. */
  readonly to?: Instant;
  /** What the list is sorted by; the first is the default. */
  readonly sort?: "sampledAt" | "createdAt";
  /** The number of the page, from 1. */
  readonly page?: number;
  /** The most records in a page. */
  readonly limit?: number;
  /** The direction of the sort: ascending or descending. */
  readonly order?: "asc" | "desc";
}

/** Fields and what is on them: blocks, plants, irrigations, fertigations, samples. */
export class LeafSamplesResource extends Resource {
  /**
   * List the leaf samples. Lists the leaf samples of one block; `from` and `to` bound their time. Returns one
   * page, the newest first by default; `pagination.total` counts all matching records.
   */
  list(farm: Id, field: Id, block: Id, query: LeafSamplesListQuery = {}): Listing<LeafSample> {
    return this.list_("GET", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/leaf-samples`, { query });
  }

  /**
   * Record a leaf sample. Records what a laboratory found in the leaves of a block. Returns the new record with
   * its `id`. A repeated request with the same `Idempotency-Key` creates nothing more and returns the same
   * response.
   */
  create(farm: Id, field: Id, block: Id, body: LeafSampleCreate, options: Changing = {}): Promise<LeafSample> {
    return this.one("POST", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/leaf-samples`, { body, ...options });
  }

  /**
   * Show a leaf sample. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as
   * the record has not changed.
   */
  get(farm: Id, field: Id, block: Id, leafSample: Id): Promise<LeafSample> {
    return this.one("GET", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/leaf-samples/${leafSample}`);
  }

  /**
   * Remove a leaf sample. Returns 204 without a body; later requests for the record fail with 404. With `If-
   * Match`, the request fails with 412 if the record has changed since.
   */
  delete(farm: Id, field: Id, block: Id, leafSample: Id, options: ChangingExisting = {}): Promise<void> {
    return this.deed("DELETE", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/leaf-samples/${leafSample}`, { ...options });
  }
}

/** What overheads.list selects by. */
export interface OverheadsListQuery {
  /** Returns only records with this `category`. */
  readonly category?: "rent" | "insurance" | "tax" | "salaries" | "maintenance" | "utilities" | "administration" | "interest" | "depreciation" | "other";
  /** Only records of this time or later. */
  readonly from?: CalendarDate;
  /** Inclusive, as from is. */
  readonly to?: CalendarDate;
  /** What the list is sorted by; the first is the default. */
  readonly sort?: "transactionDate" | "createdAt";
  /** The number of the page, from 1. */
  readonly page?: number;
  /** The most records in a page. */
  readonly limit?: number;
  /** The direction of the sort: ascending or descending. */
  readonly order?: "asc" | "desc";
}

/** Sales, expenses and overheads, and their summary in one currency. */
export class OverheadsResource extends Resource {
  /**
   * List the overheads. Lists what was spent on a farm as a whole; `from` and `to` bound the date. Returns one
   * page, the newest first by default; `pagination.total` counts all matching records.
   */
  list(farm: Id, query: OverheadsListQuery = {}): Listing<Overhead> {
    return this.list_("GET", this.path`/v1/farms/${farm}/overheads`, { query });
  }

  /**
   * Record an overhead. Records money spent on a farm as a whole, such as rent. It counts once, on its date.
   * Returns the new record with its `id`. A repeated request with the same `Idempotency-Key` creates nothing
   * more and returns the same response.
   */
  create(farm: Id, body: OverheadCreate, options: Changing = {}): Promise<Overhead> {
    return this.one("POST", this.path`/v1/farms/${farm}/overheads`, { body, ...options });
  }

  /**
   * Show an overhead. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the
   * record has not changed.
   */
  get(farm: Id, overhead: Id): Promise<Overhead> {
    return this.one("GET", this.path`/v1/farms/${farm}/overheads/${overhead}`);
  }

  /**
   * Remove an overhead. Returns 204 without a body; later requests for the record fail with 404. With `If-
   * Match`, the request fails with 412 if the record has changed since.
   */
  delete(farm: Id, overhead: Id, options: ChangingExisting = {}): Promise<void> {
    return this.deed("DELETE", this.path`/v1/farms/${farm}/overheads/${overhead}`, { ...options });
  }
}

/** What plants.list selects by. */
export interface PlantsListQuery {
  /** Returns only records with this `status`. */
  readonly status?: "alive" | "sick" | "dead" | "replaced" | "removed";
  /** What the list is sorted by; the first is the default. */
  readonly sort?: "createdAt" | "label";
  /** The number of the page, from 1. */
  readonly page?: number;
  /** The most records in a page. */
  readonly limit?: number;
  /** The direction of the sort: ascending or descending. */
  readonly order?: "asc" | "desc";
}

/** Fields and what is on them: blocks, plants, irrigations, fertigations, samples. */
export class PlantsResource extends Resource {
  /**
   * List the plants. Lists the plants of one block. Returns all of them in one response, or one page if `page`
   * or `limit` is given.
   */
  list(farm: Id, field: Id, block: Id, query: PlantsListQuery = {}): Listing<Plant> {
    return this.listAtOnce("GET", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/plants`, { query });
  }

  /**
   * Create a plant. Registers one plant, with its tag and its place in the block. A `tagId` is unique among the
   * block's plants. Returns the new record with its `id`. A repeated request with the same `Idempotency-Key`
   * creates nothing more and returns the same response.
   */
  create(farm: Id, field: Id, block: Id, body: PlantCreate, options: Changing = {}): Promise<Plant> {
    return this.one("POST", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/plants`, { body, ...options });
  }

  /**
   * Show a plant. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the
   * record has not changed.
   */
  get(farm: Id, field: Id, block: Id, plant: Id): Promise<Plant> {
    return this.one("GET", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/plants/${plant}`);
  }

  /**
   * Update a plant. Members that are left out keep their values; null clears an optional member. With `If-
   * Match`, the request fails with 412 if the record has changed since.
   */
  update(
    farm: Id,
    field: Id,
    block: Id,
    plant: Id,
    body: PlantUpdate,
    options: ChangingExisting = {},
  ): Promise<Plant> {
    return this.one("PUT", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/plants/${plant}`, { body, ...options });
  }

  /**
   * Remove a plant. Returns 204 without a body; later requests for the record fail with 404. With `If-Match`,
   * the request fails with 412 if the record has changed since.
   */
  delete(farm: Id, field: Id, block: Id, plant: Id, options: ChangingExisting = {}): Promise<void> {
    return this.deed("DELETE", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/plants/${plant}`, { ...options });
  }
}

/** What priceReports.list selects by. */
export interface PriceReportsListQuery {
  /** Returns only records with this `farmId`. */
  readonly farmId?: Id;
  /** Returns only records with this `cropName`. */
  readonly cropName?: string;
  /** Only records of this time or later. */
  readonly from?: CalendarDate;
  /** Inclusive, as from is. */
  readonly to?: CalendarDate;
  /** What the list is sorted by; the first is the default. */
  readonly sort?: "createdAt" | "observedOn";
  /** The number of the page, from 1. */
  readonly page?: number;
  /** The most records in a page. */
  readonly limit?: number;
  /** The direction of the sort: ascending or descending. */
  readonly order?: "asc" | "desc";
}

/** Prices that owners report, and what crops cost in a country. */
export class PriceReportsResource extends Resource {
  /**
   * List the price reports. Lists the prices that the owner has reported. Returns one page, the newest first by
   * default; `pagination.total` counts all matching records.
   */
  list(query: PriceReportsListQuery = {}): Listing<PriceReport> {
    return this.list_("GET", "/v1/market/price-reports", { query });
  }

  /**
   * Report a price. Reports a price that others paid for a crop. It counts for a year in the prices of the
   * farm's country. Returns the new record with its `id`. A repeated request with the same `Idempotency-Key`
   * creates nothing more and returns the same response.
   */
  create(body: PriceReportCreate, options: Changing = {}): Promise<PriceReport> {
    return this.one("POST", "/v1/market/price-reports", { body, ...options });
  }

  /**
   * Remove a price report. Returns 204 without a body; later requests for the record fail with 404. With `If-
   * Match`, the request fails with 412 if the record has changed since.
   */
  delete(priceReport: Id, options: ChangingExisting = {}): Promise<void> {
    return this.deed("DELETE", this.path`/v1/market/price-reports/${priceReport}`, { ...options });
  }
}

/** What recurringTasks.list selects by. */
export interface RecurringTasksListQuery {
  /** Returns only records with this `farmId`. */
  readonly farmId?: Id;
  /** Returns only records with this `templateId`. */
  readonly templateId?: Id;
  /** Returns only records with this `pattern`. */
  readonly pattern?: "daily" | "weekly" | "monthly" | "yearly" | "custom";
  /** Returns only records with this `isActive`. */
  readonly isActive?: boolean;
  /** What the list is sorted by; the first is the default. */
  readonly sort?: "createdAt" | "nextOccurrence";
  /** The number of the page, from 1. */
  readonly page?: number;
  /** The most records in a page. */
  readonly limit?: number;
  /** The direction of the sort: ascending or descending. */
  readonly order?: "asc" | "desc";
}

/** Tasks, the templates they are made of, and the rules by which they recur. */
export class RecurringTasksResource extends Resource {
  /**
   * List the recurring tasks. Lists the rules by which tasks are made, with the next occurrence of each. Returns
   * one page, the newest first by default; `pagination.total` counts all matching records.
   */
  list(query: RecurringTasksListQuery = {}): Listing<RecurringTask> {
    return this.list_("GET", "/v1/recurring-tasks", { query });
  }

  /**
   * Create a recurring task. Makes a task from a template at each occurrence, in the farm's time zone. Tasks
   * that are due already exist when the response arrives. Returns the new record with its `id`. A repeated
   * request with the same `Idempotency-Key` creates nothing more and returns the same response.
   */
  create(body: RecurringTaskCreate, options: Changing = {}): Promise<RecurringTask> {
    return this.one("POST", "/v1/recurring-tasks", { body, ...options });
  }

  /**
   * Show a recurring task. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as
   * the record has not changed.
   */
  get(recurringTask: Id): Promise<RecurringTask> {
    return this.one("GET", this.path`/v1/recurring-tasks/${recurringTask}`);
  }

  /**
   * Update a recurring task. Tasks that were made before stay as they are; the next ones follow the new rule.
   * Members that are left out keep their values; null clears an optional member. With `If-Match`, the request
   * fails with 412 if the record has changed since.
   */
  update(recurringTask: Id, body: RecurringTaskUpdate, options: ChangingExisting = {}): Promise<RecurringTask> {
    return this.one("PUT", this.path`/v1/recurring-tasks/${recurringTask}`, { body, ...options });
  }

  /**
   * Remove a recurring task. Tasks that were made before stay. Returns 204 without a body; later requests for
   * the record fail with 404. With `If-Match`, the request fails with 412 if the record has changed since.
   */
  delete(recurringTask: Id, options: ChangingExisting = {}): Promise<void> {
    return this.deed("DELETE", this.path`/v1/recurring-tasks/${recurringTask}`, { ...options });
  }
}

/** What regionalPrices.list selects by. */
export interface RegionalPricesListQuery {
  /** A name or an ISO 3166-1 code. */
  readonly country: string;
  /** Without case; as it is canonical. */
  readonly cropName?: string;
}

/** Prices that owners report, and what crops cost in a country. */
export class RegionalPricesResource extends Resource {
  /**
   * Show what crops cost in a country. One row for each crop: the average, the lowest and the highest price of a
   * metric ton over the last year. A crop is shown once enough farms contribute to it.
   */
  list(query: RegionalPricesListQuery): Promise<Table<RegionalPrice, RegionalPricesMeta>> {
    return this.table("GET", "/v1/market/regional-prices", { query });
  }
}

/** What sales.list selects by. */
export interface SalesListQuery {
  /** Only records of this time or later. */
  readonly from?: CalendarDate;
  /** Inclusive, as from is. */
  readonly to?: CalendarDate;
  /** What the list is sorted by; the first is the default. */
  readonly sort?: "saleDate" | "createdAt";
  /** The number of the page, from 1. */
  readonly page?: number;
  /** The most records in a page. */
  readonly limit?: number;
  /** The direction of the sort: ascending or descending. */
  readonly order?: "asc" | "desc";
}

/** Sales, expenses and overheads, and their summary in one currency. */
export class SalesResource extends Resource {
  /**
   * List the sales. Lists the sales of one crop. Returns one page, the newest first by default;
   * `pagination.total` counts all matching records.
   */
  list(crop: Id, query: SalesListQuery = {}): Listing<Sale> {
    return this.list_("GET", this.path`/v1/crops/${crop}/sales`, { query });
  }

  /**
   * Record a sale. Records a sale of a crop's harvest; `totalAmount` is computed. Without `currency` it is in
   * the farm's. Returns the new record with its `id`. A repeated request with the same `Idempotency-Key` creates
   * nothing more and returns the same response.
   */
  create(crop: Id, body: SaleCreate, options: Changing = {}): Promise<Sale> {
    return this.one("POST", this.path`/v1/crops/${crop}/sales`, { body, ...options });
  }

  /**
   * Show a sale. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the
   * record has not changed.
   */
  get(crop: Id, sale: Id): Promise<Sale> {
    return this.one("GET", this.path`/v1/crops/${crop}/sales/${sale}`);
  }

  /**
   * Remove a sale. Returns 204 without a body; later requests for the record fail with 404. With `If-Match`, the
   * request fails with 412 if the record has changed since.
   */
  delete(crop: Id, sale: Id, options: ChangingExisting = {}): Promise<void> {
    return this.deed("DELETE", this.path`/v1/crops/${crop}/sales/${sale}`, { ...options });
  }
}

/** What soilSamples.list selects by. */
export interface SoilSamplesListQuery {
  /** Only records of this time or later. */
  readonly from?: Instant;
  /** Inclusive, as from is. */
  readonly to?: Instant;
  /** What the list is sorted by; the first is the default. */
  readonly sort?: "sampledAt" | "createdAt";
  /** The number of the page, from 1. */
  readonly page?: number;
  /** The most records in a page. */
  readonly limit?: number;
  /** The direction of the sort: ascending or descending. */
  readonly order?: "asc" | "desc";
}

/** Fields and what is on them: blocks, plants, irrigations, fertigations, samples. */
export class SoilSamplesResource extends Resource {
  /**
   * List the soil samples. Lists the soil samples of one field; `from` and `to` bound their time. Returns one
   * page, the newest first by default; `pagination.total` counts all matching records.
   */
  list(farm: Id, field: Id, query: SoilSamplesListQuery = {}): Listing<SoilSample> {
    return this.list_("GET", this.path`/v1/farms/${farm}/fields/${field}/soil-samples`, { query });
  }

  /**
   * Record a soil sample. Records what a laboratory found in a field's soil. The newest `ph` becomes the field's
   * `soilPh`. Returns the new record with its `id`. A repeated request with the same `Idempotency-Key` creates
   * nothing more and returns the same response.
   */
  create(farm: Id, field: Id, body: SoilSampleCreate, options: Changing = {}): Promise<SoilSample> {
    return this.one("POST", this.path`/v1/farms/${farm}/fields/${field}/soil-samples`, { body, ...options });
  }

  /**
   * Show a soil sample. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as
   * the record has not changed.
   */
  get(farm: Id, field: Id, soilSample: Id): Promise<SoilSample> {
    return this.one("GET", this.path`/v1/farms/${farm}/fields/${field}/soil-samples/${soilSample}`);
  }

  /**
   * Remove a soil sample. The field's `soilPh` falls back to the newest sample that is left. Returns 204 without
   * a body; later requests for the record fail with 404. With `If-Match`, the request fails with 412 if the
   * record has changed since.
   */
  delete(farm: Id, field: Id, soilSample: Id, options: ChangingExisting = {}): Promise<void> {
    return this.deed("DELETE", this.path`/v1/farms/${farm}/fields/${field}/soil-samples/${soilSample}`, { ...options });
  }
}

/** What taskTemplates.list selects by. */
export interface TaskTemplatesListQuery {
  /** Templates bound to this farm or to none. */
  readonly farmId?: Id;
  /** Returns only records with this `category`. */
  readonly category?: "planting" | "irrigation" | "fertilization" | "pest_control" | "harvesting" | "soil_management" | "maintenance" | "planning" | "inspection" | "other";
  /** Returns only records with this `isActive`. */
  readonly isActive?: boolean;
  /** Whether the templates that all owners share are listed, too. */
  readonly includeGlobal?: boolean;
  /** What the list is sorted by; the first is the default. */
  readonly sort?: "createdAt" | "name";
  /** The number of the page, from 1. */
  readonly page?: number;
  /** The most records in a page. */
  readonly limit?: number;
  /** The direction of the sort: ascending or descending. */
  readonly order?: "asc" | "desc";
}

/** Tasks, the templates they are made of, and the rules by which they recur. */
export class TaskTemplatesResource extends Resource {
  /**
   * List the task templates. Lists your own templates and the active ones that are shared by all owners. Returns
   * one page, the newest first by default; `pagination.total` counts all matching records.
   */
  list(query: TaskTemplatesListQuery = {}): Listing<TaskTemplate> {
    return this.list_("GET", "/v1/templates", { query });
  }

  /**
   * Create a task template. Returns the new record with its `id`. A repeated request with the same `Idempotency-
   * Key` creates nothing more and returns the same response.
   */
  create(body: TaskTemplateCreate, options: Changing = {}): Promise<TaskTemplate> {
    return this.one("POST", "/v1/templates", { body, ...options });
  }

  /**
   * Show a task template. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as
   * the record has not changed.
   */
  get(taskTemplate: Id): Promise<TaskTemplate> {
    return this.one("GET", this.path`/v1/templates/${taskTemplate}`);
  }

  /**
   * Update a task template. Tasks that were made of it before stay as they are. Members that are left out keep
   * their values; null clears an optional member. With `If-Match`, the request fails with 412 if the record has
   * changed since.
   */
  update(taskTemplate: Id, body: TaskTemplateUpdate, options: ChangingExisting = {}): Promise<TaskTemplate> {
    return this.one("PUT", this.path`/v1/templates/${taskTemplate}`, { body, ...options });
  }

  /**
   * Remove a task template. Recurring tasks that use it stop. Returns 204 without a body; later requests for the
   * record fail with 404. With `If-Match`, the request fails with 412 if the record has changed since.
   */
  delete(taskTemplate: Id, options: ChangingExisting = {}): Promise<void> {
    return this.deed("DELETE", this.path`/v1/templates/${taskTemplate}`, { ...options });
  }

  /**
   * Create a task from a template. The task takes its members from the template, except those that the body
   * gives. Returns the new record with its `id`. A repeated request with the same `Idempotency-Key` creates
   * nothing more and returns the same response.
   */
  apply(taskTemplate: Id, body: ApplyTemplate = {}, options: Changing = {}): Promise<Task> {
    return this.one("POST", this.path`/v1/templates/${taskTemplate}/apply`, { body, ...options });
  }
}

/** What tasks.list selects by. */
export interface TasksListQuery {
  /** Returns only records with this `status`. */
  readonly status?: "pending" | "in_progress" | "completed" | "overdue" | "cancelled";
  /** Returns only records with this `farmId`. */
  readonly farmId?: Id;
  /** Returns only records with this `priority`. */
  readonly priority?: "low" | "medium" | "high" | "urgent";
  /** Returns only records with this `category`. */
  readonly category?: "planting" | "irrigation" | "fertilization" | "pest_control" | "harvesting" | "soil_management" | "maintenance" | "planning" | "inspection" | "other";
  /** Returns only records with this `assignedTo`. */
  readonly assignedTo?: string;
  /** Returns only records with this `cropId`. */
  readonly cropId?: Id;
  /** Returns only records with this `fieldId`. */
  readonly fieldId?: Id;
  /** Returns only records with this `blockId`. */
  readonly blockId?: Id;
  /** Whether work remains: pending, in_progress or overdue; not completed or cancelled. */
  readonly open?: boolean;
  /** Tasks with a dueDate before this instant. */
  readonly dueBefore?: Instant;
  /** Tasks with a dueDate at or after this instant. */
  readonly dueAfter?: Instant;
  /** What the list is sorted by; the first is the default. */
  readonly sort?: "createdAt" | "dueDate" | "priority" | "title";
  /** The number of the page, from 1. */
  readonly page?: number;
  /** The most records in a page. */
  readonly limit?: number;
  /** The direction of the sort: ascending or descending. */
  readonly order?: "asc" | "desc";
}

/** Tasks, the templates they are made of, and the rules by which they recur. */
export class TasksResource extends Resource {
  /**
   * List the tasks. Lists the tasks on all farms; an open task whose `dueDate` has passed is shown and found as
   * `overdue`. Returns one page, the newest first by default; `pagination.total` counts all matching records.
   */
  list(query: TasksListQuery = {}): Listing<Task> {
    return this.list_("GET", "/v1/tasks", { query });
  }

  /**
   * Create a task. Plans a piece of work on a farm, and links it to a crop, a field or a block of that farm.
   * Returns the new record with its `id`. A repeated request with the same `Idempotency-Key` creates nothing
   * more and returns the same response.
   */
  create(body: TaskCreate, options: Changing = {}): Promise<Task> {
    return this.one("POST", "/v1/tasks", { body, ...options });
  }

  /**
   * Show a task. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the
   * record has not changed.
   */
  get(task: Id): Promise<Task> {
    return this.one("GET", this.path`/v1/tasks/${task}`);
  }

  /**
   * Update a task. A task that becomes completed gets its `completedDate` unless it is given. Members that are
   * left out keep their values; null clears an optional member. With `If-Match`, the request fails with 412 if
   * the record has changed since.
   */
  update(task: Id, body: TaskUpdate, options: ChangingExisting = {}): Promise<Task> {
    return this.one("PUT", this.path`/v1/tasks/${task}`, { body, ...options });
  }

  /**
   * Remove a task. Returns 204 without a body; later requests for the record fail with 404. With `If-Match`, the
   * request fails with 412 if the record has changed since.
   */
  delete(task: Id, options: ChangingExisting = {}): Promise<void> {
    return this.deed("DELETE", this.path`/v1/tasks/${task}`, { ...options });
  }

  /**
   * Complete a task. Marks the work as done now, with a photo, a position and notes as evidence. Returns the
   * record after the change. Repeating the request changes nothing more.
   */
  complete(task: Id, body: CompleteTask = {}, options: Changing = {}): Promise<Task> {
    return this.one("POST", this.path`/v1/tasks/${task}/complete`, { body, ...options });
  }

  /**
   * Reschedule a task. Moves a task to another `dueDate`, which also decides whether it is overdue. Returns the
   * record after the change. Repeating the request changes nothing more.
   */
  reschedule(task: Id, body: RescheduleTask, options: ChangingExisting = {}): Promise<Task> {
    return this.one("PUT", this.path`/v1/tasks/${task}/reschedule`, { body, ...options });
  }
}

/** What the dashboard uses: sessions, API keys, the plan. */
export class UsageResource extends Resource {
  /** Show what is used of the plan. Counts the farms, and this month's requests to the assistant. */
  get(): Promise<Usage> {
    return this.bare("GET", "/billing/usage");
  }
}

/** What usageHistory.get selects by. */
export interface UsageHistoryGetQuery {
  /** What requests are added up by: hour, the default, or day, in UTC. */
  readonly by?: "hour" | "day";
  /**
   * The hour or day that this instant is in is the first. By default 24 hours or 30 days ago. Nothing is known
   * of hours more than 35 days ago.
   */
  readonly since?: Instant;
}

/** What the dashboard uses: sessions, API keys, the plan. */
export class UsageHistoryResource extends Resource {
  /**
   * Show the requests over time. Counts the requests of each hour or day by API key, and those that were refused
   * since a limit was used up. Ordered by time and key; a key without requests in an hour or day is left out.
   */
  get(query: UsageHistoryGetQuery = {}): Promise<Table<KeyUsage, UsageHistoryMeta>> {
    return this.table("GET", "/billing/usage/history", { query });
  }
}

/** What userCrops.list selects by. */
export interface UserCropsListQuery {
  /** Returns only records with this `farmId`. */
  readonly farmId?: Id;
  /** Returns only records with this `source`. */
  readonly source?: "manual_search" | "ai_recommendation";
  /** What the list is sorted by; the first is the default. */
  readonly sort?: "createdAt";
  /** The number of the page, from 1. */
  readonly page?: number;
  /** The most records in a page. */
  readonly limit?: number;
  /** The direction of the sort: ascending or descending. */
  readonly order?: "asc" | "desc";
}

/** The library of crops and varieties, and the owner's shortlist of them. */
export class UserCropsResource extends Resource {
  /**
   * List the shortlist. Returns one page, the newest first by default; `pagination.total` counts all matching
   * records.
   */
  list(query: UserCropsListQuery = {}): Listing<UserCrop> {
    return this.list_("GET", "/v1/crop-library/user-crops", { query });
  }

  /**
   * Add a crop to the shortlist. Chooses a crop of the library for a farm, or for no farm in particular. If the
   * crop is on the list already, the response is its entry, unchanged. Returns the new record with its `id`. A
   * repeated request with the same `Idempotency-Key` creates nothing more and returns the same response.
   */
  create(body: UserCropCreate, options: Changing = {}): Promise<UserCrop> {
    return this.one("POST", "/v1/crop-library/user-crops", { body, ...options });
  }

  /**
   * Remove a crop from the shortlist. Returns 204 without a body; later requests for the record fail with 404.
   * With `If-Match`, the request fails with 412 if the record has changed since.
   */
  delete(userCrop: Id, options: ChangingExisting = {}): Promise<void> {
    return this.deed("DELETE", this.path`/v1/crop-library/user-crops/${userCrop}`, { ...options });
  }
}

/** What varieties.list selects by. */
export interface VarietiesListQuery {
  /** Returns only records with this `adminCropId`. */
  readonly adminCropId: Id;
}

/** The library of crops and varieties, and the owner's shortlist of them. */
export class VarietiesResource extends Resource {
  /**
   * List a library crop's varieties. Returns all varieties of one crop of the library, without pages. An unknown
   * crop has none.
   */
  list(query: VarietiesListQuery): Promise<readonly Variety[]> {
    return this.one("GET", "/v1/crop-library/varieties", { query });
  }
}

/** What webhookDeliveries.list selects by. */
export interface WebhookDeliveriesListQuery {
  /** Returns only records with this `status`. */
  readonly status?: "pending" | "delivered" | "failed";
  /** The number of the page, from 1. */
  readonly page?: number;
  /** The most records in a page. */
  readonly limit?: number;
  /** The direction of the sort: ascending or descending. */
  readonly order?: "asc" | "desc";
}

/** Where the owner wants events sent, and what became of each. */
export class WebhookDeliveriesResource extends Resource {
  /**
   * List a webhook's deliveries. By default the newest first: each event that was sent, with its last attempt.
   * They are kept for 30 days, 10,000 of each webhook.
   */
  list(webhook: Id, query: WebhookDeliveriesListQuery = {}): Listing<WebhookDelivery> {
    return this.list_("GET", this.path`/v1/webhooks/${webhook}/deliveries`, { query });
  }

  /**
   * Send a delivery's event again. Returns 202 with the webhook. A pending delivery is attempted at once. For
   * one that arrived or was given up, a new delivery is made with the same `webhook-id`, by which receivers
   * recognize it.
   */
  resend(webhook: Id, delivery: Id, options: Changing = {}): Promise<Webhook> {
    return this.one("POST", this.path`/v1/webhooks/${webhook}/deliveries/${delivery}/resend`, { ...options });
  }
}

/** What webhooks.list selects by. */
export interface WebhooksListQuery {
  /** What the list is sorted by; the first is the default. */
  readonly sort?: "createdAt";
  /** The number of the page, from 1. */
  readonly page?: number;
  /** The most records in a page. */
  readonly limit?: number;
  /** The direction of the sort: ascending or descending. */
  readonly order?: "asc" | "desc";
}

/** Where the owner wants events sent, and what became of each. */
export class WebhooksResource extends Resource {
  /**
   * Create a webhook. From then on each of your events whose type fits is sent to the URL, signed as Standard
   * Webhooks says. The response is the only one that has this `secret`. Returns the new record with its `id`. A
   * repeated request with the same `Idempotency-Key` creates nothing more and returns the same response.
   */
  create(body: WebhookCreate, options: Changing = {}): Promise<WebhookWithSecret> {
    return this.one("POST", "/v1/webhooks", { body, ...options });
  }

  /**
   * List the webhooks. Returns one page, the newest first by default; `pagination.total` counts all matching
   * records.
   */
  list(query: WebhooksListQuery = {}): Listing<Webhook> {
    return this.list_("GET", "/v1/webhooks", { query });
  }

  /**
   * Show a webhook. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the
   * record has not changed.
   */
  get(webhook: Id): Promise<Webhook> {
    return this.one("GET", this.path`/v1/webhooks/${webhook}`);
  }

  /**
   * Update a webhook. Made active again, it carries on with the first event that it has not got. Members that
   * are left out keep their values; null clears an optional member. With `If-Match`, the request fails with 412
   * if the record has changed since.
   */
  update(webhook: Id, body: WebhookUpdate, options: ChangingExisting = {}): Promise<Webhook> {
    return this.one("PUT", this.path`/v1/webhooks/${webhook}`, { body, ...options });
  }

  /**
   * Remove a webhook. Its deliveries are removed with it. Returns 204 without a body; later requests for the
   * record fail with 404. With `If-Match`, the request fails with 412 if the record has changed since.
   */
  delete(webhook: Id, options: ChangingExisting = {}): Promise<void> {
    return this.deed("DELETE", this.path`/v1/webhooks/${webhook}`, { ...options });
  }

  /**
   * Send past events again. Returns 202 with the webhook. Your events from `since` on and before `until`, or up
   * to this request, are sent again, whether or not they arrived: those whose type matches one of `types`, or
   * one of the webhook's if there are none. They may be older than the webhook.
   */
  replay(webhook: Id, body: ReplayWebhook, options: Changing = {}): Promise<Webhook> {
    return this.one("POST", this.path`/v1/webhooks/${webhook}/replay`, { body, ...options });
  }

  /**
   * Replace a webhook's secret. Returns the webhook with a new `secret`, which no other response contains. For
   * 24 hours deliveries are also signed with the previous one; of the secrets replaced within 24 hours, only the
   * newest five sign. Repeating the request replaces the secret again.
   */
  rotate(webhook: Id, options: Changing = {}): Promise<WebhookWithSecret> {
    return this.one("POST", this.path`/v1/webhooks/${webhook}/rotate`, { ...options });
  }

  /**
   * Send a test to a webhook. Sends an event of the type `tilth.webhook.test` at once, even if the webhook is
   * not active, and returns the outcome: the receiver's HTTP status or an error, the milliseconds, and the first
   * 1,000 bytes of its response. A test is not repeated and not listed.
   */
  test(webhook: Id, options: Changing = {}): Promise<WebhookTest> {
    return this.one("POST", this.path`/v1/webhooks/${webhook}/test`, { ...options });
  }
}

/** Every resource, as a property of a client. */
export class Resources {
  readonly adminCrops: AdminCropsResource;
  readonly blocks: BlocksResource;
  readonly crops: CropsResource;
  readonly expenses: ExpensesResource;
  readonly farms: FarmsResource;
  readonly fertigations: FertigationsResource;
  readonly fields: FieldsResource;
  readonly irrigations: IrrigationsResource;
  readonly leafSamples: LeafSamplesResource;
  readonly overheads: OverheadsResource;
  readonly plants: PlantsResource;
  readonly priceReports: PriceReportsResource;
  readonly recurringTasks: RecurringTasksResource;
  readonly regionalPrices: RegionalPricesResource;
  readonly sales: SalesResource;
  readonly soilSamples: SoilSamplesResource;
  readonly taskTemplates: TaskTemplatesResource;
  readonly tasks: TasksResource;
  readonly usage: UsageResource;
  readonly usageHistory: UsageHistoryResource;
  readonly userCrops: UserCropsResource;
  readonly varieties: VarietiesResource;
  readonly webhookDeliveries: WebhookDeliveriesResource;
  readonly webhooks: WebhooksResource;

  constructor(owner: Transport) {
    this.adminCrops = new AdminCropsResource(owner);
    this.blocks = new BlocksResource(owner);
    this.crops = new CropsResource(owner);
    this.expenses = new ExpensesResource(owner);
    this.farms = new FarmsResource(owner);
    this.fertigations = new FertigationsResource(owner);
    this.fields = new FieldsResource(owner);
    this.irrigations = new IrrigationsResource(owner);
    this.leafSamples = new LeafSamplesResource(owner);
    this.overheads = new OverheadsResource(owner);
    this.plants = new PlantsResource(owner);
    this.priceReports = new PriceReportsResource(owner);
    this.recurringTasks = new RecurringTasksResource(owner);
    this.regionalPrices = new RegionalPricesResource(owner);
    this.sales = new SalesResource(owner);
    this.soilSamples = new SoilSamplesResource(owner);
    this.taskTemplates = new TaskTemplatesResource(owner);
    this.tasks = new TasksResource(owner);
    this.usage = new UsageResource(owner);
    this.usageHistory = new UsageHistoryResource(owner);
    this.userCrops = new UserCropsResource(owner);
    this.varieties = new VarietiesResource(owner);
    this.webhookDeliveries = new WebhookDeliveriesResource(owner);
    this.webhooks = new WebhooksResource(owner);
  }
}
