// All tasks: a table with filters, and one task with what can be done with it.

import { get } from "../core/api.js";
import { useDraft } from "../core/drafts.js";
import { Said, Time, plain, word } from "../core/format.js";
import { t } from "../core/i18n.js";
import { useLoad, useWhileThere } from "../core/load.js";
import { RecordForm, RecordRemoval, RecordTable } from "../core/records.js";
import { CATEGORIES, PRIORITIES, TASK_STATUSES, resources } from "../core/resources.js";
import { goWith } from "../core/route.js";
import { Typed } from "../core/typed.js";
import { Button, Dialog, Loading, PageHead, SelectField, Status, say } from "../core/ui.js";
import { html, useState } from "../core/view.js";
import { Complete, Reschedule, allFarms, firstFarm, isOpen, useStart, zoneOf } from "./task-actions.js";
import { taskColumns } from "./columns.js";
import { PastBar, usePast } from "./past.js";

/** @param {{id: string, farms: Map<string, any>, asOf: string | null, onClose: () => void, onChanged: () => void}} props */
export function TaskDialog({ id, farms, asOf, onClose, onChanged }) {
  const task = useLoad(async (signal) => (await get(`/tasks/${encodeURIComponent(id)}`, { signal, asOf })).data, [id, asOf]);
  const [doing, setDoing] = useDraft(`task ${id}`, () => "");
  const leave = useWhileThere(onClose);
  const farm = farms.get(task.value?.farmId);
  const zone = zoneOf(farm);
  const done = () => { task.reload(); onChanged(); };
  const start = useStart(id, done);
  const close = () => setDoing("");
  const shown = task.value;
  const link = shown?.photoUrl && /^https?:/.test(shown.photoUrl) ? shown.photoUrl : null;
  /** @type {() => [string, any][]} */
  const facts = () => [[t("Farm"), farm && html`<${Said} text=${farm.name} />`], [t("Where"), shown.fieldName && html`<${Said} text=${shown.fieldName} />`],
    [t("Category"), word(shown.category)], [t("Who does it"), shown.assignedTo && html`<${Said} text=${shown.assignedTo} />`],
    [t("Due"), shown.dueDate && html`<${Time} instant=${shown.dueDate} zone=${zone} />`], [t("Done"), shown.completedDate && html`<${Time} instant=${shown.completedDate} zone=${zone} />`],
    [t("Takes about"), shown.estimatedDuration && html`<${Said} text=${shown.estimatedDuration} />`], [t("Description"), shown.description && html`<${Said} text=${shown.description} />`],
    [t("How it went"), shown.completionNotes && html`<${Said} text=${shown.completionNotes} />`], [t("Notes"), shown.notes && html`<${Said} text=${shown.notes} />`],
    [t("Photo"), link && html`<a href=${link} target="_blank" rel="noopener noreferrer">${t("Open the photo")}</a>`]];
  return html`<${Dialog} wide title=${shown ? html`<${Said} text=${shown.title} />` : t("Task")} onClose=${onClose}>
    <${Loading} from=${task}>${() => html`<p class="row-tight"><${Status} value=${shown.status} /><${Status} value=${shown.priority} /></p>
      <dl class="facts">${facts().filter(([, value]) => value).map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>
      <p class="hint">${t("Times are in {zone}.", { zone })}</p>
      ${start.error ? html`<p class="notice bad" role="alert">${start.error.message}</p>` : null}
      ${asOf ? null : html`<div class="buttons">${isOpen(shown) ? html`<${Button} kind="primary" icon="check" onClick=${() => setDoing("complete")}>${t("Complete")}<//>
          ${shown.status === "pending" ? html`<${Button} busy=${start.busy} onClick=${async () => { if (await start.run(undefined)) done(); }}>${t("Start")}<//>` : null}
          <${Button} onClick=${() => setDoing("reschedule")}>${t("Reschedule")}<//>` : null}
        <${Button} onClick=${() => setDoing("edit")}>${t("Edit")}<//><${Button} kind="quiet danger" onClick=${() => setDoing("remove")}>${t("Remove")}<//></div>`}`}<//>
    ${doing === "complete" ? html`<${Complete} task=${shown} farm=${farm} onClose=${close} onDone=${done} />` : null}
    ${doing === "reschedule" ? html`<${Reschedule} task=${shown} farm=${farm} onClose=${close} onDone=${done} />` : null}
    ${doing === "edit" ? html`<${RecordForm} resource=${resources().task} path="/tasks" row=${shown} context=${{ zone }} onClose=${close}
      onDone=${(/** @type {any} */ row) => { say(t("{name} is saved.", { name: plain(row.title) })); done(); }} />` : null}
    ${doing === "remove" ? html`<${RecordRemoval} resource=${resources().task} path="/tasks" row=${shown} onClose=${close} onDone=${() => { leave(); onChanged(); }} />` : null}
  <//>`;
}

/** The table of tasks of one farm or of all; the open ones, unless others are asked for. @param {{farms: Map<string, any>, farmId?: string, params: Record<string, string>, asOf?: string | null}} props */
export function TaskTable({ farms, farmId, params, asOf = null }) {
  const [changes, setChanges] = useState(0);
  const chosen = farmId ?? params.farmId;
  const one = farms.size === 1 ? [...farms.keys()][0] : "";
  const status = params.status ?? "open", stated = !["open", "all"].includes(status);
  const resource = status === "open" ? { ...resources().task, none: t("No open task") } : resources().task;
  const select = (/** @type {string} */ name, /** @type {string} */ label, /** @type {readonly string[]} */ options) => html`<${SelectField} need label=${label} name=${name} none=${t("All")}
    value=${params[name] ?? ""} options=${options.map((each) => [each, word(each)])} onInput=${(/** @type {string} */ value) => goWith({ [name]: value, page: null })} />`;
  const filters = html`<${SelectField} need label=${t("Status")} name="status" value=${status} onInput=${(/** @type {string} */ value) => goWith({ status: value === "open" ? null : value, page: null })}
      options=${[["open", t("Still open")], ["all", t("All")], ...[...TASK_STATUSES, "overdue"].map((each) => [each, word(each)])]} />${select("priority", t("Priority"), PRIORITIES)}${select("category", t("Category"), CATEGORIES)}
    ${farmId ? null : html`<${SelectField} need label=${t("Farm")} name="farmId" none=${t("All")} value=${params.farmId ?? ""} options=${[...farms.values()].map((farm) => [farm.id, plain(farm.name)])}
      onInput=${(/** @type {string} */ value) => goWith({ farmId: value, page: null })} />`}
    <${Typed} need label=${t("Who does it")} name="assignedTo" value=${params.assignedTo ?? ""}
      onChange=${(/** @type {any} */ event) => goWith({ assignedTo: event.currentTarget.value, page: null })} />`;
  return html`<${RecordTable} again=${changes} resource=${resource} path="/tasks" params=${params} sort="dueDate" order=${params.order ?? "asc"} asOf=${asOf}
      always=${{ farmId: chosen, status: stated ? status : null, open: status === "open" ? true : null, priority: params.priority, category: params.category, assignedTo: params.assignedTo }}
      filtered=${Boolean(stated || params.priority || params.category || params.assignedTo || params.farmId)} extraFilters=${filters}
      fixed=${{ farmId: chosen || one }} mayCreate=${farms.size > 0} instead=${firstFarm()} context=${{ farms: [...farms.values()], zoneFor: (/** @type {any} */ row) => zoneOf(farms.get(row?.farmId)) }}
      columns=${taskColumns(farms, (row) => zoneOf(farms.get(row.farmId)), !farmId && farms.size > 1, farmId ? { "as-of": asOf } : params)} />
    ${params.task ? html`<${TaskDialog} key=${params.task} id=${params.task} farms=${farms} asOf=${asOf} onClose=${() => goWith({ task: null }, { replace: true })} onChanged=${() => setChanges((count) => count + 1)} />` : null}`;
}

/** @param {{params: Record<string, string>}} props */
export default function Tasks({ params }) {
  const past = usePast(params);
  const farms = useLoad((signal) => allFarms(signal, past.asOf), [past.asOf]);
  return html`<${PageHead} title=${t("Tasks")} text=${t("Everything that is planned or done, on all farms. Times are in each farm's own zone.")}>${past.button}<//>
    <${PastBar} past=${past} farms=${farms.value} />
    <${Loading} from=${farms}>${(/** @type {Map<string, any>} */ all) => html`<${TaskTable} farms=${all} params=${params} asOf=${past.asOf} />`}<//>`;
}
