// Requests over time by key, against the limit.

import { get, query } from "../core/api.js";
import { COLORS, Chart } from "../core/chart.js";
import { browserZone, number, plain, timeText } from "../core/format.js";
import { t } from "../core/i18n.js";
import { useLoad } from "../core/load.js";
import { goWith } from "../core/route.js";
import { Loading, SelectField } from "../core/ui.js";
import { html } from "../core/view.js";

const HOUR = 3_600_000, DAY = 24 * HOUR, MOST_KEYS = 5;
const LIMITED = "#c0392b";

/** Every hour or day from the first to the present one. @param {{by: string, since: string, until: string}} meta */
function placesOf({ by, since, until }) {
  const step = by === "hour" ? HOUR : DAY;
  return Array.from({ length: Math.floor((Date.parse(until) - Date.parse(since)) / step) + 1 }, (_, nth) => Date.parse(since) + nth * step);
}

/** The busiest keys, each with its requests at each place; the others together. @param {any[]} rows @param {number[]} places */
function byKey(rows, places) {
  const at = new Map(places.map((place, nth) => [place, nth]));
  /** @type {Map<string, {name: string, values: number[], sum: number}>} */
  const keys = new Map();
  for (const row of rows) {
    const nth = at.get(Date.parse(row.at));
    if (nth === undefined) continue;
    const key = keys.get(row.keyId) ?? { name: row.name ?? row.keyId, values: places.map(() => 0), sum: 0 };
    key.values[nth] += row.requests;
    key.sum += row.requests;
    keys.set(row.keyId, key);
  }
  const all = [...keys.values()].sort((a, b) => b.sum - a.sum), others = all.slice(MOST_KEYS);
  const together = { name: t("Other keys"), values: places.map((_, nth) => others.reduce((sum, { values }) => sum + values[nth], 0)), sum: 0 };
  return others.length ? [...all.slice(0, MOST_KEYS), together] : all;
}

/** @param {{params: Record<string, string>}} props */
export function UsageOverTime({ params }) {
  const spans = /** @type {[string, string, string, number][]} */ ([["24h", t("24 hours, by hour"), "hour", DAY], ["7d", t("7 days, by hour"), "hour", 7 * DAY], ["30d", t("30 days, by day"), "day", 30 * DAY]]);
  const [span, , by, length] = spans.find(([name]) => name === params.span) ?? spans[0];
  const loaded = useLoad((signal) => get(`/billing/usage/history${query({ by, since: new Date(Date.now() - length).toISOString() })}`, { signal }), [span]);
  return html`<section class="card" id="over-time"><header><h2>${t("Requests over time")}</h2><div class="push"><${SelectField} need label=${t("Span")} name="span" value=${span}
      options=${spans.map(([name, words]) => [name, words])} onInput=${(/** @type {string} */ chosen) => goWith({ span: chosen })} /></div></header>
    <div class="body stack"><${Loading} from=${loaded}>${(/** @type {any} */ { data, meta }) => {
      if (data.length === 0) return html`<p class="muted">${t("No program has asked for anything in this time.")}</p>`;
      const places = placesOf(meta), keys = byKey(data, places), zone = meta.by === "hour" ? browserZone() : "UTC";
      const sums = places.map((_, nth) => keys.reduce((sum, { values }) => sum + values[nth], 0)), busiest = Math.max(...sums);
      const limited = places.map((place) => data.filter((/** @type {any} */ row) => Date.parse(row.at) === place).reduce((/** @type {number} */ sum, /** @type {any} */ row) => sum + row.limited, 0));
      const refused = limited.reduce((sum, each) => sum + each, 0), limit = meta.requestsPerHour;
      const hourly = meta.by === "hour", near = hourly && busiest * 10 >= limit; // else the line would flatten the rest
      return html`<${Chart} label=${t("Requests over time")} place=${hourly ? t("Hour") : t("Day (UTC)")} xs=${places} say=${(/** @type {number} */ value) => number(value)}
          nameOf=${(/** @type {number} */ place) => timeText(place, zone, hourly ? { weekday: "short", hour: "2-digit", minute: "2-digit" } : { day: "numeric", month: "short" })}
          series=${[...keys.map((key, nth) => ({ label: plain(key.name), color: COLORS[nth], kind: "bars", stack: "keys", values: key.values })),
            { label: t("Refused with 429"), color: LIMITED, kind: "points", values: limited.map((each) => each || null) },
            ...(near ? [{ label: t("Limit of an hour"), color: COLORS[6], kind: "range", values: places.map(() => limit) }] : [])]} />
        <p class="hint">${hourly ? t("The busiest hour had {n} requests; the plan allows {limit}.", { n: number(busiest), limit: number(limit) }) : null} ${refused ? t("{n} requests were refused since a limit was used up.", { n: number(refused) }) : t("None was refused since a limit was used up.")}</p>`;
    }}<//></div></section>`;
}
