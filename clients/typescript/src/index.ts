// The client of Tilth, the farm management service.
export { Batch, type BatchOptions, type Outcome } from "./batch.js";
export { Tilth, type TilthOptions } from "./client.js";
export * from "./errors.js";
export { Events, type EventsQuery, type FollowOptions } from "./events.js";
export { Planned } from "./planned.js";
export type * from "./records.js";
export type * from "./resources.js";
export { type Changing, type ChangingExisting, etagOf, Listing, type Page, type Retries, type Table } from "./transport.js";
export type { CalendarDate, Decimal, Id, Instant } from "./values.js";
export { type RequestHeaders, verifyWebhook, type VerifyOptions } from "./webhooks.js";
