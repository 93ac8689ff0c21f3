// Sends requests, again where that can help, and walks through pages.
import { ApiError, apiError, ConnectionFailed } from "./errors.js";
import type { Pagination } from "./records.js";
import { assertSendable, assertWritable, type Id, idOf, withIds } from "./values.js";

/** Options of a method that makes something. */
export interface Changing {
  /** A UUID that names the change; by default a new one. */
  readonly idempotencyKey?: string;
  /** Ends the request early. */
  readonly signal?: AbortSignal;
}

/** Options of a method that changes what is there. */
export interface ChangingExisting extends Changing {
  /** The entity tag that the record must still have: `etagOf(record)`. */
  readonly ifMatch?: string | undefined;
}

/** How a client asks again: after network errors, 429, 5xx, and 409 with `Retry-After`. */
export interface Retries {
  /** How often a request is sent, the first time included; 5 by default. */
  readonly attempts?: number;
  /** How often it is sent at most if each time the answer is 5xx; 3 by default. */
  readonly faults?: number;
  /** In seconds, 60 by default. If the service asks for more, the error is thrown at once, with its `retryAfter`. */
  readonly longestWait?: number;
}

type Method = "GET" | "POST" | "PUT" | "DELETE";

export interface Asked extends ChangingExisting {
  readonly query?: object;
  readonly body?: object;
}

export interface Answer<T> {
  readonly body: T;
  readonly headers: Headers;
}

const PAGE = 100; // records, the most that the service answers: fewest requests
const TIMEOUT = 60_000; // milliseconds

const tags = new WeakMap<object, string>();

/** The entity tag of a record that was answered on its own, for `ifMatch`. */
export function etagOf(record: object): string | undefined {
  return tags.get(record);
}

export function remember<T>(record: T, etag: string | null | undefined): T {
  if (etag && typeof record === "object" && record !== null) tags.set(record, etag);
  return record;
}

export function queryOf(query: object = {}): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    const sent: unknown = typeof value === "object" && !(value instanceof Date) ? idOf(value as Id) : value;
    assertWritable(sent, name);
    text.set(name, sent instanceof Date ? sent.toISOString() : String(sent));
  }
  return text.size ? `?${text}` : "";
}

/** A path; the ids in it are encoded, and cannot leave their place. */
export function path(parts: TemplateStringsArray, ...ids: Id[]): string {
  return parts.reduce((made, part, at) => made + segment(idOf(ids[at - 1]!)) + part);
}

function segment(id: string): string {
  // These are not escaped: the path would be that of another record, its parent's.
  if (["", ".", ".."].includes(id)) throw new TypeError(`"${id}" is no id.`);
  return encodeURIComponent(id).replace(/^%7B%24(.*)%7D$/, "{$$$1}");
}

/** Resolves after some seconds, or rejects when the signal is given. */
export type Sleep = (seconds: number, signal?: AbortSignal) => Promise<void>;

export const sleep: Sleep = (seconds, signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(done, seconds * 1000);
  function done() {
    signal?.removeEventListener("abort", ended);
    resolve();
  }
  function ended() {
    clearTimeout(timer);
    reject(signal!.reason);
  }
  if (signal?.aborted) ended();
  else signal?.addEventListener("abort", ended, { once: true });
});

export interface Settings {
  readonly key: string;
  readonly url: string;
  readonly attempts: number;
  readonly faults: number;
  readonly longestWait: number;
  readonly fetch: typeof fetch;
  readonly sleep: Sleep;
  readonly asOf?: string;
}

/** Asks the service. */
export class Transport {
  /** Of the change that was answered last; later reads see it. */
  position: string | undefined;

  constructor(readonly settings: Settings) {}

