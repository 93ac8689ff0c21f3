// Many requests in one.
import { BatchResources } from "./batch-resources.js";
import { type BatchAnswer, Planner } from "./planned.js";
import type { Changing, Transport } from "./transport.js";

/** How the requests of a batch were answered. */
export interface Outcome {
  readonly succeeded: number;
  readonly failed: number;
  readonly notAttempted: number;
}

export interface BatchOptions {
  /** With `stop` nothing is done after the first failure. By default every request is carried out. */
  readonly onError?: "continue" | "stop";
}

/**
 * Up to 1,000 requests, carried out in order, each decided by itself. The methods are those of a client; each returns a
 * `Planned`, which later requests can refer to.
 */
export class Batch extends BatchResources {
  readonly #transport: Transport;
  readonly #planner: Planner;
  readonly #options: BatchOptions;

  constructor(transport: Transport, options: BatchOptions, planner = new Planner()) {
    super(planner);
    this.#transport = transport;
    this.#planner = planner;
    this.#options = options;
  }

  /** How many requests it holds. */
  get size(): number {
    return this.#planner.planned.length;
  }

  /** Carries the requests out. Afterwards each `Planned` has its result. */
  async send(options: Changing = {}): Promise<Outcome> {
    const requests = this.#planner.planned.map(({ request }) => request);
    const { body } = await this.#transport.send<{ data: BatchAnswer[]; meta: Outcome }>("POST", "/v1/batch", {
      body: { requests, ...this.#options }, ...options,
    });
    body.data.forEach((answer, at) => this.#planner.planned[at]!.answer(answer));
    return body.meta;
  }
}
