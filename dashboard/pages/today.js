// Today: what is overdue, due today and due this week, over all farms.

import { get, query } from "../core/api.js";
import { dayOf, number, timeText } from "../core/format.js";
import { t } from "../core/i18n.js";
import { useLoad } from "../core/load.js";
import { linkTo } from "../core/route.js";
import { Badge, Empty, Loading, PageHead } from "../core/ui.js";
import { html } from "../core/view.js";
import { TaskList, allFarms, firstFarm, zoneOf } from "./task-actions.js";

const DAY = 86_400_000, SHOWN = 50;

/** @param {AbortSignal} signal */
async function loadToday(signal) {
  const now = new Date();
  const ahead = { dueAfter: now.toISOString(), dueBefore: new Date(now.getTime() + 7 * DAY).toISOString() };
  const list = (/** @type {any} */ filter) => get(`/tasks${query({ sort: "dueDate", order: "asc", limit: SHOWN, page: 1, ...filter })}`, { signal });
  const [farms, overdue, pending, begun, undated] = await Promise.all([
    allFarms(signal), list({ status: "overdue" }), list({ status: "pending", ...ahead }), list({ status: "in_progress", ...ahead }), list({ status: "in_progress" })]);
  const coming = [...pending.data, ...begun.data].sort((a, b) => Date.parse(a.dueDate) - Date.parse(b.dueDate));
  const isToday = (/** @type {any} */ task) => {
    const zone = zoneOf(farms.get(task.farmId));
    return dayOf(task.dueDate, zone) === dayOf(now, zone);
  };
  const listed = new Set(coming.map((task) => task.id));
  return { farms, overdue, today: coming.filter(isToday), week: coming.filter((task) => !isToday(task)),
    weekTotal: pending.pagination.total + begun.pagination.total - coming.length, others: undated.data.filter((/** @type {any} */ task) => !listed.has(task.id)) };
}

/** @param {{title: string, tasks: any[], total?: number, tone?: string, none?: string, farms: Map<string, any>, onDone: () => void, more?: string}} props */
function Part({ title, tasks, total = tasks.length, tone, none, farms, onDone, more }) {
  return html`<section class="card"><header><h2>${title}</h2><${Badge} count tone=${total > 0 ? tone ?? "plain" : "plain"}>${number(total)}<//>
      ${more && total > tasks.length ? html`<a class="push small" href=${more}>${t("Show all")}</a>` : null}</header>
    ${tasks.length ? html`<${TaskList} label=${title} tasks=${tasks} farms=${farms} onDone=${onDone} />` : html`<p class="body muted small">${none}</p>`}</section>`;
}

export default function Today() {
  const day = useLoad(loadToday, []);
  const zones = [...new Set([...(day.value?.farms.values() ?? [])].map(zoneOf))];
  const zone = zones.length === 1 ? zones[0] : undefined;
  return html`<${PageHead} title=${t("Today")} text=${timeText(Date.now(), zone, { weekday: "long", day: "numeric", month: "long", year: "numeric" })}>
      ${day.value?.farms.size ? html`<a class="button primary" href=${linkTo(["tasks"], { new: 1 })}>${t("New task")}</a>` : null}<//>
    <${Loading} from=${day} lines=${9}>${(/** @type {any} */ { farms, overdue, today, week, weekTotal, others }) => {
      if (farms.size === 0) {
        return html`<section class="card"><${Empty} icon="farm" title=${t("Welcome to Tilth")} text=${t("Start with your farm: its name and size are enough. Fields, crops and tasks follow.")}>
          ${firstFarm()}<//></section>`;
      }
      if (overdue.data.length + today.length + week.length + others.length === 0) {
        return html`<section class="card"><${Empty} icon="check" title=${t("Nothing is due this week")} text=${t("Plan what has to be done: what, where, until when, and by whom.")}>
          <a class="button primary" href=${linkTo(["tasks"], { new: 1 })}>${t("Plan a task")}</a><//></section>`;
      }
      const common = { farms, onDone: day.reload };
      return html`${overdue.data.length ? html`<${Part} ...${common} title=${t("Overdue")} tone="bad" tasks=${overdue.data} total=${overdue.pagination.total} more=${linkTo(["tasks"], { status: "overdue" })} />` : null}
        <${Part} ...${common} title=${t("Due today")} tone="good" tasks=${today} none=${t("Nothing more is due today.")} />
        <${Part} ...${common} title=${t("In the next seven days")} tasks=${week} total=${week.length + weekTotal} none=${t("Nothing else is due in the next seven days.")} more=${linkTo(["tasks"], { status: "pending" })} />
        ${others.length ? html`<${Part} ...${common} title=${t("Under way, due later or without a date")} tasks=${others} />` : null}
        <p class="hint">${zone ? t("Times are in {zone}.", { zone }) : t("Times are in each farm's own zone.")}</p>`;
    }}<//>`;
}
