// Sends many records: few requests at a time, each made once however often it is tried.

import { Refusal, send } from "./api.js";
import { t } from "./i18n.js";

/** @typedef {{path: string, body: any, key: string}} Item key: its Idempotency-Key */
/** @typedef {{row?: any, refusal?: Refusal}} Result */

const AT_ONCE = 4, PER_REQUEST = 1, TRIES = 6, FIRST_WAIT = 1_000;

/** Sends a group of items: one request today; a batch once the API has such a route. @param {Item[]} items @param {AbortSignal} signal @returns {Promise<Result[]>} */
async function deliver(items, signal) {
  return Promise.all(items.map(async ({ path, body, key }) => {
    try {
      return { row: (await send("POST", path, { body, key, signal })).json.data };
    } catch (refusal) {
      if (refusal instanceof Refusal && !refusal.passes && refusal.status !== 401) return { refusal };
      throw refusal;
    }
  }));
}

/** @param {number} milliseconds @param {AbortSignal} signal */
const pause = (milliseconds, signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    reject(signal.reason);
  }, { once: true });
});

/**
 * Sends all items in about their order and tells each result as it comes. What may pass is tried again; a refusal of one item does not
 * stop the others. Throws a Refusal if nothing can be sent any more, and what `signal` was aborted with.
 * @param {Item[]} items @param {(at: number, result: Result) => void} tell @param {AbortSignal} signal
 */
export async function deliverAll(items, tell, signal) {
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  let next = 0;
  const work = async () => {
    while (next < items.length && !both.aborted) {
      const from = next, group = items.slice(from, from + PER_REQUEST);
      next += group.length;
      for (let tried = 1; ; ++tried) {
        try {
          (await deliver(group, both)).forEach((result, at) => tell(from + at, result));
          break;
        } catch (refusal) {
          if (both.aborted || !(refusal instanceof Refusal) || !refusal.passes || tried === TRIES) throw refusal;
          await pause(Math.max(FIRST_WAIT * 2 ** (tried - 1), refusal.retryAfter * 1_000), both);
        }
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } catch (error) {
    stop.abort();
    if (signal.aborted) return;
    throw error instanceof Refusal ? error : new Refusal(500, { message: t("The service did not answer as it should.") });
  }
}
