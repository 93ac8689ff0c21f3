// The client: what a program makes first.
import { Batch, type BatchOptions } from "./batch.js";
import { Events } from "./events.js";
import { Resources } from "./resources.js";
import { type Retries, sleep, type Sleep, Transport } from "./transport.js";
import { assertSendable, assertWritable, type Instant } from "./values.js";

export interface TilthOptions {
  /** The API key: `svc_live_…`. */
  readonly key: string;
  /** Where the service is; `http://127.0.0.1:8080` by default. */
  readonly url?: string;
  readonly retries?: Retries;
  /** Instead of the global `fetch`: for proxies, or for tests. */
  readonly fetch?: typeof fetch;
  /** Instead of waiting by the clock: for tests. */
  readonly sleep?: Sleep;
}

function keyOf(key: string): string {
  // Said here, since what HTTP says of it would show it.
  if (!/^[ -~]+$/.test(key = (key ?? "").trim())) throw new TypeError("The key is empty, or has a character that no key has.");
  return key;
}

function urlOf(url = "http://127.0.0.1:8080"): string {
  // In a page, a path leads to the page's own origin.
  if (globalThis.location !== undefined && /^(\/|$)/.test(url)) return url.replace(/\/+$/, "");
  // Said here, since to ask it again and again makes no sense.
  if (!/^https?:\/\/[^/?#]/i.test(url) || !URL.canParse(url)) {
    throw new TypeError("The URL of the service must begin with http:// or https:// and name a host.");
  }
  return url.replace(/\/+$/, "");
}

/** A client of one Tilth service, for one API key. */
export class Tilth extends Resources {
  readonly events: Events;
  readonly #transport: Transport;

  constructor(options: TilthOptions | Transport) {
    const transport = options instanceof Transport ? options : new Transport({
      key: keyOf(options.key),
      url: urlOf(options.url),
      attempts: options.retries?.attempts ?? 5,
      faults: options.retries?.faults ?? 3,
      longestWait: options.retries?.longestWait ?? 60,
      fetch: options.fetch ?? ((...asked) => fetch(...asked)),
      sleep: options.sleep ?? sleep,
    });
    super(transport);
    this.#transport = transport;
    this.events = new Events(transport);
  }

  /** A client that reads everything as it was at that time, and cannot write. */
  asOf(time: Instant): Tilth {
    assertWritable(time, "time");
    const asOf = time instanceof Date ? time.toISOString() : time;
    assertSendable(asOf, "Tilth-As-Of");
    return new Tilth(new Transport({ ...this.#transport.settings, asOf }));
  }

  /** A batch to add requests to. */
  batch(options: BatchOptions = {}): Batch {
    return new Batch(this.#transport, options);
  }

  /**
   * Of the change that was answered last. Every read of this client sees it; set it to one that another program passed
   * on, and they see that.
   */
  get position(): string | undefined {
    return this.#transport.position;
  }

  set position(position: string | undefined) {
    if (position !== undefined) assertSendable(position, "Tilth-Min-Position");
    this.#transport.position = position;
  }
}
