// Usage of the plan, and when the counters reset.

import { get } from "./api.js";
import { date, el } from "./dom.js";

function meter(label, used, limit, note) {
  const of = limit === null ? ", without a limit" : ` of ${limit.toLocaleString()}`;
  return el(
    "div",
    { class: "card" },
    el("h2", {}, label),
    el("p", { class: "figure" }, el("strong", {}, used.toLocaleString()), of),
    limit === null ? null : el("meter", { min: 0, max: Math.max(limit, 1), high: limit * 0.9, value: used, "aria-label": label }),
    note ? el("p", { class: "hint" }, note) : null,
  );
}

export async function showUsage(content) {
  const [usage, { subscription }, { plan }] = await Promise.all([
    get("/api/billing/usage"),
    get("/api/billing/subscription"),
    get("/api/billing/plan"),
  ]);
  const reset = subscription ? el("span", {}, "Resets on ", date(subscription.currentPeriodEnd), " (UTC).") : null;
  content.replaceChildren(
    el(
      "p",
      {},
      "Your plan: ",
      el("strong", { class: "plan" }, plan.name),
      subscription ? ` (${subscription.status})` : " (no subscription)",
    ),
    el(
      "div",
      { class: "cards" },
      meter("Farms", usage.farmsCount, plan.farms),
      meter("AI requests this month", usage.aiRequestsThisMonth, plan.aiRequestsPerMonth, reset),
      el(
        "div",
        { class: "card" },
        el("h2", {}, "API requests"),
        el("p", { class: "figure" }, el("strong", {}, plan.requestsPerHour.toLocaleString()), " an hour"),
        el("p", { class: "hint" }, "Over all keys. Each request counts for an hour."),
      ),
    ),
  );
}
