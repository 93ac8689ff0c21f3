// Sends many records as batches, each made once however often it is sent.

import { Refusal, send, uuid } from "./api.js";
import { t } from "./i18n.js";

/** @typedef {{path: string, body: any, key: string}} Item key: its Idempotency-Key, should it be sent alone */
/** @typedef {{items: Item[], key: string}} Group What one batch carries, always the same: its key stands for it. */
/** @typedef {{row?: any, refusal?: Refusal}} Result */

const MOST_ITEMS = 100, MOST_LETTERS = 1_000_000; // a batch of 100 counts as one request; its body stays far below 8 MiB
const AT_ONCE = 2, TRIES = 6, FIRST_WAIT = 1_000;

/** The items in groups that stay as they are when an import goes on. @param {Item[]} items @returns {Group[]} */
export function grouped(items) {
  /** @type {Group[]} */
  const groups = [];
  let letters = 0;
  for (const item of items) {
    const size = item.path.length + JSON.stringify(item.body).length, last = groups.at(-1);
    if (!last || last.items.length === MOST_ITEMS || letters + size > MOST_LETTERS) {
      groups.push({ items: [item], key: uuid() });
      letters = size;
    } else {
      last.items.push(item);
      letters += size;
    }
  }
  return groups;
}

/** @param {Item} item @param {AbortSignal} signal @returns {Promise<Result>} */
async function deliverOne({ path, body, key }, signal) {
  try {
    return { row: (await send("POST", path, { body, key, signal })).json.data };
  } catch (refusal) {
    if (refusal instanceof Refusal && !refusal.mayPass && refusal.status !== 401) return { refusal };
    throw refusal;
  }
}

/** Sends a group; throws what may pass once the others' results are told. @param {Group} group @param {(item: Item, result: Result) => void} tell @param {AbortSignal} signal */
async function deliver({ items, key }, tell, signal) {
  let answers;
  try {
    answers = (await send("POST", "/batch", { body: { requests: items.map(({ path, body }) => ({ method: "POST", path: `/v1${path}`, body })) }, key, signal })).json.data;
  } catch (refusal) {
    if (!(refusal instanceof Refusal) || (refusal.status !== 400 && refusal.status !== 413)) throw refusal;
    // one of them makes the whole no batch, such as a text that reads like a reference: nothing of it is carried out
    for (const item of items) tell(item, await deliverOne(item, signal));
    return;
  }
  let later = /** @type {Refusal | null} */ (null);
  items.forEach((item, at) => {
    const { status, body } = answers[at];
    const refusal = status < 300 ? null : new Refusal(status, body ?? {});
    if (refusal?.passes) later ??= refusal;
    else tell(item, refusal ? { refusal } : { row: body.data });
  });
  if (later) throw later;
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
 * Sends all groups in about their order and tells the result of each item. What may pass is tried again; a refusal of one item does not
 * stop the others. Throws a Refusal if nothing can be sent any more, and what `signal` was aborted with.
 * @param {Group[]} groups @param {(item: Item, result: Result) => void} tell @param {AbortSignal} signal
 */
export async function deliverAll(groups, tell, signal) {
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  let next = 0;
  const work = async () => {
    while (next < groups.length && !both.aborted) {
      const group = groups[next++];
      for (let tried = 1; ; ++tried) {
        try {
          await deliver(group, tell, both);
          break;
        } catch (refusal) {
          if (both.aborted || !(refusal instanceof Refusal) || !refusal.mayPass || tried === TRIES) throw refusal;
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
