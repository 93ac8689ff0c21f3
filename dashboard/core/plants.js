// The plants of a map: where they are, loaded by a worker, which also knows what is said of each.

import { addressOf, refused } from "./api.js";

/** Where the plants of a block are on the world map; codes are places in statuses. @typedef {{xs: Float64Array, ys: Float64Array, codes: Uint8Array, statuses: string[]}} Points */

export class Plants {
  constructor() {
    this.calls = 0;
    /** @type {Map<number, {resolve: (answer: any) => void, reject: (why: any) => void}>} */
    this.waiting = new Map();
    /** @type {Worker | null} */
    this.worker = null;
  }

  start() {
    const worker = new Worker("/assets/core/plants-worker.js", { type: "module" });
    worker.addEventListener("message", ({ data: { call, refusal, ...answer } }) => {
      const asked = this.waiting.get(call);
      this.waiting.delete(call);
      if (refusal) asked?.reject(refused(refusal.status, refusal.body, refusal.retryAfter));
      else asked?.resolve(answer);
    });
    worker.addEventListener("error", () => { // its module could not be loaded
      this.worker = null;
      for (const { reject } of this.waiting.values()) reject(refused(0, {}, 0));
      this.waiting.clear();
    });
    return worker;
  }

  /** @param {any} request @returns {Promise<any>} */
  ask(request) {
    const call = ++this.calls;
    return new Promise((resolve, reject) => {
      this.waiting.set(call, { resolve, reject });
      (this.worker ??= this.start()).postMessage({ call, ...request });
    });
  }

  /** Throws Refusal. @param {string} block @param {string} path of its plants @param {string | null} asOf @returns {Promise<Points>} */
  async load(block, path, asOf) {
    return (await this.ask({ block, ...addressOf(path, { asOf }) })).points;
  }

  /** One plant, by its block and its place in the block's points. @param {string} block @param {number} at */
  async row(block, at) {
    return (await this.ask({ block, at })).row;
  }

  /** Drops all, also what is under way: what waits for it never comes. */
  close() {
    this.worker?.terminate();
    this.waiting.clear();
  }
}
