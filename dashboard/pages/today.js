// Today: what is overdue, due today and due this week, over all farms.

import { get, query } from "../core/api.js";
import { daysLater } from "../core/days.js";
import { dayOf, fromLocalInput, number, timeText } from "../core/format.js";
import { t } from "../core/i18n.js";
import { useLoad } from "../core/load.js";
import { linkTo } from "../core/route.js";
import { Badge, Empty, Loading, PageHead } from "../core/ui.js";
import { html, useEffect } from "../core/view.js";
import { PastBar, usePast } from "./past.js";
import { TaskList, allFarms, firstFarm, zoneOf } from "./task-actions.js";

const DAY = 86_400_000, WEEK = 7, SHOWN = 50;

/** The end of the day in a zone, or of a later one. @param {Date} now @param {string} zone @param {number} [days] */
const midnight = (now, zone, days = 0) => Date.parse(fromLocalInput(`${daysLater(dayOf(now, zone), days + 1)}T00:00`, zone));

/** Of the tasks under way, those after the first `before`, by their date and at the end those without one. @param {any} first the first page of all @param {(filter: any) => Promise<any>} list @param {number} end before which a task is due that is in another list */
async function restOf(first, list, end) {
  const { total } = first.pagination, wanted = { status: "in_progress" };
  if (total <= SHOWN) return { tasks: first.data, total };
  const before = (await list({ ...wanted, dueBefore: new Date(end).toISOString(), limit: 1 })).pagination.total, at = before % SHOWN, page = (before - at) / SHOWN + 1;
  const pages = await Promise.all([list({ ...wanted, page }), list({ ...wanted, page: page + 1 })]);
  return { tasks: pages.flatMap(({ data }) => data).slice(at, at + SHOWN), total: total - before };
}

/** The tasks of now, or of an earlier time as they were then. @param {AbortSignal} signal @param {string | null} asOf */
async function loadToday(signal, asOf) {
  const now = asOf ? new Date(asOf) : new Date();
  const list = (/** @type {any} */ filter) => get(`/tasks${query({ sort: "dueDate", order: "asc", limit: SHOWN, page: 1, ...filter })}`, { signal, asOf });
  const [farms, overdue, underWay] = await Promise.all([allFarms(signal, asOf), list({ status: "overdue" }), list({ status: "in_progress" })]);
  // Until the first midnight of the farms' zones, what is due is due today on each farm.
  const zones = [...new Set([...farms.values()].map(zoneOf))];
  const ends = (/** @type {number} */ days) => zones.map((zone) => midnight(now, zone, days));
  const first = Math.min(now.getTime() + DAY, ...ends(0)), end = Math.min(now.getTime() + 8 * DAY, ...ends(WEEK)), last = Math.max(end, ...ends(WEEK));
  const between = (/** @type {number} */ from, /** @type {number} */ to) => (from < to ? list({ open: true, dueAfter: new Date(from).toISOString(), dueBefore: new Date(to).toISOString() }) : { data: [], pagination: { total: 0 } });
  // Where zones differ, the week goes on for some farms once it has ended for others.
  const [soon, later, still, rest] = await Promise.all([between(now.getTime(), first), between(first, end), between(end, last), restOf(underWay, list, end)]);
  const daysUntil = (/** @type {any} */ task) => {
    const zone = zoneOf(farms.get(task.farmId));
    return (Date.parse(dayOf(task.dueDate, zone)) - Date.parse(dayOf(now, zone))) / DAY;
  };
  const isToday = (/** @type {any} */ task) => daysUntil(task) === 0;
  const coming = soon.data.filter((/** @type {any} */ task) => task.status !== "overdue");
  const today = [...coming, ...later.data.filter(isToday)], week = [...later.data.filter((/** @type {any} */ task) => !isToday(task)), ...still.data.filter((/** @type {any} */ task) => daysUntil(task) <= WEEK)];
  const others = rest.tasks.filter((/** @type {any} */ task) => !task.dueDate || daysUntil(task) > WEEK);
  return { now: now.getTime(), until: first, farms, overdue, today, todayTotal: today.length + soon.pagination.total - soon.data.length, week, weekTotal: week.length + later.pagination.total - later.data.length,
    others, othersTotal: rest.total - rest.tasks.length + others.length };
}

