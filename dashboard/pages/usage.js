// Usage of the plan, when the counters reset, and requests over time.

import { get, query } from "../core/api.js";
import { COLORS, Chart } from "../core/chart.js";
import { number, plain, timeText, word } from "../core/format.js";
import { t } from "../core/i18n.js";
import { useLoad } from "../core/load.js";
import { Badge, Loading, Meter, PageHead, Status } from "../core/ui.js";
import { html } from "../core/view.js";
import { UsageOverTime } from "./usage-chart.js";

/** @param {{label: string, used: number, limit: number | null, over?: string, children?: any}} props */
function Counter({ label, used, limit, over, children }) {
  return html`<section class="card padded stack"><div class="row"><h2>${label}</h2>
      ${limit !== null && used > limit ? html`<${Badge} tone="bad">${t("Over the limit")}<//>` : limit !== null && used === limit ? html`<${Badge} tone="warn">${t("All used")}<//>` : null}</div>
    <p><span class="figure">${number(used)}</span> <span class="muted">${limit === null ? t("without a limit") : t("of {limit}", { limit: number(limit) })}</span></p>
    ${limit === null ? null : html`<${Meter} label=${label} value=${used} most=${limit} />`}
    <p class="hint">${limit !== null && used >= limit && over ? over : children}</p></section>`;
}

/** Requests by key, of those that are in force and were used. */
function ByKey() {
  const keys = useLoad(async (signal) => (await get("/api-keys", { signal })).data, []);
  return html`<${Loading} from=${keys}>${(/** @type {any[]} */ all) => {
    const used = all.filter((key) => key.usageCount > 0).sort((a, b) => b.usageCount - a.usageCount).slice(0, 20);
    if (!used.length) return null;
    return html`<section class="card"><header><h2>${t("Requests by key")}</h2></header><div class="body"><${Chart} label=${t("Requests by key")} place=${t("Key")} xs=${used.map((key) => plain(key.name))}
      say=${(/** @type {number} */ value) => number(value)} series=${[{ label: t("Requests since it was made"), color: COLORS[0], kind: "bars", values: used.map((key) => key.usageCount) }]} /></div></section>`;
  }}<//>`;
}

const HOUR = 3_600_000;

/** What programs asked for in this hour of the clock, against what they may in any hour. @param {{most: number}} props */
function ThisHour({ most }) {
  const hour = useLoad(async (signal) => {
    const { data, meta } = await get(`/billing/usage/history${query({ by: "hour", since: new Date().toISOString() })}`, { signal });
    return { asked: data.reduce((/** @type {number} */ sum, /** @type {any} */ row) => sum + row.requests, 0), since: meta.since };
  }, []);
  return html`<section class="card padded stack"><h2>${t("API requests this hour")}</h2><${Loading} from=${hour} lines=${2}>${(/** @type {{asked: number, since: string}} */ { asked, since }) => html`
    <p><span class="figure">${number(asked)}</span> <span class="muted">${t("of {limit}", { limit: number(most) })}</span></p>
    <${Meter} label=${t("API requests this hour")} value=${asked} most=${most} />
    <p class="hint">${t("Since {since}; the next hour begins at {next}. A request counts over all keys, for an hour from when it was made.", { since: timeText(since, undefined, { timeStyle: "short" }), next: timeText(Date.parse(since) + HOUR, undefined, { timeStyle: "short" }) })}</p>`}<//></section>`;
}

/** @param {{params: Record<string, string>}} props */
export default function Usage({ params }) {
  const usage = useLoad((signal) => Promise.all([get("/billing/usage", { signal }), get("/billing/subscription", { signal }), get("/billing/plan", { signal })]), []);
  return html`<${PageHead} title=${t("Usage")} text=${t("What your plan includes, and how much of it is used.")} />
    <${Loading} from=${usage}>${(/** @type {any} */ [used, { subscription }, { plan }]) => html`
      <p class="row">${t("Your plan")}: <strong>${word(plan.name)}</strong> ${subscription ? html`<${Status} value=${subscription.status} />` : html`<${Badge} tone="warn">${t("No subscription")}<//>`}</p>
      <div class="cards">
        <${Counter} label=${t("Farms")} used=${used.farmsCount} limit=${plan.farms} over=${t("Another farm needs a larger plan. The farms that are there stay.")}>
          ${t("Farms that you removed do not count.")}<//>
        <${Counter} label=${t("AI requests this month")} used=${used.aiRequestsThisMonth} limit=${plan.aiRequestsPerMonth}>
          ${subscription ? t("Resets on {date} (UTC).", { date: timeText(subscription.currentPeriodEnd, "UTC", { dateStyle: "long" }) }) : null}<//>
        <${ThisHour} most=${plan.requestsPerHour} />
      </div>
      <${UsageOverTime} params=${params} />
      <${ByKey} />`}<//>`;
}
