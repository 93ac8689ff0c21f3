// The owner's history: all of it, or as it goes on.
import { ApiError, ConnectionFailed } from "./errors.js";
import type { Event } from "./records.js";
import type { Transport } from "./transport.js";
import { assertWritable, type Instant } from "./values.js";

const BATCH = 10_000; // events, the most that the service answers at once
const SILENCE = 45_000; // milliseconds; the service says something every 15 seconds

export interface EventsQuery {
  /** Only events of this type, or of those that begin with what is before a `*`. */
  readonly type?: string;
  /** Only events of this instant or later. */
  readonly since?: Instant;
  /** Only events before this instant. */
  readonly until?: Instant;
  /** Only events after this position: an event's `position`, or `client.position`. */
  readonly after?: string;
}

export interface FollowOptions {
  /** An event or a position to go on after, or an instant to begin at. By default the whole history comes first. */
  readonly from?: Event | Instant | undefined;
  /** Only events of this type, or of those that begin with what is before a `*`. */
  readonly type?: string;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/** What happened, in order: every change of the owner's records. */
export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Every event up to the present, oldest first. */
  async *list(query: EventsQuery = {}): AsyncGenerator<Event, void, undefined> {
    for (let asked: EventsQuery = query; ; ) {
      const { body: events } = await this.#transport.send<Event[]>("GET", "/v1/events", { query: { limit: BATCH, ...asked } });
      yield* events;
      if (events.length < BATCH) return;
      asked = { ...asked, after: events.at(-1)!.position };
    }
  }

  /**
   * The events as they happen, for ever. After a broken connection it goes on where it was, without gap or repeat.
   */
  async *follow({ from, type, signal }: FollowOptions = {}): AsyncGenerator<Event, void, undefined> {
    let query: EventsQuery = { ...(type === undefined ? {} : { type }), ...startOf(from) };
    for (let failures = 0; ; ) {
      let wait = this.#transport.backoff(1);
      const silence = new Silence(signal);
      try {
        const stream = await this.#transport.stream("/v1/events", query, "text/event-stream", silence.signal);
        for await (const event of eventsOf(stream, silence)) {
          failures = 0;
          query = { ...query, after: event.position };
          yield event;
        }
      } catch (error) {
        if (signal?.aborted) return;
        if (error instanceof ConnectionFailed) throw error;
        wait = this.#transport.backoff(++failures);
        if (error instanceof ApiError) {
          const asked = this.#transport.waitAfter(1, error);
          if (asked === undefined) throw error;
          wait = Math.max(wait, asked);
        }
      } finally {
        silence.end();
      }
      await this.#transport.settings.sleep(wait, signal).catch(() => undefined);
      if (signal?.aborted) return;
    }
  }
}

function startOf(from: Event | Instant | undefined): EventsQuery {
  if (from === undefined) return {};
  if (from instanceof Date) {
    assertWritable(from, "from"); // before the loop, which takes what is thrown in it for a broken connection
    return { since: from };
  }
  if (typeof from === "object") return { after: from.position };
  return /^\d{4}-\d\d-\d\d/.test(from) ? { since: from } : { after: from };
}

/** Ends a connection on which nothing comes any more. */
class Silence {
  readonly #controller = new AbortController();
  readonly signal: AbortSignal;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer: AbortSignal | undefined) {
    this.signal = outer ? AbortSignal.any([outer, this.#controller.signal]) : this.#controller.signal;
    this.broken();
  }

  /** Something came. */
  broken(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(), SILENCE);
  }

  /** Closes the connection, too, where its reader went away. */
  end(): void {
    clearTimeout(this.#timer);
    this.#controller.abort();
  }
}

async function* eventsOf(stream: ReadableStream<Uint8Array>, silence: Silence): AsyncGenerator<Event, void, undefined> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let data: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    silence.broken();
    text += decoder.decode(value, { stream: true });
    const lines = text.split("\n");
    text = lines.pop()!;
    for (const line of lines.map((one) => one.replace(/\r$/, ""))) {
      // Comments and the other fields say nothing that `data` does not.
      if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
      else if (line === "" && data.length) {
        yield JSON.parse(data.join("\n")) as Event;
        data = [];
      }
    }
  }
}