  async send<T>(method: Method, path: string, asked: Asked = {}): Promise<Answer<T>> {
    const headers = this.headers(method, asked);
    const url = `${this.settings.url}/api${path}${queryOf(asked.query)}`;
    const body = method === "POST" || method === "PUT" ? JSON.stringify(asked.body ?? {}) : undefined;
    for (let attempt = 1, faults = 0; ; ++attempt) {
      let wait: number | undefined;
      try {
        const limit = AbortSignal.timeout(TIMEOUT);
        const response = await this.settings.fetch(url, {
          method, headers, redirect: "manual", signal: asked.signal ? AbortSignal.any([asked.signal, limit]) : limit,
          ...(body === undefined ? {} : { body }),
        });
        const text = await response.text();
        if (response.ok) {
          this.advance(response.headers.get("Tilth-Position"));
          return { body: bodyOf(method, response, text) as T, headers: response.headers };
        }
        throw failure(response, text);
      } catch (error) {
        asked.signal?.throwIfAborted();
        if (error instanceof ApiError && error.status >= 500) ++faults;
        wait = this.waitAfter(attempt, error, faults);
        if (wait === undefined) {
          throw error instanceof ApiError ? error :
            new ConnectionFailed(`${method} ${path}: ${error instanceof Error ? error.message : error}`, { cause: error });
        }
      }
      await this.settings.sleep(wait, asked.signal);
    }
  }

  /** An answer that is read as it comes. Nothing is asked again. */
  async stream(path: string, query: object, accept: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const headers = { ...this.headers("GET", {}), Accept: accept };
    const response = await this.settings.fetch(`${this.settings.url}/api${path}${queryOf(query)}`,
                                               { headers, redirect: "manual", ...(signal ? { signal } : {}) });
    if (!response.ok) throw failure(response, await response.text());
    const type = response.headers.get("Content-Type") ?? accept;
    if (!type.startsWith(accept)) {
      throw new ConnectionFailed(`GET ${path}: the answer (status ${response.status}) is not ${accept}; its type is ${type}`);
    }
    return response.body!;
  }

  /** The seconds to wait after a failure, or undefined if asking again makes no sense. */
  waitAfter(attempt: number, error: unknown, faults = 0): number | undefined {
    if (attempt >= this.settings.attempts || faults >= this.settings.faults) return undefined;
    if (!(error instanceof ApiError)) return this.backoff(attempt);
    const passing = [429, 500, 502, 503, 504].includes(error.status) ||
      (error.status === 409 && error.retryAfter !== undefined);
    if (!passing) return undefined;
    const wait = error.retryAfter ?? this.backoff(attempt);
    return wait <= this.settings.longestWait ? wait : undefined;
  }

  /** About 0.25, 0.5, 1, 2, … up to 8 seconds. */
  backoff(attempt: number): number {
    return Math.min(0.25 * 2 ** (attempt - 1), 8) * (0.75 + Math.random() / 2);
  }

  /** Responses can arrive in another order than their changes were made in. */
  private advance(position: string | null): void {
    if (position && !isOlder(position, this.position)) this.position = position;
  }

  private headers(method: Method, asked: Asked): Record<string, string> {
    const headers: Record<string, string> = {
      Authorization: `Bearer ${this.settings.key}`, Accept: "application/json",
    };
    if (method === "GET") {
      if (this.settings.asOf !== undefined) headers["Tilth-As-Of"] = this.settings.asOf;
      else if (this.position !== undefined) headers["Tilth-Min-Position"] = this.position;
      return headers;
    }
    if (this.settings.asOf !== undefined) {
      throw new TypeError(`A client as of ${this.settings.asOf} only reads; use the client that it was made from.`);
    }
    if (method !== "DELETE") headers["Content-Type"] = "application/json";
    headers["Idempotency-Key"] = asked.idempotencyKey ?? crypto.randomUUID();
    if (asked.ifMatch !== undefined) headers["If-Match"] = asked.ifMatch;
    for (const name of ["Idempotency-Key", "If-Match"]) assertSendable(headers[name] ?? "", name);
    return headers;
  }
}

/** Whether it is before another position in the same partition: `p0.123`. Another form has no order. */
function isOlder(position: string, than: string | undefined): boolean {
  const [here, there] = [position, than ?? ""].map((one) => /^(p\d+)\.(\d+)$/.exec(one));
  return Boolean(here && there && here[1] === there[1] && BigInt(here[2]!) < BigInt(there[2]!));
}

