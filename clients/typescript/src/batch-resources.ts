// The resources within a batch: their methods add requests to it.
// Made by clients/generate.py of the OpenAPI document; do not edit.

import { BatchResource, type Planned, type Planner } from "./planned.js";
import type { Changing, ChangingExisting } from "./planned.js";
import type {
  AdminCropsListQuery,
  BlocksListQuery,
  CropsListQuery,
  ExpensesListQuery,
  FarmsFinancialSummaryQuery,
  FarmsListQuery,
  FarmsYieldPredictionQuery,
  FertigationsListQuery,
  FieldsListQuery,
  IrrigationsListQuery,
  LeafSamplesListQuery,
  OverheadsListQuery,
  PlantsListQuery,
  PriceReportsListQuery,
  RecurringTasksListQuery,
  RegionalPricesListQuery,
  SalesListQuery,
  SoilSamplesListQuery,
  TaskTemplatesListQuery,
  TasksListQuery,
  UsageHistoryGetQuery,
  UserCropsListQuery,
  VarietiesListQuery,
  WebhookDeliveriesListQuery,
  WebhooksListQuery,
} from "./resources.js";
import type { Id } from "./values.js";
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

/** The library of crops and varieties, and the owner's shortlist of them. */
export class BatchAdminCropsResource extends BatchResource {
  /**
   * List the library's crops. Lists the verified crops that every owner can choose from, by name. Returns one
   * page, the newest first by default; `pagination.total` counts all matching records.
   */
  list(query: AdminCropsListQuery = {}): Planned<readonly AdminCrop[]> {
    return this.plan("GET", "/v1/crop-library/crops", { query });
  }

  /**
   * Show a crop of the library. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as
   * long as the record has not changed.
   */
  get(adminCrop: Id): Planned<AdminCrop> {
    return this.plan("GET", this.path`/v1/crop-library/crops/${adminCrop}`);
  }
}

/** Fields and what is on them: blocks, plants, irrigations, fertigations, samples. */
export class BatchBlocksResource extends BatchResource {
  /**
   * List the blocks. Lists the blocks of one field. Returns all of them in one response, or one page if `page`
   * or `limit` is given.
   */
  list(farm: Id, field: Id, query: BlocksListQuery = {}): Planned<readonly Block[]> {
    return this.plan("GET", this.path`/v1/farms/${farm}/fields/${field}/blocks`, { query });
  }

  /**
   * Create a block. A block is the part of a field on which one crop grows. Spacings and density come from the
   * library unless they are given. Returns the new record with its `id`. A repeated request with the same
   * `Idempotency-Key` creates nothing more and returns the same response.
   */
  create(farm: Id, field: Id, body: BlockCreate, options: Changing = {}): Planned<Block> {
    return this.plan("POST", this.path`/v1/farms/${farm}/fields/${field}/blocks`, { body, ...options });
  }

