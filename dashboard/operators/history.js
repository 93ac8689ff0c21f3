// Reads the history: backwards from its end, some events at a time, and as it comes.

import { Refusal, addressOf, get, query, send } from "../core/api.js";
import { t } from "../core/i18n.js";

/**
 * @typedef {{id: string, type: string, subject: string, time: string, partition: number, offset: number, accepted: boolean, actor?: string, correlationid?: string, causationid?: string, streamversion: number, source: string, data: any}} Happened
 * What is looked for. has: a text that its JSON has, such as the id of a record.
 * @typedef {{owner?: string, type?: string, since?: string, until?: string, partition?: number, has?: string}} Filter
 */

const LONGEST_SILENCE = 45_000; // the service sends an empty line every 15 seconds
const FIRST_WINDOW = 100, LARGEST_WINDOW = 50_000, MOST_READ = 400_000;

/** @param {string} lines @returns {Happened[]} */
const parsed = (lines) => lines.split("\n").filter(Boolean).map((line) => JSON.parse(line));

/** Those that do not count are shown, too; of one owner, it would cost reading the whole log. @param {string | undefined} owner */
const rejectedOf = (owner) => (owner ? undefined : "include");

/** @param {string | undefined} has @param {Happened} event */
const isWith = (has, event) => !has || JSON.stringify(event).includes(has);

/** The events in a range of offsets. @param {Filter} filter @param {number} partition @param {number} from @param {number} to @param {AbortSignal} [signal] @returns {Promise<Happened[]>} */
export async function readRange({ owner, type, since, until, has }, partition, from, to, signal) {
  const { json } = await send("GET", `/events${query({ partition, from, to, owner, type, since, until, rejected: rejectedOf(owner) })}`, { signal, text: true, seconds: 120 });
  return parsed(json).filter((event) => isWith(has, event));
}

/** One event; null if there is none. @param {number} partition @param {number} offset @param {AbortSignal} [signal] */
export const readOne = async (partition, offset, signal) => (await readRange({}, partition, offset, offset + 1, signal))[0] ?? null;

/** @param {AbortSignal} [signal] @returns {Promise<{partition: number, first: number, end: number}[]>} */
export const readEnds = async (signal) => (await get("/status", { signal })).data.log.partitions;

/** The history backwards: all partitions in the order of time, the newest event first. */
export class Backwards {
  /** @param {Filter} filter @param {{partition: number, first: number, end: number}[]} ends */
  constructor(filter, ends) {
    this.filter = filter;
    this.read = 0;
    this.taken = /** @type {Happened[]} */ ([]); // and not handed out yet: reading on may fail
    this.places = ends.filter(({ partition }) => filter.partition === undefined || partition === filter.partition)
      .map(({ partition, first, end }) => ({ partition, first, next: end, window: FIRST_WINDOW, events: /** @type {Happened[]} */ ([]) }));
  }

  /** Whether everything has been looked through. */
  get over() {
    return this.taken.length === 0 && this.places.every(({ next, first, events }) => next <= first && events.length === 0);
  }

  /** The next events, `count` of them unless there are no more, or so many were read that somebody should ask again. @param {number} count @param {AbortSignal} [signal] */
  async take(count, signal) {
    const stop = this.read + MOST_READ;
    while (this.taken.length < count && this.read < stop) {
      const dry = this.places.find(({ next, first, events }) => events.length === 0 && next > first);
      if (dry) {
        await this.#fill(dry, signal);
        continue;
      }
      const newest = this.places.filter(({ events }) => events.length).sort((a, b) => b.events[0].time.localeCompare(a.events[0].time))[0];
      if (!newest) break;
      this.taken.push(/** @type {Happened} */ (newest.events.shift()));
    }
    return this.taken.splice(0, count);
  }

  /** @param {Backwards["places"][number]} place @param {AbortSignal} [signal] */
  async #fill(place, signal) {
    const from = Math.max(place.first, place.next - place.window);
    place.events = (await readRange(this.filter, place.partition, from, place.next, signal)).reverse();
    this.read += place.next - from;
    // few of many were looked for: look through more at once
    if (place.events.length * 4 < place.next - from) place.window = Math.min(place.window * 4, LARGEST_WINDOW);
    place.next = from;
  }
}

/**
 * Tells the events from `next` on until the signal, the newest first: what came while there was no connection, though no more than `most` and
 * one of it, then each as it comes. Throws a Refusal when the connection ends before; `next` then says where to go on.
 * @param {Filter} filter @param {Map<number, number>} next of each partition the offset that comes next, which moves along
 * @param {number} most @param {(events: Happened[]) => void} tell @param {AbortSignal} signal
 */
export async function follow(filter, next, most, tell, signal) {
  const stop = new AbortController(), both = AbortSignal.any([signal, stop.signal]);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  // Of a network that went away, nothing tells.
  const hear = () => {
    clearTimeout(timer);
    timer = setTimeout(() => stop.abort(), LONGEST_SILENCE);
  };
  try {
    const stream = await openStream(filter, both);
    // The stream leaves out what was there before it began, so the log's ends are asked for after that.
    const ends = await readEnds(both);
    if ([...next.keys()].some((partition) => !ends.some((each) => each.partition === partition))) throw new Refusal(503, { message: t("The service cannot be reached.") });
    const missed = new Backwards(filter, ends.map(({ partition, end }) => ({ partition, first: next.get(partition) ?? end, end })));
    /** @type {Happened[]} */
    const events = [];
    while (!missed.over && events.length <= most) events.push(...await missed.take(most + 1 - events.length, both));
    for (const { partition, end } of ends) next.set(partition, end);
    if (events.length) tell(events);
    hear();
    await readStream(stream, filter, next, hear, tell);
  } catch (error) {
    if (signal.aborted) return;
    throw error instanceof Refusal ? error : new Refusal(0, { message: t("The connection has ended.") });
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

/** @param {Filter} filter @param {AbortSignal} signal */
async function openStream({ owner, type, partition }, signal) {
  const { url, headers } = addressOf(`/events${query({ follow: "new", owner, type, partition, rejected: rejectedOf(owner) })}`);
  const response = await fetch(url, { headers, cache: "no-store", signal }).catch((error) => {
    throw signal.aborted ? error : new Refusal(0, { message: t("The service cannot be reached.") });
  });
  if (!response.ok || !response.body) throw new Refusal(response.status, await response.json().catch(() => ({})));
  return response.body;
}

/** Tells what comes until the stream ends, and then throws. @param {ReadableStream<Uint8Array>} stream @param {Filter} filter @param {Map<number, number>} next @param {() => void} hear @param {(events: Happened[]) => void} tell */
async function readStream(stream, { has }, next, hear, tell) {
  const reader = stream.pipeThrough(/** @type {any} */ (new TextDecoderStream())).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    hear();
    if (done) throw new Refusal(0, { message: t("The connection has ended.") });
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    const come = parsed(lines.join("\n")).filter((event) => event.offset >= (next.get(event.partition) ?? 0));
    for (const { partition, offset } of come) next.set(partition, offset + 1);
    const events = come.filter((event) => isWith(has, event)).reverse();
    if (events.length) tell(events);
  }
}

const AROUND = 5_000;

/** What came of the request that an event came of: the events of its stream with the same correlation id, in order. @param {Happened} event @param {AbortSignal} [signal] */
export async function chainOf(event, signal) {
  const events = await readRange({ owner: event.subject, has: event.correlationid }, event.partition, Math.max(0, event.offset - AROUND), event.offset + AROUND, signal);
  return events.filter((each) => each.correlationid && each.correlationid === event.correlationid);
}
