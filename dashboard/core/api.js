// Sends requests to the service: with the session cookie, or as an operator.

import { t, tn, told } from "./i18n.js";

/** Who is signed in. @typedef {{id: string, email: string, name: string | null, plan: string}} User */

/** The code of what only a new page can do. */
export const OUTDATED = "OUTDATED";

export class Refusal extends Error {
  /** @param {number} status 0: no response @param {any} body @param {number} retryAfter seconds */
  constructor(status, body, retryAfter = 0) {
    super(body.message || body.error ? told(body.message ?? body.error) : t("The service did not answer as it should."));
    this.status = status;
    /** @type {string | undefined} */
    this.code = body.code;
    /** @type {Record<string, string[]>} */
    this.details = Object.fromEntries(Object.entries(body.details ?? {}).map(([name, said]) => [name, Array.isArray(said) ? said.map(told) : said]));
    this.retryAfter = retryAfter;
  }

  /** Whether the same request may work later. */
  get passes() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  /** Whether a change may still be made with the same Idempotency-Key: as `passes`, or its first try is still under way. */
  get mayPass() {
    return this.passes || (this.status === 409 && this.retryAfter > 0);
  }

  /** Whether it is the service's answer to the request: with the same Idempotency-Key, it would be the same. */
  get isAnswer() {
    return !this.mayPass && this.status !== 401;
  }
}

/** body: JSON, unless `type` names another kind of text. @typedef {{body?: any, type?: string, etag?: string | null, key?: string, asOf?: string | null, signal?: AbortSignal, text?: boolean, anyone?: boolean, seconds?: number}} Options */

/** @type {string | null} */
let actingFor = null;

/** The user whom the page shows: the service refuses requests once another one is signed in. @param {string | null} userId */
export function actFor(userId) {
  actingFor = userId;
}

/** Where requests go, and what all of them carry. @type {{base: string, headers: () => Record<string, string>}} */
let service = { base: "/api", headers: () => ({}) };

/** @param {typeof service} other */
export function connectTo(other) {
  service = other;
}

/** A random UUID; crypto.randomUUID needs https. */
export function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** @param {Options} options */
function headersOf({ body, type, etag, key, asOf, anyone }) {
  const headers = service.headers();
  if (body !== undefined) headers["Content-Type"] = type ?? "application/json";
  if (etag) headers["If-Match"] = etag;
  if (key) headers["Idempotency-Key"] = key;
  if (asOf) headers["Tilth-As-Of"] = asOf;
  if (actingFor && !anyone) headers["Tilth-User"] = actingFor;
  return headers;
}

/** The address of a path, and the headers for it, for requests that send() does not suit. @param {string} path @param {Options} [options] */
export const addressOf = (path, options = {}) => ({ url: service.base + path, headers: headersOf(options) });

/** What a response that is no success means to a person. @param {number} status 0: there was none @param {any} json @param {number} retryAfter seconds @param {boolean} [anyone] whether it needs no session */
export function refused(status, json, retryAfter, anyone = false) {
  if (status === 0) return new Refusal(0, { message: t("The service cannot be reached.") });
  const refusal = new Refusal(status, json, retryAfter);
  if (status === 401 && ["UNAUTHENTICATED", "UNAUTHORIZED"].includes(refusal.code ?? "") && !anyone) document.dispatchEvent(new CustomEvent("session-ended"));
  if (status === 429) refusal.message = tn("That was too much at once. Try again in {n} second.", "That was too much at once. Try again in {n} seconds.", refusal.retryAfter || 60);
  return refusal;
}

/** Whether a request may change something: a batch of reads does not. @param {string} method @param {string} path @param {any} body */
const mayChange = (method, path, body) => method !== "GET" && !(path === "/batch" && body.requests.every((/** @type {any} */ each) => each.method === "GET"));

const SECONDS = 30;

/**
 * Resolves to the JSON of the response, its ETag and its Location. Throws Refusal.
 * @param {string} method @param {string} path below /api, or where connectTo() says @param {Options} [options]
 * @returns {Promise<{json: any, etag: string | null, location: string | null}>}
 */
export async function send(method, path, options = {}) {
  const limit = AbortSignal.timeout((options.seconds ?? SECONDS) * 1000), headers = headersOf(options);
  let response, text;
  try {
    response = await fetch(service.base + path, {
      method,
      headers,
      body: options.body === undefined ? undefined : options.type ? options.body : JSON.stringify(options.body),
      credentials: "same-origin",
      cache: "no-store",
      signal: options.signal ? AbortSignal.any([options.signal, limit]) : limit,
    });
    text = await response.text();
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw refused(0, {}, 0);
  }
  if (options.text && response.ok) return { json: text, etag: null, location: null };
  let json = {};
  try {
    json = text ? JSON.parse(text) : {};
  } catch {
    // a proxy's own page: the status is enough
  }
  if (response.ok && mayChange(method, path, options.body)) document.dispatchEvent(new CustomEvent("changed"));
  if (response.ok) return { json, etag: response.headers.get("ETag"), location: response.headers.get("Location") };
  // Who has signed in since is not the one that is refused.
  const isPast = JSON.stringify(headers) !== JSON.stringify(headersOf(options));
  throw refused(response.status, json, Number(response.headers.get("Retry-After")), options.anyone || isPast);
}

/** @param {string} path @param {Options} [options] @returns {Promise<any>} */
export const get = async (path, options) => (await send("GET", path, options)).json;

/** Every record of a list, page by page. @param {string} path @param {AbortSignal} signal @param {string | null} [asOf] @returns {Promise<any[]>} */
export async function all(path, signal, asOf) {
  const rows = [];
  for (let page = 1, pages = 1; page <= pages; ++page) {
    const { data, pagination } = await get(`${path}${path.includes("?") ? "&" : "?"}limit=100&page=${page}`, { signal, asOf });
    rows.push(...data);
    pages = pagination.totalPages;
  }
  return rows;
}

/** A query string of what is set, with "?" or empty. @param {Record<string, any>} values */
export function query(values) {
  const set = Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return set.length === 0 ? "" : `?${new URLSearchParams(set.map(([name, value]) => [name, String(value)]))}`;
}