  /**
   * Show a block. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the
   * record has not changed.
   */
  get(farm: Id, field: Id, block: Id): Planned<Block> {
    return this.plan("GET", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}`);
  }

  /**
   * Update a block. Members that are left out keep their values; null clears an optional member. With `If-
   * Match`, the request fails with 412 if the record has changed since.
   */
  update(farm: Id, field: Id, block: Id, body: BlockUpdate, options: ChangingExisting = {}): Planned<Block> {
    return this.plan("PUT", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}`, { body, ...options });
  }

  /**
   * Remove a block. Removes its plants, fertigations and leaf samples with it. Returns 204 without a body; later
   * requests for the record fail with 404. With `If-Match`, the request fails with 412 if the record has changed
   * since.
   */
  delete(farm: Id, field: Id, block: Id, options: ChangingExisting = {}): Planned<void> {
    return this.plan("DELETE", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}`, { ...options });
  }
}

/** Crops: what is planted on a field, from the plan to the harvest. */
export class BatchCropsResource extends BatchResource {
  /**
   * List the crops. Lists the owner's plantings on all farms; filters narrow them to a farm, a field or a
   * status. Returns one page, the newest first by default; `pagination.total` counts all matching records.
   */
  list(query: CropsListQuery = {}): Planned<readonly Crop[]> {
    return this.plan("GET", "/v1/crops", { query });
  }

  /**
   * Create a crop. Plans or records a planting on a field. With `adminCropId` the expected harvest follows from
   * the library, unless it is given. Returns the new record with its `id`. A repeated request with the same
   * `Idempotency-Key` creates nothing more and returns the same response.
   */
  create(body: CropCreate, options: Changing = {}): Planned<Crop> {
    return this.plan("POST", "/v1/crops", { body, ...options });
  }

  /**
   * Show a crop. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the
   * record has not changed.
   */
  get(crop: Id): Planned<Crop> {
    return this.plan("GET", this.path`/v1/crops/${crop}`);
  }

  /**
   * Update a crop. Members that are left out keep their values; null clears an optional member. With `If-Match`,
   * the request fails with 412 if the record has changed since.
   */
  update(crop: Id, body: CropUpdate, options: ChangingExisting = {}): Planned<Crop> {
    return this.plan("PUT", this.path`/v1/crops/${crop}`, { body, ...options });
  }

  /**
   * Remove a crop. Removes its blocks, sales and expenses with it. Returns 204 without a body; later requests
   * for the record fail with 404. With `If-Match`, the request fails with 412 if the record has changed since.
   */
  delete(crop: Id, options: ChangingExisting = {}): Planned<void> {
    return this.plan("DELETE", this.path`/v1/crops/${crop}`, { ...options });
  }

  /**
   * Change the status of a crop. Returns the record after the change. Repeating the request changes nothing
   * more.
   */
  move(crop: Id, body: MoveCrop, options: ChangingExisting = {}): Planned<Crop> {
    return this.plan("PUT", this.path`/v1/crops/${crop}/status`, { body, ...options });
  }
}

/** Sales, expenses and overheads, and their summary in one currency. */
export class BatchExpensesResource extends BatchResource {
  /**
   * List the expenses. Lists what was spent on a farm; `from` and `to` bound the date. Returns one page, the
   * newest first by default; `pagination.total` counts all matching records.
   */
  list(farm: Id, query: ExpensesListQuery = {}): Planned<readonly Expense[]> {
    return this.plan("GET", this.path`/v1/farms/${farm}/expenses`, { query });
  }

  /**
   * Record an expense. Records money spent on a farm, or on one of its crops or fields. Without `currency` it is
   * in the farm's. Returns the new record with its `id`. A repeated request with the same `Idempotency-Key`
   * creates nothing more and returns the same response.
   */
  create(farm: Id, body: ExpenseCreate, options: Changing = {}): Planned<Expense> {
    return this.plan("POST", this.path`/v1/farms/${farm}/expenses`, { body, ...options });
  }

  /**
   * Show an expense. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the
   * record has not changed.
   */
  get(farm: Id, expense: Id): Planned<Expense> {
    return this.plan("GET", this.path`/v1/farms/${farm}/expenses/${expense}`);
  }

  /**
   * Remove an expense. Returns 204 without a body; later requests for the record fail with 404. With `If-Match`,
   * the request fails with 412 if the record has changed since.
   */
  delete(farm: Id, expense: Id, options: ChangingExisting = {}): Planned<void> {
    return this.plan("DELETE", this.path`/v1/farms/${farm}/expenses/${expense}`, { ...options });
  }
}

/** Farms: the root of land, work and money. */
export class BatchFarmsResource extends BatchResource {
  /**
   * List the farms. Lists the owner's farms; `status` narrows them. Returns one page, the newest first by
   * default; `pagination.total` counts all matching records.
   */
  list(query: FarmsListQuery = {}): Planned<readonly Farm[]> {
    return this.plan("GET", "/v1/farms", { query });
  }

  /**
   * Create a farm. A farm is the root of fields, tasks and money. Its name is unique among the owner's farms,
   * and the plan limits how many there are. Returns the new record with its `id`. A repeated request with the
   * same `Idempotency-Key` creates nothing more and returns the same response.
   */
  create(body: FarmCreate, options: Changing = {}): Planned<Farm> {
    return this.plan("POST", "/v1/farms", { body, ...options });
  }

  /**
   * Show a farm. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the
   * record has not changed.
   */
  get(farm: Id): Planned<Farm> {
    return this.plan("GET", this.path`/v1/farms/${farm}`);
  }

  /**
   * Update a farm. Members that are left out keep their values; null clears an optional member. With `If-Match`,
   * the request fails with 412 if the record has changed since.
   */
  update(farm: Id, body: FarmUpdate, options: ChangingExisting = {}): Planned<Farm> {
    return this.plan("PUT", this.path`/v1/farms/${farm}`, { body, ...options });
  }

  /**
   * Remove a farm. Removes everything on the farm with it: fields, crops, blocks, plants, tasks, recurring tasks
   * and its money. Returns 204 without a body; later requests for the record fail with 404. With `If-Match`, the
   * request fails with 412 if the record has changed since.
   */
  delete(farm: Id, options: ChangingExisting = {}): Planned<void> {
    return this.plan("DELETE", this.path`/v1/farms/${farm}`, { ...options });
  }

  /**
   * Summarize what a farm earned and spent. Adds up sales, expenses and overheads in the farm's base currency,
   * each at the exchange rate of its own day. Computed from the current records for each request, so there is no
   * `ETag`.
   */
  financialSummary(farm: Id, query: FarmsFinancialSummaryQuery = {}): Planned<FinancialSummary> {
    return this.plan("GET", this.path`/v1/farms/${farm}/financial-summary`, { query });
  }

  /**
   * Score how a farm is doing. A score of 0 to 100 from tasks, plants, soil, irrigation and crops, with alerts
   * for what needs attention. Computed from the current records for each request, so there is no `ETag`.
   */
  healthScore(farm: Id): Planned<HealthScore> {
    return this.plan("GET", this.path`/v1/farms/${farm}/health-score`);
  }

  /**
   * Predict what a farm's crops yield. Predicts the harvest of each crop that is planned or grows, with bounds
   * and the factors that led to it. Computed from the current records for each request, so there is no `ETag`.
   */
  yieldPrediction(farm: Id, query: FarmsYieldPredictionQuery = {}): Planned<YieldPrediction> {
    return this.plan("GET", this.path`/v1/farms/${farm}/yield-prediction`, { query });
  }
}

/** Fields and what is on them: blocks, plants, irrigations, fertigations, samples. */
export class BatchFertigationsResource extends BatchResource {
  /**
   * List the fertigations. Lists the fertigations of one block; `from` and `to` bound their time. Returns one
   * page, the newest first by default; `pagination.total` counts all matching records.
   */
  list(farm: Id, field: Id, block: Id, query: FertigationsListQuery = {}): Planned<readonly Fertigation[]> {
    return this.plan("GET", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/fertigations`, { query });
  }

  /**
   * Record a fertigation. Records what fertilizer a block was given with its water. Returns the new record with
   * its `id`. A repeated request with the same `Idempotency-Key` creates nothing more and returns the same
   * response.
   */
  create(farm: Id, field: Id, block: Id, body: FertigationCreate, options: Changing = {}): Planned<Fertigation> {
    return this.plan("POST", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/fertigations`, { body, ...options });
  }

  /**
   * Show a fertigation. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as
   * the record has not changed.
   */
  get(farm: Id, field: Id, block: Id, fertigation: Id): Planned<Fertigation> {
    return this.plan("GET", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/fertigations/${fertigation}`);
  }

  /**
   * Remove a fertigation. Returns 204 without a body; later requests for the record fail with 404. With `If-
   * Match`, the request fails with 412 if the record has changed since.
   */
  delete(farm: Id, field: Id, block: Id, fertigation: Id, options: ChangingExisting = {}): Planned<void> {
    return this.plan("DELETE", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/fertigations/${fertigation}`, { ...options });
  }
}

/** Fields and what is on them: blocks, plants, irrigations, fertigations, samples. */
export class BatchFieldsResource extends BatchResource {
  /**
   * List the fields. Lists the fields of one farm. Returns one page, the newest first by default;
   * `pagination.total` counts all matching records.
   */
  list(farm: Id, query: FieldsListQuery = {}): Planned<readonly Field[]> {
    return this.plan("GET", this.path`/v1/farms/${farm}/fields`, { query });
  }

  /**
   * Create a field. A field is a piece of land of a farm, in the farm's `areaUnit`. Returns the new record with
   * its `id`. A repeated request with the same `Idempotency-Key` creates nothing more and returns the same
   * response.
   */
  create(farm: Id, body: FieldCreate, options: Changing = {}): Planned<Field> {
    return this.plan("POST", this.path`/v1/farms/${farm}/fields`, { body, ...options });
  }

  /**
   * Show a field. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the
   * record has not changed.
   */
  get(farm: Id, field: Id): Planned<Field> {
    return this.plan("GET", this.path`/v1/farms/${farm}/fields/${field}`);
  }

  /**
   * Update a field. Members that are left out keep their values; null clears an optional member. With `If-
   * Match`, the request fails with 412 if the record has changed since.
   */
  update(farm: Id, field: Id, body: FieldUpdate, options: ChangingExisting = {}): Planned<Field> {
    return this.plan("PUT", this.path`/v1/farms/${farm}/fields/${field}`, { body, ...options });
  }

  /**
   * Remove a field. Removes its crops, blocks, irrigations, soil samples and expenses with it. Returns 204
   * without a body; later requests for the record fail with 404. With `If-Match`, the request fails with 412 if
   * the record has changed since.
   */
  delete(farm: Id, field: Id, options: ChangingExisting = {}): Planned<void> {
    return this.plan("DELETE", this.path`/v1/farms/${farm}/fields/${field}`, { ...options });
  }
}

/** Fields and what is on them: blocks, plants, irrigations, fertigations, samples. */
export class BatchIrrigationsResource extends BatchResource {
  /**
   * List the irrigations. Lists the irrigations of one field; `from` and `to` bound their time. Returns one
   * page, the newest first by default; `pagination.total` counts all matching records.
   */
  list(farm: Id, field: Id, query: IrrigationsListQuery = {}): Planned<readonly Irrigation[]> {
    return this.plan("GET", this.path`/v1/farms/${farm}/fields/${field}/irrigations`, { query });
  }

  /**
   * Record an irrigation. Records how long and with how much water a field was irrigated. Returns the new record
   * with its `id`. A repeated request with the same `Idempotency-Key` creates nothing more and returns the same
   * response.
   */
  create(farm: Id, field: Id, body: IrrigationCreate, options: Changing = {}): Planned<Irrigation> {
    return this.plan("POST", this.path`/v1/farms/${farm}/fields/${field}/irrigations`, { body, ...options });
  }

  /**
   * Show an irrigation. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as
   * the record has not changed.
   */
  get(farm: Id, field: Id, irrigation: Id): Planned<Irrigation> {
    return this.plan("GET", this.path`/v1/farms/${farm}/fields/${field}/irrigations/${irrigation}`);
  }

  /**
   * Remove an irrigation. Returns 204 without a body; later requests for the record fail with 404. With `If-
   * Match`, the request fails with 412 if the record has changed since.
   */
  delete(farm: Id, field: Id, irrigation: Id, options: ChangingExisting = {}): Planned<void> {
    return this.plan("DELETE", this.path`/v1/farms/${farm}/fields/${field}/irrigations/${irrigation}`, { ...options });
  }
}

/** Fields and what is on them: blocks, plants, irrigations, fertigations, samples. */
export class BatchLeafSamplesResource extends BatchResource {
  /**
   * List the leaf samples. Lists the leaf samples of one block; `from` and `to` bound their time. Returns one
   * page, the newest first by default; `pagination.total` counts all matching records.
   */
  list(farm: Id, field: Id, block: Id, query: LeafSamplesListQuery = {}): Planned<readonly LeafSample[]> {
    return this.plan("GET", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/leaf-samples`, { query });
  }

  /**
   * Record a leaf sample. Records what a laboratory found in the leaves of a block. Returns the new record with
   * its `id`. A repeated request with the same `Idempotency-Key` creates nothing more and returns the same
   * response.
   */
  create(farm: Id, field: Id, block: Id, body: LeafSampleCreate, options: Changing = {}): Planned<LeafSample> {
    return this.plan("POST", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/leaf-samples`, { body, ...options });
  }

  /**
   * Show a leaf sample. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as
   * the record has not changed.
   */
  get(farm: Id, field: Id, block: Id, leafSample: Id): Planned<LeafSample> {
    return this.plan("GET", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/leaf-samples/${leafSample}`);
  }

  /**
   * Remove a leaf sample. Returns 204 without a body; later requests for the record fail with 404. With `If-
   * Match`, the request fails with 412 if the record has changed since.
   */
  delete(farm: Id, field: Id, block: Id, leafSample: Id, options: ChangingExisting = {}): Planned<void> {
    return this.plan("DELETE", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/leaf-samples/${leafSample}`, { ...options });
  }
}

/** Sales, expenses and overheads, and their summary in one currency. */
export class BatchOverheadsResource extends BatchResource {
  /**
   * List the overheads. Lists what was spent on a farm as a whole; `from` and `to` bound the date. Returns one
   * page, the newest first by default; `pagination.total` counts all matching records.
   */
  list(farm: Id, query: OverheadsListQuery = {}): Planned<readonly Overhead[]> {
    return this.plan("GET", this.path`/v1/farms/${farm}/overheads`, { query });
  }

  /**
   * Record an overhead. Records money spent on a farm as a whole, such as rent. It counts once, on its date.
   * Returns the new record with its `id`. A repeated request with the same `Idempotency-Key` creates nothing
   * more and returns the same response.
   */
  create(farm: Id, body: OverheadCreate, options: Changing = {}): Planned<Overhead> {
    return this.plan("POST", this.path`/v1/farms/${farm}/overheads`, { body, ...options });
  }

  /**
   * Show an overhead. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the
   * record has not changed.
   */
  get(farm: Id, overhead: Id): Planned<Overhead> {
    return this.plan("GET", this.path`/v1/farms/${farm}/overheads/${overhead}`);
  }

  /**
   * Remove an overhead. Returns 204 without a body; later requests for the record fail with 404. With `If-
   * Match`, the request fails with 412 if the record has changed since.
   */
  delete(farm: Id, overhead: Id, options: ChangingExisting = {}): Planned<void> {
    return this.plan("DELETE", this.path`/v1/farms/${farm}/overheads/${overhead}`, { ...options });
  }
}

/** Fields and what is on them: blocks, plants, irrigations, fertigations, samples. */
export class BatchPlantsResource extends BatchResource {
  /**
   * List the plants. Lists the plants of one block. Returns all of them in one response, or one page if `page`
   * or `limit` is given.
   */
  list(farm: Id, field: Id, block: Id, query: PlantsListQuery = {}): Planned<readonly Plant[]> {
    return this.plan("GET", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/plants`, { query });
  }

  /**
   * Create a plant. Registers one plant, with its tag and its place in the block. A `tagId` is unique among the
   * block's plants. Returns the new record with its `id`. A repeated request with the same `Idempotency-Key`
   * creates nothing more and returns the same response.
   */
  create(farm: Id, field: Id, block: Id, body: PlantCreate, options: Changing = {}): Planned<Plant> {
    return this.plan("POST", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/plants`, { body, ...options });
  }

  /**
   * Show a plant. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the
   * record has not changed.
   */
  get(farm: Id, field: Id, block: Id, plant: Id): Planned<Plant> {
    return this.plan("GET", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/plants/${plant}`);
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
  ): Planned<Plant> {
    return this.plan("PUT", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/plants/${plant}`, { body, ...options });
  }

  /**
   * Remove a plant. Returns 204 without a body; later requests for the record fail with 404. With `If-Match`,
   * the request fails with 412 if the record has changed since.
   */
  delete(farm: Id, field: Id, block: Id, plant: Id, options: ChangingExisting = {}): Planned<void> {
    return this.plan("DELETE", this.path`/v1/farms/${farm}/fields/${field}/blocks/${block}/plants/${plant}`, { ...options });
  }
}

/** Prices that owners report, and what crops cost in a country. */
export class BatchPriceReportsResource extends BatchResource {
  /**
   * List the price reports. Lists the prices that the owner has reported. Returns one page, the newest first by
   * default; `pagination.total` counts all matching records.
   */
  list(query: PriceReportsListQuery = {}): Planned<readonly PriceReport[]> {
    return this.plan("GET", "/v1/market/price-reports", { query });
  }

  /**
   * Report a price. Reports a price that others paid for a crop. It counts for a year in the prices of the
   * farm's country. Returns the new record with its `id`. A repeated request with the same `Idempotency-Key`
   * creates nothing more and returns the same response.
   */
  create(body: PriceReportCreate, options: Changing = {}): Planned<PriceReport> {
    return this.plan("POST", "/v1/market/price-reports", { body, ...options });
  }

  /**
   * Remove a price report. Returns 204 without a body; later requests for the record fail with 404. With `If-
   * Match`, the request fails with 412 if the record has changed since.
   */
  delete(priceReport: Id, options: ChangingExisting = {}): Planned<void> {
    return this.plan("DELETE", this.path`/v1/market/price-reports/${priceReport}`, { ...options });
  }
}

/** Tasks, the templates they are made of, and the rules by which they recur. */
export class BatchRecurringTasksResource extends BatchResource {
  /**
   * List the recurring tasks. Lists the rules by which tasks are made, with the next occurrence of each. Returns
   * one page, the newest first by default; `pagination.total` counts all matching records.
   */
  list(query: RecurringTasksListQuery = {}): Planned<readonly RecurringTask[]> {
    return this.plan("GET", "/v1/recurring-tasks", { query });
  }

  /**
   * Create a recurring task. Makes a task from a template at each occurrence, in the farm's time zone. Tasks
   * that are due already exist when the response arrives. Returns the new record with its `id`. A repeated
   * request with the same `Idempotency-Key` creates nothing more and returns the same response.
   */
  create(body: RecurringTaskCreate, options: Changing = {}): Planned<RecurringTask> {
    return this.plan("POST", "/v1/recurring-tasks", { body, ...options });
  }

  /**
   * Show a recurring task. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as
   * the record has not changed.
   */
  get(recurringTask: Id): Planned<RecurringTask> {
    return this.plan("GET", this.path`/v1/recurring-tasks/${recurringTask}`);
  }

  /**
   * Update a recurring task. Tasks that were made before stay as they are; the next ones follow the new rule.
   * Members that are left out keep their values; null clears an optional member. With `If-Match`, the request
   * fails with 412 if the record has changed since.
   */
  update(recurringTask: Id, body: RecurringTaskUpdate, options: ChangingExisting = {}): Planned<RecurringTask> {
    return this.plan("PUT", this.path`/v1/recurring-tasks/${recurringTask}`, { body, ...options });
  }

  /**
   * Remove a recurring task. Tasks that were made before stay. Returns 204 without a body; later requests for
   * the record fail with 404. With `If-Match`, the request fails with 412 if the record has changed since.
   */
  delete(recurringTask: Id, options: ChangingExisting = {}): Planned<void> {
    return this.plan("DELETE", this.path`/v1/recurring-tasks/${recurringTask}`, { ...options });
  }
}

/** Prices that owners report, and what crops cost in a country. */
export class BatchRegionalPricesResource extends BatchResource {
  /**
   * Show what crops cost in a country. One row for each crop: the average, the lowest and the highest price of a
   * metric ton over the last year. A crop is shown once enough farms contribute to it.
   */
  list(query: RegionalPricesListQuery): Planned<readonly RegionalPrice[]> {
    return this.plan("GET", "/v1/market/regional-prices", { query });
  }
}

/** Sales, expenses and overheads, and their summary in one currency. */
export class BatchSalesResource extends BatchResource {
  /**
   * List the sales. Lists the sales of one crop. Returns one page, the newest first by default;
   * `pagination.total` counts all matching records.
   */
  list(crop: Id, query: SalesListQuery = {}): Planned<readonly Sale[]> {
    return this.plan("GET", this.path`/v1/crops/${crop}/sales`, { query });
  }

  /**
   * Record a sale. Records a sale of a crop's harvest; `totalAmount` is computed. Without `currency` it is in
   * the farm's. Returns the new record with its `id`. A repeated request with the same `Idempotency-Key` creates
   * nothing more and returns the same response.
   */
  create(crop: Id, body: SaleCreate, options: Changing = {}): Planned<Sale> {
    return this.plan("POST", this.path`/v1/crops/${crop}/sales`, { body, ...options });
  }

  /**
   * Show a sale. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the
   * record has not changed.
   */
  get(crop: Id, sale: Id): Planned<Sale> {
    return this.plan("GET", this.path`/v1/crops/${crop}/sales/${sale}`);
  }

  /**
   * Remove a sale. Returns 204 without a body; later requests for the record fail with 404. With `If-Match`, the
   * request fails with 412 if the record has changed since.
   */
  delete(crop: Id, sale: Id, options: ChangingExisting = {}): Planned<void> {
    return this.plan("DELETE", this.path`/v1/crops/${crop}/sales/${sale}`, { ...options });
  }
}

/** Fields and what is on them: blocks, plants, irrigations, fertigations, samples. */
export class BatchSoilSamplesResource extends BatchResource {
  /**
   * List the soil samples. Lists the soil samples of one field; `from` and `to` bound their time. Returns one
   * page, the newest first by default; `pagination.total` counts all matching records.
   */
  list(farm: Id, field: Id, query: SoilSamplesListQuery = {}): Planned<readonly SoilSample[]> {
    return this.plan("GET", this.path`/v1/farms/${farm}/fields/${field}/soil-samples`, { query });
  }

  /**
   * Record a soil sample. Records what a laboratory found in a field's soil. The newest `ph` becomes the field's
   * `soilPh`. Returns the new record with its `id`. A repeated request with the same `Idempotency-Key` creates
   * nothing more and returns the same response.
   */
  create(farm: Id, field: Id, body: SoilSampleCreate, options: Changing = {}): Planned<SoilSample> {
    return this.plan("POST", this.path`/v1/farms/${farm}/fields/${field}/soil-samples`, { body, ...options });
  }

  /**
   * Show a soil sample. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as
   * the record has not changed.
   */
  get(farm: Id, field: Id, soilSample: Id): Planned<SoilSample> {
    return this.plan("GET", this.path`/v1/farms/${farm}/fields/${field}/soil-samples/${soilSample}`);
  }

  /**
   * Remove a soil sample. The field's `soilPh` falls back to the newest sample that is left. Returns 204 without
   * a body; later requests for the record fail with 404. With `If-Match`, the request fails with 412 if the
   * record has changed since.
   */
  delete(farm: Id, field: Id, soilSample: Id, options: ChangingExisting = {}): Planned<void> {
    return this.plan("DELETE", this.path`/v1/farms/${farm}/fields/${field}/soil-samples/${soilSample}`, { ...options });
  }
}

/** Tasks, the templates they are made of, and the rules by which they recur. */
export class BatchTaskTemplatesResource extends BatchResource {
  /**
   * List the task templates. Lists your own templates and the active ones that are shared by all owners. Returns
   * one page, the newest first by default; `pagination.total` counts all matching records.
   */
  list(query: TaskTemplatesListQuery = {}): Planned<readonly TaskTemplate[]> {
    return this.plan("GET", "/v1/templates", { query });
  }

  /**
   * Create a task template. Returns the new record with its `id`. A repeated request with the same `Idempotency-
   * Key` creates nothing more and returns the same response.
   */
  create(body: TaskTemplateCreate, options: Changing = {}): Planned<TaskTemplate> {
    return this.plan("POST", "/v1/templates", { body, ...options });
  }

  /**
   * Show a task template. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as
   * the record has not changed.
   */
  get(taskTemplate: Id): Planned<TaskTemplate> {
    return this.plan("GET", this.path`/v1/templates/${taskTemplate}`);
  }

  /**
   * Update a task template. Tasks that were made of it before stay as they are. Members that are left out keep
   * their values; null clears an optional member. With `If-Match`, the request fails with 412 if the record has
   * changed since.
   */
  update(taskTemplate: Id, body: TaskTemplateUpdate, options: ChangingExisting = {}): Planned<TaskTemplate> {
    return this.plan("PUT", this.path`/v1/templates/${taskTemplate}`, { body, ...options });
  }

  /**
   * Remove a task template. Recurring tasks that use it stop. Returns 204 without a body; later requests for the
   * record fail with 404. With `If-Match`, the request fails with 412 if the record has changed since.
   */
  delete(taskTemplate: Id, options: ChangingExisting = {}): Planned<void> {
    return this.plan("DELETE", this.path`/v1/templates/${taskTemplate}`, { ...options });
  }

  /**
   * Create a task from a template. The task takes its members from the template, except those that the body
   * gives. Returns the new record with its `id`. A repeated request with the same `Idempotency-Key` creates
   * nothing more and returns the same response.
   */
  apply(taskTemplate: Id, body: ApplyTemplate = {}, options: Changing = {}): Planned<Task> {
    return this.plan("POST", this.path`/v1/templates/${taskTemplate}/apply`, { body, ...options });
  }
}

/** Tasks, the templates they are made of, and the rules by which they recur. */
export class BatchTasksResource extends BatchResource {
  /**
   * List the tasks. Lists the tasks on all farms; an open task whose `dueDate` has passed is shown and found as
   * `overdue`. Returns one page, the newest first by default; `pagination.total` counts all matching records.
   */
  list(query: TasksListQuery = {}): Planned<readonly Task[]> {
    return this.plan("GET", "/v1/tasks", { query });
  }

  /**
   * Create a task. Plans a piece of work on a farm, and links it to a crop, a field or a block of that farm.
   * Returns the new record with its `id`. A repeated request with the same `Idempotency-Key` creates nothing
   * more and returns the same response.
   */
  create(body: TaskCreate, options: Changing = {}): Planned<Task> {
    return this.plan("POST", "/v1/tasks", { body, ...options });
  }

  /**
   * Show a task. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the
   * record has not changed.
   */
  get(task: Id): Planned<Task> {
    return this.plan("GET", this.path`/v1/tasks/${task}`);
  }

  /**
   * Update a task. A task that becomes completed gets its `completedDate` unless it is given. Members that are
   * left out keep their values; null clears an optional member. With `If-Match`, the request fails with 412 if
   * the record has changed since.
   */
  update(task: Id, body: TaskUpdate, options: ChangingExisting = {}): Planned<Task> {
    return this.plan("PUT", this.path`/v1/tasks/${task}`, { body, ...options });
  }

  /**
   * Remove a task. Returns 204 without a body; later requests for the record fail with 404. With `If-Match`, the
   * request fails with 412 if the record has changed since.
   */
  delete(task: Id, options: ChangingExisting = {}): Planned<void> {
    return this.plan("DELETE", this.path`/v1/tasks/${task}`, { ...options });
  }

  /**
   * Complete a task. Marks the work as done now, with a photo, a position and notes as evidence. Returns the
   * record after the change. Repeating the request changes nothing more.
   */
  complete(task: Id, body: CompleteTask = {}, options: Changing = {}): Planned<Task> {
    return this.plan("POST", this.path`/v1/tasks/${task}/complete`, { body, ...options });
  }

  /**
   * Reschedule a task. Moves a task to another `dueDate`, which also decides whether it is overdue. Returns the
   * record after the change. Repeating the request changes nothing more.
   */
  reschedule(task: Id, body: RescheduleTask, options: ChangingExisting = {}): Planned<Task> {
    return this.plan("PUT", this.path`/v1/tasks/${task}/reschedule`, { body, ...options });
  }
}

/** What the dashboard uses: sessions, API keys, the plan. */
export class BatchUsageHistoryResource extends BatchResource {
  /**
   * Show the requests over time. Counts the requests of each hour or day by API key, and those that were refused
   * since a limit was used up. Ordered by time and key; a key without requests in an hour or day is left out.
   */
  get(query: UsageHistoryGetQuery = {}): Planned<readonly KeyUsage[]> {
    return this.plan("GET", "/billing/usage/history", { query });
  }
}

/** The library of crops and varieties, and the owner's shortlist of them. */
export class BatchUserCropsResource extends BatchResource {
  /**
   * List the shortlist. Returns one page, the newest first by default; `pagination.total` counts all matching
   * records.
   */
  list(query: UserCropsListQuery = {}): Planned<readonly UserCrop[]> {
    return this.plan("GET", "/v1/crop-library/user-crops", { query });
  }

  /**
   * Add a crop to the shortlist. Chooses a crop of the library for a farm, or for no farm in particular. If the
   * crop is on the list already, the response is its entry, unchanged. Returns the new record with its `id`. A
   * repeated request with the same `Idempotency-Key` creates nothing more and returns the same response.
   */
  create(body: UserCropCreate, options: Changing = {}): Planned<UserCrop> {
    return this.plan("POST", "/v1/crop-library/user-crops", { body, ...options });
  }

  /**
   * Remove a crop from the shortlist. Returns 204 without a body; later requests for the record fail with 404.
   * With `If-Match`, the request fails with 412 if the record has changed since.
   */
  delete(userCrop: Id, options: ChangingExisting = {}): Planned<void> {
    return this.plan("DELETE", this.path`/v1/crop-library/user-crops/${userCrop}`, { ...options });
  }
}

/** The library of crops and varieties, and the owner's shortlist of them. */
export class BatchVarietiesResource extends BatchResource {
  /**
   * List a library crop's varieties. Returns all varieties of one crop of the library, without pages. An unknown
   * crop has none.
   */
  list(query: VarietiesListQuery): Planned<readonly Variety[]> {
    return this.plan("GET", "/v1/crop-library/varieties", { query });
  }
}

/** Where the owner wants events sent, and what became of each. */
export class BatchWebhookDeliveriesResource extends BatchResource {
  /**
   * List a webhook's deliveries. By default the newest first: each event that was sent, with its last attempt.
   * They are kept for 30 days, 10,000 of each webhook.
   */
  list(webhook: Id, query: WebhookDeliveriesListQuery = {}): Planned<readonly WebhookDelivery[]> {
    return this.plan("GET", this.path`/v1/webhooks/${webhook}/deliveries`, { query });
  }

  /**
   * Send a delivery's event again. Returns 202 with the webhook. A pending delivery is attempted at once. For
   * one that arrived or was given up, a new delivery is made with the same `webhook-id`, by which receivers
   * recognize it.
   */
  resend(webhook: Id, delivery: Id, options: Changing = {}): Planned<Webhook> {
    return this.plan("POST", this.path`/v1/webhooks/${webhook}/deliveries/${delivery}/resend`, { ...options });
  }
}

/** Where the owner wants events sent, and what became of each. */
export class BatchWebhooksResource extends BatchResource {
  /**
   * Create a webhook. From then on each of your events whose type fits is sent to the URL, signed as Standard
   * Webhooks says. The response is the only one that has this `secret`. Returns the new record with its `id`. A
   * repeated request with the same `Idempotency-Key` creates nothing more and returns the same response.
   */
  create(body: WebhookCreate, options: Changing = {}): Planned<WebhookWithSecret> {
    return this.plan("POST", "/v1/webhooks", { body, ...options });
  }

  /**
   * List the webhooks. Returns one page, the newest first by default; `pagination.total` counts all matching
   * records.
   */
  list(query: WebhooksListQuery = {}): Planned<readonly Webhook[]> {
    return this.plan("GET", "/v1/webhooks", { query });
  }

  /**
   * Show a webhook. Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the
   * record has not changed.
   */
  get(webhook: Id): Planned<Webhook> {
    return this.plan("GET", this.path`/v1/webhooks/${webhook}`);
  }

  /**
   * Update a webhook. Made active again, it carries on with the first event that it has not got. Members that
   * are left out keep their values; null clears an optional member. With `If-Match`, the request fails with 412
   * if the record has changed since.
   */
  update(webhook: Id, body: WebhookUpdate, options: ChangingExisting = {}): Planned<Webhook> {
    return this.plan("PUT", this.path`/v1/webhooks/${webhook}`, { body, ...options });
  }

  /**
   * Remove a webhook. Its deliveries are removed with it. Returns 204 without a body; later requests for the
   * record fail with 404. With `If-Match`, the request fails with 412 if the record has changed since.
   */
  delete(webhook: Id, options: ChangingExisting = {}): Planned<void> {
    return this.plan("DELETE", this.path`/v1/webhooks/${webhook}`, { ...options });
  }

  /**
   * Send past events again. Returns 202 with the webhook. Your events from `since` on and before `until`, or up
   * to this request, are sent again, whether or not they arrived: those whose type matches one of `types`, or
   * one of the webhook's if there are none. They may be older than the webhook.
   */
  replay(webhook: Id, body: ReplayWebhook, options: Changing = {}): Planned<Webhook> {
    return this.plan("POST", this.path`/v1/webhooks/${webhook}/replay`, { body, ...options });
  }

  /**
   * Replace a webhook's secret. Returns the webhook with a new `secret`, which no other response contains. For
   * 24 hours deliveries are also signed with the previous one; of the secrets replaced within 24 hours, only the
   * newest five sign. Repeating the request replaces the secret again.
   */
  rotate(webhook: Id, options: Changing = {}): Planned<WebhookWithSecret> {
    return this.plan("POST", this.path`/v1/webhooks/${webhook}/rotate`, { ...options });
  }

  /**
   * Send a test to a webhook. Sends an event of the type `tilth.webhook.test` at once, even if the webhook is
   * not active, and returns the outcome: the receiver's HTTP status or an error, the milliseconds, and the first
   * 1,000 bytes of its response. A test is not repeated and not listed.
   */
  test(webhook: Id, options: Changing = {}): Planned<WebhookTest> {
    return this.plan("POST", this.path`/v1/webhooks/${webhook}/test`, { ...options });
  }
}

/** Every resource, as a property of a client. */
export class BatchResources {
  readonly adminCrops: BatchAdminCropsResource;
  readonly blocks: BatchBlocksResource;
  readonly crops: BatchCropsResource;
  readonly expenses: BatchExpensesResource;
  readonly farms: BatchFarmsResource;
  readonly fertigations: BatchFertigationsResource;
  readonly fields: BatchFieldsResource;
  readonly irrigations: BatchIrrigationsResource;
  readonly leafSamples: BatchLeafSamplesResource;
  readonly overheads: BatchOverheadsResource;
  readonly plants: BatchPlantsResource;
  readonly priceReports: BatchPriceReportsResource;
  readonly recurringTasks: BatchRecurringTasksResource;
  readonly regionalPrices: BatchRegionalPricesResource;
  readonly sales: BatchSalesResource;
  readonly soilSamples: BatchSoilSamplesResource;
  readonly taskTemplates: BatchTaskTemplatesResource;
  readonly tasks: BatchTasksResource;
  readonly usageHistory: BatchUsageHistoryResource;
  readonly userCrops: BatchUserCropsResource;
  readonly varieties: BatchVarietiesResource;
  readonly webhookDeliveries: BatchWebhookDeliveriesResource;
  readonly webhooks: BatchWebhooksResource;

  constructor(owner: Planner) {
    this.adminCrops = new BatchAdminCropsResource(owner);
    this.blocks = new BatchBlocksResource(owner);
    this.crops = new BatchCropsResource(owner);
    this.expenses = new BatchExpensesResource(owner);
    this.farms = new BatchFarmsResource(owner);
    this.fertigations = new BatchFertigationsResource(owner);
    this.fields = new BatchFieldsResource(owner);
    this.irrigations = new BatchIrrigationsResource(owner);
    this.leafSamples = new BatchLeafSamplesResource(owner);
    this.overheads = new BatchOverheadsResource(owner);
    this.plants = new BatchPlantsResource(owner);
    this.priceReports = new BatchPriceReportsResource(owner);
    this.recurringTasks = new BatchRecurringTasksResource(owner);
    this.regionalPrices = new BatchRegionalPricesResource(owner);
    this.sales = new BatchSalesResource(owner);
    this.soilSamples = new BatchSoilSamplesResource(owner);
    this.taskTemplates = new BatchTaskTemplatesResource(owner);
    this.tasks = new BatchTasksResource(owner);
    this.usageHistory = new BatchUsageHistoryResource(owner);
    this.userCrops = new BatchUserCropsResource(owner);
    this.varieties = new BatchVarietiesResource(owner);
    this.webhookDeliveries = new BatchWebhookDeliveriesResource(owner);
    this.webhooks = new BatchWebhooksResource(owner);
  }
}
