// Loads and keeps plants apart from the page, which stays quick however many they are. plants.js talks to it.

import { onWorldMap } from "./geometry.js";

/** @typedef {{call: number, block: string, url?: string, headers?: Record<string, string>, at?: number}} Request */

const scope = /** @type {any} */ (self);
/** What is said of each plant of a block when it is chosen. @type {Map<string, {label: string, status: string, tagId: string | null, lat: number, lng: number}[]>} */
const kept = new Map();

/** @param {string} block @param {any[]} rows */
function pointsOf(block, rows) {
  const placed = rows.filter((row) => row.position), statuses = [...new Set(placed.map(({ status }) => status))];
  const xs = new Float64Array(placed.length), ys = new Float64Array(placed.length), codes = new Uint8Array(placed.length);
  placed.forEach(({ position, status }, at) => {
    [xs[at], ys[at]] = onWorldMap(position.lat, position.lng);
    codes[at] = statuses.indexOf(status);
  });
  kept.set(block, placed.map(({ label, status, tagId, position: { lat, lng } }) => ({ label, status, tagId, lat, lng })));
  return { xs, ys, codes, statuses };
}

scope.addEventListener("message", async (/** @type {{data: Request}} */ { data: { call, block, url, headers, at } }) => {
  if (!url) return scope.postMessage({ call, row: kept.get(block)?.[at ?? -1] ?? null });
  try {
    const response = await fetch(url, { headers, credentials: "same-origin", cache: "no-store", signal: AbortSignal.timeout(60_000) });
    const body = await response.json().catch(() => ({}));
    if (!response.ok) return scope.postMessage({ call, refusal: { status: response.status, body, retryAfter: Number(response.headers.get("Retry-After")) } });
    const points = pointsOf(block, body.data);
    scope.postMessage({ call, points }, [points.xs.buffer, points.ys.buffer, points.codes.buffer]);
  } catch {
    scope.postMessage({ call, refusal: { status: 0, body: {}, retryAfter: 0 } });
  }
});
