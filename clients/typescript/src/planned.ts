// Requests that wait in a batch.
import { apiError, TilthError } from "./errors.js";
import { type Asked, path, queryOf, remember } from "./transport.js";
import { type Id, withIds } from "./values.js";

/** Options of a method that makes something. The whole batch has one idempotency key. */
export interface Changing {}

/** Options of a method that changes what is there. */
export interface ChangingExisting extends Changing {
  /** The entity tag that the record must still have: `etagOf(record)`. */
  readonly ifMatch?: string | undefined;
}

export interface BatchRequest {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly ifMatch?: string;
}

export interface BatchAnswer {
  readonly id: string | null;
  readonly status: number;
  readonly headers: { readonly ETag?: string; readonly Location?: string; readonly "Retry-After"?: string };
  readonly body: { readonly data?: unknown } | null;
}

/** A request of a batch. Pass it wherever a later one takes a record or its id; once sent, it has a result. */
export class Planned<T> {
  #answer: BatchAnswer | undefined;

  readonly #batch: number;

  constructor(batch: number, readonly request: BatchRequest) {
    this.#batch = batch;
  }

  /** The id of the record that this request makes: a reference to it until the batch is sent. */
  get id(): string {
    if (!this.#answer) return `{$${this.#batch}.${this.request.id}}`;
    return (this.result() as { readonly id: string }).id;
  }

  /** The HTTP status that the request was answered with. */
  get status(): number {
    return this.#sent().status;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** What the request was answered with; the error that it was refused with is thrown. */
  result(): T {
    const { status, headers, body } = this.#sent();
    const wait = headers["Retry-After"];
    if (!this.ok) throw apiError(status, body, undefined, wait === undefined ? undefined : Number(wait));
    return remember(body?.data as T, headers.ETag);
  }

  answer(answer: BatchAnswer): void {
    this.#answer = answer;
  }

  #sent(): BatchAnswer {
    if (!this.#answer) throw new TilthError(`${this.request.method} ${this.request.path} waits for the batch to be sent.`);
    return this.#answer;
  }
}

let batches = 0;

/** Collects requests. */
export class Planner {
  readonly #batch = batches++;
  readonly planned: Planned<unknown>[] = [];

  add<T>(method: string, path: string, { query, body, ifMatch }: Asked = {}): Planned<T> {
    const asked = query && Object.fromEntries(Object.entries(query).map(([name, value]) => [name, this.#own(value)]));
    const planned = new Planned<T>(this.#batch, {
      id: `r${this.planned.length}`, method,
      path: path.split("/").map((part) => this.#own(part)).join("/") + queryOf(asked),
      ...(body ? { body: this.#own(withIds(body)) as object } : {}), ...(ifMatch === undefined ? {} : { ifMatch }),
    });
    this.planned.push(planned as Planned<unknown>);
    return planned;
  }

  /** With references as the service reads them. Each batch has its r0, so one to another batch's is refused. */
  #own(value: unknown): unknown {
    if (value instanceof Planned) return this.#own(value.id);
    if (Array.isArray(value)) return value.map((item) => this.#own(item));
    if (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.#own(item)]));
    }
    const reference = typeof value === "string" ? /^\{\$(\d+)\.(r\d+)\}$/.exec(value) : null;
    if (!reference) return value;
    if (Number(reference[1]) !== this.#batch) {
      throw new TilthError("A request of another batch has no id before that batch is sent; send it first.");
    }
    return `{$${reference[2]}}`;
  }
}

/** The operations on one kind of record, within a batch. */
export class BatchResource {
  readonly #planner: Planner;

  constructor(planner: Planner) {
    this.#planner = planner;
  }

  protected path(parts: TemplateStringsArray, ...ids: Id[]): string {
    return path(parts, ...ids);
  }

  protected plan<T>(method: string, path: string, asked?: Asked): Planned<T> {
    return this.#planner.add(method, path, asked);
  }
}