/** What was answered; JSON lines as an array. A page of something else in the service's place is no answer. */
function bodyOf(method: Method, response: Response, text: string): unknown {
  const type = response.headers.get("Content-Type")?.toLowerCase() ?? "none";
  const lines = type.startsWith("application/x-ndjson");
  if (text && !lines && !type.startsWith("application/json")) {
    throw new Error(`the answer (status ${response.status}) is not JSON; its type is ${type}`);
  }
  if (!text && (response.status === 204 || method === "DELETE")) return undefined;
  try {
    return lines ? text.split("\n").filter(Boolean).map((line) => JSON.parse(line) as unknown) : JSON.parse(text);
  } catch (error) {
    throw new Error(`the answer (status ${response.status}) is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

function failure(response: Response, text: string): ApiError {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = {};
  }
  const wait = retryAfter(response.headers) ?? (response.status === 429 ? untilReset(response.headers) : undefined);
  return apiError(response.status, body, response.headers.get("X-Request-Id") ?? undefined, wait);
}

/** `Retry-After`: seconds, or the time that some proxies write. */
function retryAfter(headers: Headers): number | undefined {
  const value = headers.get("Retry-After")?.trim();
  if (!value) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000);
}

/** The seconds until the instant in `X-RateLimit-Reset`, or undefined if it has passed or is none. */
function untilReset(headers: Headers): number | undefined {
  const value = headers.get("X-RateLimit-Reset")?.trim() ?? "";
  if (!/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(value)) return undefined;
  const wait = (Date.parse(value) - Date.now()) / 1000;
  return wait > 0 ? wait : undefined;
}

/** One page of a list. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly pagination: Pagination;
}

/** Rows, and what holds for all of them. */
export interface Table<T, M> {
  readonly data: readonly T[];
  readonly meta: M;
}

/** A list of records. Walk it with `for await`: the pages are fetched as they are needed. */
export class Listing<T> implements AsyncIterable<T> {
  readonly #transport: Transport;
  readonly #path: string;
  readonly #query: object;

  constructor(transport: Transport, path: string, query: object) {
    this.#transport = transport;
    this.#path = path;
    this.#query = query;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** Page by page, from the one that was asked for to the last. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let query = this.#query;
    for (;;) {
      const { body } = await this.#transport.send<Page<T>>("GET", this.#path, { query });
      yield body;
      const { page, limit, total } = body.pagination;
      // Not by the number of pages: a list that is answered at once can be longer than its one page.
      if ((page - 1) * limit + body.data.length >= total || !body.data.length) return;
      query = { ...query, page: page + 1 };
    }
  }

  /** Only the page that was asked for, the first by default. */
  async page(): Promise<Page<T>> {
    return (await this.#transport.send<Page<T>>("GET", this.#path, { query: this.#query })).body;
  }

  /** Every record. */
  async all(): Promise<T[]> {
    const found: T[] = [];
    for await (const record of this) found.push(record);
    return found;
  }
}

/** The operations on one kind of record. */
export class Resource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  protected path(parts: TemplateStringsArray, ...ids: Id[]): string {
    return path(parts, ...ids);
  }

  protected async one<T>(method: Method, path: string, asked?: Asked): Promise<T> {
    const { body, headers } = await this.#send<{ data: T }>(method, path, asked);
    return remember(body.data, headers.get("ETag"));
  }

  protected async bare<T>(method: Method, path: string, asked?: Asked): Promise<T> {
    return (await this.#send<T>(method, path, asked)).body;
  }

  protected table<T, M>(method: Method, path: string, asked?: Asked): Promise<Table<T, M>> {
    return this.bare(method, path, asked);
  }

  protected list_<T>(_: "GET", path: string, { query = {} }: Asked = {}): Listing<T> {
    return new Listing(this.#transport, path, { limit: PAGE, ...query });
  }

  /** A list that is answered as a whole unless pages are asked for. */
  protected listAtOnce<T>(_: "GET", path: string, { query = {} }: Asked = {}): Listing<T> {
    return new Listing(this.#transport, path, query);
  }

  protected async deed(method: Method, path: string, asked?: Asked): Promise<void> {
    await this.#send(method, path, asked);
  }

  #send<T>(method: Method, path: string, asked: Asked = {}): Promise<Answer<T>> {
    return this.#transport.send(method, path, asked.body ? { ...asked, body: withIds(asked.body) } : asked);
  }
}