/** @param {{title: string, tasks: any[], total?: number, tone?: string, none?: string, farms: Map<string, any>, onDone: () => void, more: string, now: number, asOf: string | null}} props */
function Part({ title, tasks, total = tasks.length, tone, none, more, ...rest }) {
  return html`<section class="card"><header><h2>${title}</h2><${Badge} count tone=${total > 0 ? tone ?? "plain" : "plain"}>${number(total)}<//>
      ${total > tasks.length ? html`<a class="push small" href=${more}>${t("Show all")}</a>` : null}</header>
    ${tasks.length ? html`<${TaskList} label=${title} tasks=${tasks} ...${rest} />` : html`<p class="body muted small">${none}</p>`}</section>`;
}

/** @param {{params: Record<string, string>}} props */
export default function Today({ params }) {
  const past = usePast(params), { asOf } = past;
  const day = useLoad((signal) => loadToday(signal, asOf), [asOf]);
  const { now = asOf ? Date.parse(asOf) : Date.now(), until } = day.value ?? {};
  // From the next midnight on, another list is that of today. The timer of a page that cannot be seen may be late.
  useEffect(() => {
    if (asOf || !until) return undefined;
    const look = () => { if (Date.now() >= until) day.reload(); };
    const timer = setTimeout(look, until - Date.now() + 1_000);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [asOf, until]);
  const zones = [...new Set([...(day.value?.farms.values() ?? [])].map(zoneOf))];
  const zone = zones.length === 1 ? zones[0] : undefined;
  return html`<${PageHead} title=${t("Today")} text=${timeText(now, zone, { weekday: "long", day: "numeric", month: "long", year: "numeric" })}>
      ${day.value?.farms.size ? past.button : null}${day.value?.farms.size && !asOf ? html`<a class="button primary" href=${linkTo(["tasks"], { new: 1 })}>${t("New task")}</a>` : null}<//>
    <${PastBar} past=${past} farms=${day.value?.farms} />
    <${Loading} from=${day} lines=${9}>${(/** @type {any} */ { farms, overdue, today, todayTotal, week, weekTotal, others, othersTotal }) => {
      if (farms.size === 0 && asOf) return html`<section class="card"><${Empty} icon="farm" title=${t("No farm yet")} text=${t("Choose a later time.")} /></section>`;
      if (farms.size === 0) {
        return html`<section class="card"><${Empty} icon="farm" title=${t("Welcome to Tilth")} text=${t("Start with your farm: its name and size are enough. Fields, crops and tasks follow.")}>
          ${firstFarm()}<//></section>`;
      }
      if (overdue.data.length + today.length + week.length + others.length === 0) {
        return html`<section class="card"><${Empty} icon="check" title=${t("Nothing is due this week")} text=${asOf ? null : t("Plan what has to be done: what, where, until when, and by whom.")}>
          ${asOf ? null : html`<a class="button primary" href=${linkTo(["tasks"], { new: 1 })}>${t("Plan a task")}</a>`}<//></section>`;
      }
      const common = { farms, onDone: day.reload, now, asOf }, all = (/** @type {any} */ filter) => linkTo(["tasks"], { ...filter, "as-of": asOf });
      return html`${overdue.data.length ? html`<${Part} ...${common} title=${t("Overdue")} tone="bad" tasks=${overdue.data} total=${overdue.pagination.total} more=${all({ status: "overdue" })} />` : null}
        <${Part} ...${common} title=${t("Due today")} tone="good" tasks=${today} total=${todayTotal} none=${t("Nothing more is due today.")} more=${all({})} />
        <${Part} ...${common} title=${t("In the next seven days")} tasks=${week} total=${weekTotal} none=${t("Nothing else is due in the next seven days.")} more=${all({})} />
        ${others.length ? html`<${Part} ...${common} title=${t("Under way, due later or without a date")} tasks=${others} total=${othersTotal} more=${all({ status: "in_progress", order: "desc" })} />` : null}
        <p class="hint">${zone ? t("Times are in {zone}.", { zone }) : t("Times are in each farm's own zone.")}</p>`;
    }}<//>`;
}
