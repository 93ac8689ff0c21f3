// Work that comes again: templates, the tasks made of them by hand, and the rules that make tasks by themselves.

import { all } from "../core/api.js";
import { useDraft } from "../core/drafts.js";
import { Said, Time, number, plain, word } from "../core/format.js";
import { t, tn } from "../core/i18n.js";
import { useLoad } from "../core/load.js";
import { RecordForm, RecordTable, dayName } from "../core/records.js";
import { resources } from "../core/resources.js";
import { goWith, linkTo } from "../core/route.js";
import { Badge, Button, Empty, Loading, PageHead, SelectField, Status, Tabs, say } from "../core/ui.js";
import { html } from "../core/view.js";
import { PastBar, usePast } from "./past.js";
import { allFarms, firstFarm, zoneOf } from "./task-actions.js";

/** @typedef {Record<string, string>} Params */
/** @typedef {Map<string, any>} Rows */

const inUseColumn = () => ({ name: "isActive", label: t("In use"), cell: (/** @type {any} */ row) => (row.isActive ? html`<${Badge} tone="good">${t("Yes")}<//>` : html`<${Badge}>${t("No")}<//>`) });
/** @param {Rows} farms */
const farmColumn = (farms) => ({ name: "farm", label: t("Farm"), cell: (/** @type {any} */ row) => (farms.has(row.farmId) ? html`<${Said} text=${farms.get(row.farmId).name} />` : html`<span class="muted">${t("All farms")}</span>`) });

/** @param {{farms: Rows, params: Params}} props */
const FarmFilter = ({ farms, params }) => html`<${SelectField} need label=${t("Farm")} name="farmId" none=${t("All")} value=${params.farmId ?? ""}
  options=${[...farms.values()].map((farm) => [farm.id, plain(farm.name)])} onInput=${(/** @type {string} */ value) => goWith({ farmId: value, page: null })} />`;

/** @param {{farms: Rows, params: Params, asOf: string | null}} props */
function Templates({ farms, params, asOf }) {
  const [applied, setApplied] = useDraft("template", () => /** @type {any} */ (null));
  const context = { farms: [...farms.values()], zoneFor: (/** @type {any} */ row) => zoneOf(farms.get(row?.farmId)) };
  const only = farms.size === 1 ? [...farms.keys()][0] : "";
  const columns = [
    { name: "name", label: t("Template"), sort: "name", cell: (/** @type {any} */ row) => html`<${Said} text=${row.name} />` },
    { name: "category", label: t("Category"), cell: (/** @type {any} */ row) => word(row.category) },
    { name: "priority", label: t("Priority"), cell: (/** @type {any} */ row) => html`<${Status} value=${row.priority} />` }, farmColumn(farms),
    { name: "from", label: t("From"), cell: (/** @type {any} */ row) => (row.isGlobal ? t("this service") : t("yourself")) }, inUseColumn(),
  ];
  return html`<${RecordTable} resource=${resources().template} path="/task-templates" params=${params} asOf=${asOf} sort="name" order=${params.order ?? "asc"} columns=${columns} context=${context}
      always=${{ farmId: params.farmId, includeGlobal: "true" }} filtered=${Boolean(params.farmId)} mayChange=${(/** @type {any} */ row) => !row.isGlobal}
      counts=${(/** @type {any} */ row) => [[t("Recurring tasks"), `/recurring-tasks?templateId=${row.id}`]]} extraFilters=${html`<${FarmFilter} farms=${farms} params=${params} />`}
      acts=${(/** @type {any} */ row) => (row.isActive && farms.size ? html`<${Button} kind="quiet small" aria-label=${t("Make a task of {name}", { name: plain(row.name) })}
        onClick=${() => setApplied(row)}>${t("Make a task")}<//>` : null)} />
    ${applied ? html`<${RecordForm} key=${applied.id} resource=${resources().application} path="/task-templates/${applied.id}/apply" context=${context}
      fixed=${{ title: applied.name, farmId: applied.farmId ?? only, assignedTo: applied.defaultAssignee ?? "" }} onClose=${() => setApplied(null)}
      onDone=${(/** @type {any} */ task) => say(t("{name} is saved.", { name: plain(task.title) }))} />` : null}`;
}

/** When a rule repeats, in words. @param {any} rule */
function repeats(rule) {
  const days = rule.daysOfWeek?.length ? `: ${rule.daysOfWeek.map((/** @type {number} */ day) => dayName(day, "short")).join(", ")}` : "";
  if (rule.pattern === "custom") return tn("Every day", "Every {n} days", rule.interval);
  return (rule.interval > 1 ? t("{pattern}, every {n}", { pattern: word(rule.pattern), n: number(rule.interval) }) : word(rule.pattern)) + days;
}

/** @param {{farms: Rows, params: Params, asOf: string | null}} props */
function Recurring({ farms, params, asOf }) {
  const templates = useLoad((signal) => all("/task-templates?sort=name&order=asc&includeGlobal=true", signal, asOf), [asOf]);
  return html`<${Loading} from=${templates}>${(/** @type {any[]} */ rows) => {
    const byId = new Map(rows.map((row) => [row.id, row]));
    const nameOf = (/** @type {any} */ rule) => byId.get(rule.templateId)?.name ?? t("A removed template");
    const columns = [
      { name: "template", label: t("Template"), cell: (/** @type {any} */ row) => html`<${Said} text=${nameOf(row)} />` }, farmColumn(farms),
      { name: "repeats", label: t("Repeats"), cell: repeats }, { name: "who", label: t("Who"), cell: (/** @type {any} */ row) => html`<${Said} text=${row.assignedTo} />` },
      { name: "next", label: t("Next time"), sort: "nextOccurrence", cell: (/** @type {any} */ row) => html`<${Time} instant=${row.nextOccurrence} zone=${zoneOf(farms.get(row.farmId))} />` }, inUseColumn(),
    ];
    const only = farms.size === 1 ? [...farms.keys()][0] : "";
    if (!rows.length && !asOf) {
      return html`<section class="card"><${Empty} icon="repeat" title=${t("Write a template first.")} text=${resources().recurring.first}>
        <a class="button primary" href=${linkTo(["planning"], { new: 1 })}>${t("New {kind}", { kind: resources().template.one })}</a><//></section>`;
    }
    return html`<${RecordTable} resource=${{ ...resources().recurring, titleOf: nameOf }} path="/recurring-tasks" params=${params} asOf=${asOf} sort="nextOccurrence" order=${params.order ?? "asc"} columns=${columns}
      always=${{ farmId: params.farmId }} filtered=${Boolean(params.farmId)} fixed=${{ farmId: params.farmId ?? only }} mayCreate=${farms.size > 0} instead=${firstFarm()} extraFilters=${html`<${FarmFilter} farms=${farms} params=${params} />`}
      context=${{ farms: [...farms.values()], templates: rows.filter((row) => row.isActive), zoneFor: (/** @type {any} */ row) => zoneOf(farms.get(row?.farmId)) }} />`;
  }}<//>`;
}

/** @param {{params: Params}} props */
export default function Planning({ params }) {
  const past = usePast(params), { asOf } = past;
  const farms = useLoad((signal) => allFarms(signal, asOf), [asOf]);
  const list = params.list === "recurring" ? "recurring" : "templates";
  const tabs = /** @type {[string, string, string][]} */ ([["templates", t("Templates"), linkTo(["planning"], { "as-of": asOf })], ["recurring", t("Recurring tasks"), linkTo(["planning"], { list: "recurring", "as-of": asOf })]]);
  return html`<${PageHead} title=${t("Planning")} text=${t("Work that comes again. Times are in each farm's own zone.")}>${past.button}<//>
    <${PastBar} past=${past} farms=${farms.value} />
    <${Tabs} tabs=${tabs} current=${list} label=${t("Planning")} />
    <${Loading} from=${farms}>${(/** @type {Rows} */ known) => (list === "recurring" ? html`<${Recurring} farms=${known} params=${params} asOf=${asOf} />`
      : html`<${Templates} farms=${known} params=${params} asOf=${asOf} />`)}<//>`;
}
