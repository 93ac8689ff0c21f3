// Tables and forms of records: create, edit with what another editor changed meanwhile, and delete.

import { Refusal, get, query, send } from "./api.js";
import { useDraft } from "./drafts.js";
import { Said, fromLocalInput, plain, timeText, toLocalInput, word } from "./format.js";
import { t } from "./i18n.js";
import { CarriedOut, useAction, useChanges, useLoad, useWhileThere } from "./load.js";
import { numeral } from "./numeral.js";
import { goWith } from "./route.js";
import { Button, Confirm, Dialog, Empty, FormTrouble, Loading, Pager, SelectField, Skeleton, Table, TextField, Trouble, faultOf, isUnfinished, say, useFaultFocus } from "./ui.js";
import { html, useEffect, useId, useRef, useState } from "./view.js";

/** @typedef {import("./resources.js").Resource} Resource */
/** @typedef {import("./resources.js").Member} Member */

/** Members that name another record: where a form finds the records, their names, and what to do first if there is none. */
export const NAMED = {
  crop: { rows: "crops", nameOf: (/** @type {any} */ row) => [row.cropType, row.variety].filter(Boolean).join(" "), first: () => t("Plant a crop on this field first.") },
  field: { rows: "fields", nameOf: (/** @type {any} */ row) => row.name, first: () => t("Add a field first.") },
  farm: { rows: "farms", nameOf: (/** @type {any} */ row) => row.name, first: () => t("Add a farm first.") },
  template: { rows: "templates", nameOf: (/** @type {any} */ row) => row.name, first: () => t("Write a template first.") },
  libraryCrop: { rows: "libraryCrops", nameOf: (/** @type {any} */ row) => row.name, first: () => t("The library is empty") },
};

/** @param {string | undefined} type @returns {(typeof NAMED)[keyof typeof NAMED] | undefined} */
const namedBy = (type) => (type && Object.hasOwn(NAMED, type) ? NAMED[/** @type {keyof typeof NAMED} */ (type)] : undefined);

const DAYS = [0, 1, 2, 3, 4, 5, 6];
/** 0 is Sunday, which 4 January 1970 was. @param {number} day @param {"long" | "short"} [weekday] */
export const dayName = (day, weekday = "long") => timeText((day + 3) * 86_400_000, "UTC", { weekday });

/** What an input shows of a member. @param {Member} member @param {any} value @param {any} context */
function shown(member, value, context) {
  if (value === null || value === undefined) return "";
  if (member.type === "instant") return toLocalInput(value, context.zone);
  if (member.type === "date") return value.slice(0, 10);
  if (member.type === "position") return `${value.lat}, ${value.lng}`;
  return String(value); // days: 1,3,5
}

/** A latitude and a longitude, as people write them: the commas of "24,5 39,5" are decimal ones. @param {Member} member @param {string} text */
function positionOf({ name }, text) {
  const said = text.trim(), between = /[;،]/.test(said) ? /[;،]/ : /,\s|\s,/.test(said) ? /,\s+|\s+,/ : /\s/.test(said) ? /\s+/ : ",";
  const parts = said.split(between).map((part) => numeral(part.replace(",", ".")));
  if (parts.length !== 2 || parts.includes("")) throw new Refusal(422, { message: t("Some entries need another look."), details: { [name]: [t("Write a latitude and a longitude, such as 24.4392, 39.6173.")] } });
  const [lat, lng] = parts;
  return { lat, lng };
}

/** What the API takes for what was typed. @param {Member} member @param {string} text @param {any} context */
function meant(member, text, context) {
  if (text === "") return null;
  if (member.type === "instant") return fromLocalInput(text, context.zone);
  if (member.type === "yes") return text === "true";
  if (member.type === "days") return text.split(",").map(Number);
  if (member.type === "position") return positionOf(member, text);
  if (member.type === "number") return numeral(text);
  return member.type === "area" || !member.type ? text : text.trim();
}

/** A member as words, in what two editors compare. @param {Member} member @param {any} value @param {any} context */
function words(member, value, context) {
  if (value === null || value === undefined || value === "") return "–";
  if (member.type === "select") return word(value);
  if (member.type === "yes") return value ? t("Yes") : t("No");
  if (member.type === "days") return value.map((/** @type {number} */ day) => dayName(day, "short")).join(", ");
  const named = namedBy(member.type);
  const row = named && context[named.rows]?.find((/** @type {any} */ each) => each.id === value);
  if (named && row) return plain(named.nameOf(row));
  if (member.type === "instant") return timeText(value, context.zone);
  return plain(shown(member, value, context));
}

/** Days of the week, as 1,3,5. @param {any} props */
function Days({ name, label, hint, value, onInput, fault }) {
  const id = useId();
  const chosen = new Set(value ? value.split(",").map(Number) : []);
  const turn = (/** @type {number} */ day) => onInput(DAYS.filter((each) => (each === day) !== chosen.has(each)).join(","));
  return html`<fieldset class="whole" aria-describedby="${id}-hint"><legend>${label} <span class="need">${t("(optional)")}</span></legend>
    <div class="row">${DAYS.map((day) => html`<label class="check"><input type="checkbox" name=${name} value=${day} checked=${chosen.has(day)} aria-invalid=${fault ? "true" : undefined}
      onChange=${() => turn(day)} />${dayName(day)}</label>`)}</div>
    <p class="hint" id="${id}-hint">${hint}</p>${fault ? html`<p class="fault">${fault}</p>` : null}</fieldset>`;
}

/** @param {any} props */
function Control({ member, value, onInput, context, fault }) {
  const { name, label, hint, need, type } = member;
  const common = { name, label, hint, need, fault, value, onInput, whole: type === "area" };
  if (type === "select") return html`<${SelectField} ...${common} none=${need ? undefined : "–"} options=${member.options.map((/** @type {string} */ each) => [each, word(each)])} />`;
  if (type === "yes") return html`<${SelectField} ...${common} options=${[["true", t("Yes")], ["false", t("No")]]} />`;
  if (type === "days") return html`<${Days} ...${common} />`;
  const named = namedBy(type);
  if (named) {
    const rows = context[named.rows] ?? [];
    return html`<${SelectField} ...${common} none=${t("Choose…")} hint=${rows.length ? hint : named.first()} options=${rows.map((/** @type {any} */ row) => [row.id, plain(named.nameOf(row))])} />`;
  }
  const kinds = { number: "text", date: "date", instant: "datetime-local", area: "area", position: "text", text: "text" };
  return html`<${TextField} ...${common} type=${kinds[/** @type {keyof typeof kinds} */ (type ?? "text")]} unit=${member.unit?.(context)} maxlength=${member.max}
    inputmode=${type === "number" ? "decimal" : undefined} autocomplete="off" hint=${type === "instant" ? t("In {zone}.", { zone: context.zone }) : hint} />`;
}

/** Which of the members another editor changed: theirs against mine. @param {any} props */
function Conflict({ resource, context, now, original, changes, onMine, onTheirs, busy }) {
  const differing = resource.members.filter((/** @type {Member} */ member) =>
    JSON.stringify(now[member.name]) !== JSON.stringify(original[member.name]) || (member.name in changes && JSON.stringify(changes[member.name]) !== JSON.stringify(now[member.name])));
  return html`<div class="stack" role="alert"><p class="notice warn">${t("Somebody changed this record while you were editing it. Nothing of yours is saved yet.")}</p>
    <div class="card diff"><${Table} label=${t("What differs")} rows=${differing.map((/** @type {Member} */ member) => ({ id: member.name, member }))} columns=${[
      { name: "member", label: t("Entry"), cell: (/** @type {any} */ row) => row.member.label },
      { name: "before", label: t("Before"), cell: (/** @type {any} */ row) => words(row.member, original[row.member.name], context) },
      { name: "theirs", label: t("Theirs, saved"), cell: (/** @type {any} */ row) => words(row.member, now[row.member.name], context) },
      { name: "mine", label: t("Yours"), cell: (/** @type {any} */ row) => (row.member.name in changes ? words(row.member, changes[row.member.name], context) : t("not changed")) },
    ]} /></div>
    <div class="buttons"><${Button} kind="primary" data-first onClick=${onTheirs}>${t("Keep theirs")}<//>
      <${Button} busy=${busy} onClick=${onMine}>${t("Save my entries over theirs")}<//></div></div>`;
}

/**
 * Creates a record, or edits the one at `path` + id. onDone: it is saved, perhaps after the form was closed; `isTold`: the form says so itself.
 * @param {{resource: Resource, path: string, row?: any, context?: any, fixed?: any, onClose: () => void, onDone: (row: any, isTold?: boolean) => void}} props
 */
export function RecordForm({ resource, path, row, context = {}, fixed = {}, onClose, onDone }) {
  const opened = useLoad((signal) => (row ? send("GET", `${path}/${row.id}`, { signal }) : Promise.resolve({ json: { data: null }, etag: null, location: null })), []);
  const title = row ? t("Edit {name}", { name: plain(resource.titleOf(row)) }) : t("New {kind}", { kind: resource.one });
  return html`<${Dialog} wide title=${title} onClose=${onClose}>
    ${opened.error ? html`<${Trouble} error=${opened.error} retry=${opened.reload} />` : opened.value
      ? html`<${Entries} resource=${resource} path=${path} original=${opened.value.json.data} etag=${opened.value.etag} context=${context} fixed=${fixed} onClose=${onClose} onDone=${onDone} />`
      : html`<${Skeleton} />`}<//>`;
}

/** @param {{resource: Resource, path: string, original: any, etag: string | null, context: any, fixed: any, onClose: () => void, onDone: (row: any, isTold?: boolean) => void}} props */
function Entries({ resource, path, original: opened, etag: seenFirst, context: given, fixed, onClose, onDone }) {
  const draft = `${path} ${opened?.id ?? "new"}`;
  // What the entries are compared with.
  const [{ original, etag }, setBasis] = useDraft(`${draft} basis`, () => ({ original: opened, etag: seenFirst }));
  const possible = resource.members.filter((member) => !member.only || (member.only === "edit") === Boolean(original));
  const first = (/** @type {Member} */ member) => (typeof member.first === "function" ? member.first(zoned(fixed).zone)
    : member.first === "now" ? toLocalInput(Date.now(), zoned(fixed).zone) : member.first);
  const zoned = (/** @type {any} */ row) => ({ ...given, zone: given.zoneFor ? given.zoneFor(row) : given.zone });
  const [typed, setTyped] = useDraft(draft, () => Object.fromEntries(possible.map((member) => [member.name, original ? shown(member, original[member.name], zoned(original)) : fixed[member.name] ?? first(member) ?? ""])));
  const context = zoned(original ?? typed);
  const members = possible.filter((member) => !member.when || member.when(typed));
  const [conflict, setConflict] = useState(/** @type {any} */ (null));
  const [faults, setFaults] = useState(/** @type {Record<string, string>} */ ({}));
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const change = useChanges(), close = useWhileThere(onClose);

  const changes = () => {
    /** @type {Record<string, any>} */
    const body = {};
    for (const member of members) {
      const text = typed[member.name] ?? "";
      // what was proposed and is emptied is meant to be empty
      if (original ? text === shown(member, original[member.name], context) : text === "" && (member.need || !fixed[member.name])) continue;
      body[member.name] = meant(member, text, context);
    }
    return body;
  };
  /** What to say once the entries before their correction turn out to be saved. @param {CarriedOut} refusal */
  const saidOf = (refusal) => {
    const { json: { data: row }, etag: fresh } = refusal.answer;
    if (original) {
      setBasis({ original: row, etag: fresh });
      return refusal;
    }
    onDone(row, true);
    return new Refusal(409, { message: t("{name} is saved all the same as you sent it first, although no answer came. Close this to change or remove it, or send this to have another one.", { name: plain(resource.titleOf(row)) }) });
  };
  const save = useAction(async (/** @type {string | null} */ seen) => {
    const names = new Set(members.map(({ name }) => name));
    const body = original ? changes() : { ...Object.fromEntries(Object.entries(fixed).filter(([name]) => !names.has(name))), ...changes() };
    if (original && Object.keys(body).length === 0) return original;
    try {
      const { json } = await (original ? change("PUT", `${path}/${original.id}`, { body, etag: seen }) : change("POST", path, { body: resource.bodyOf?.(body) ?? body }));
      return json.data;
    } catch (/** @type {any} */ refusal) {
      if (refusal instanceof CarriedOut) throw saidOf(refusal);
      if (refusal.status !== 412) throw refusal;
      const now = await send("GET", `${path}/${original.id}`);
      setConflict({ now: now.json.data, etag: now.etag });
      return null;
    }
  });
  useEffect(() => { /** @type {HTMLElement | null | undefined} */ (form.current?.querySelector("input, select"))?.focus(); }, []);
  useFaultFocus(form, save.error ?? (Object.keys(faults).length ? faults : null));

  const submit = async (/** @type {Event | null} */ event, /** @type {string | null} */ seen = etag) => {
    event?.preventDefault();
    const half = [...(form.current?.querySelectorAll("input") ?? [])].filter(isUnfinished);
    setFaults(Object.fromEntries(half.map((input) => [input.name, t("Finish the date, or empty it.")])));
    if (half.length) return;
    const saved = await save.run(seen);
    if (!saved) return;
    close();
    onDone(saved);
  };
  if (conflict) {
    return html`<${Conflict} resource=${resource} context=${context} now=${conflict.now} original=${original} changes=${changes()} busy=${save.busy}
      onTheirs=${() => { onClose(); onDone(conflict.now); }} onMine=${() => { setConflict(null); submit(null, conflict.etag); }} />`;
  }
  const control = (/** @type {Member} */ member) => html`<${Control} key=${member.name} member=${member} value=${typed[member.name]} context=${context}
    fault=${faults[member.name] ?? faultOf(save.error, member.name)} onInput=${(/** @type {string} */ text) => setTyped((now) => ({ ...now, [member.name]: text }))} />`;
  const more = members.filter((member) => member.more);
  return html`<form class="stack" novalidate ref=${form} onSubmit=${submit}>
    <div class="form-grid">${members.filter((member) => !member.more).map(control)}</div>
    ${more.length ? html`<details class="more" open=${more.some((member) => faultOf(save.error, member.name))}><summary>${t("More")}</summary><div class="form-grid">${more.map(control)}</div></details>` : null}
    <${FormTrouble} error=${save.error} fields=${members.map((member) => member.name)} />
    <div class="buttons"><${Button} type="submit" kind="primary" busy=${save.busy}>${original ? t("Save") : t("Create")}<//><${Button} onClick=${onClose}>${t("Cancel")}<//></div>
  </form>`;
}

/**
 * Asks before a record is removed, and says what goes with it. counts: [words, path of a list]. onDone: it is removed, perhaps after this was closed.
 * @param {{resource: Resource, path: string, row: any, counts?: [string, string][], onClose: () => void, onDone: () => void}} props
 */
export function RecordRemoval({ resource, path, row, counts = [], onClose, onDone }) {
  const along = useLoad((signal) => Promise.all(counts.map(async ([name, list]) => {
    const { pagination } = await get(`${list}${list.includes("?") ? "&" : "?"}limit=1&page=1`, { signal });
    return /** @type {[string, number]} */ ([name, pagination.total]);
  })), []);
  const change = useChanges(), close = useWhileThere(onClose);
  const remove = useAction(async () => {
    try {
      await change("DELETE", `${path}/${row.id}`);
    } catch (/** @type {any} */ refusal) {
      if (refusal.status !== 404) throw refusal;
    }
    say(t("{name} is removed.", { name: plain(resource.titleOf(row)) }));
    close();
    onDone();
  });
  const going = (along.value ?? []).filter(([, total]) => total > 0);
  return html`<${Confirm} title=${html`${t("Remove this {kind}?", { kind: resource.one })} <${Said} text=${resource.titleOf(row)} />`} act=${remove} verb=${t("Remove")} onClose=${onClose}
    text=${resource.goesWith || t("Nothing else goes with it.")}>
    ${going.length ? html`<ul class="row">${going.map(([name, total]) => html`<li><strong class="num">${total}</strong> ${name}</li>`)}</ul>` : null}
    <p class="hint">${t("History keeps what happened, and shows it as it was.")}</p><//>`;
}

/**
 * A list with filters, sort and pages, all of them in the address, and its forms.
 * @param {{resource: Resource, path: string, listPath?: string, columns: any[], params: Record<string, string>, context?: any, fixed?: any, always?: any, counts?: (row: any) => [string, string][],
 *   sort?: string, order?: string, extraFilters?: any, filtered?: boolean, asOf?: string | null, mayCreate?: boolean, instead?: any, mayEdit?: boolean, mayRemove?: boolean, mayChange?: (row: any) => boolean, acts?: (row: any, reload: () => void) => any, onChanged?: () => void, again?: number}} props again: another number loads the list again
 */
export function RecordTable({ resource, path, columns, params, context = {}, fixed, always = {}, counts, sort, order, extraFilters, filtered, asOf, mayCreate = true, instead = null, mayEdit = true, mayRemove = true, mayChange = () => true, acts, onChanged, again = 0 }) {
  const by = { sort: params.sort ?? sort ?? resource.sorts[0], order: params.order ?? order ?? "desc", page: params.page ?? 1 };
  const filters = Object.fromEntries(resource.filters.map(({ name }) => [name, params[name]]));
  const address = `${path}${query({ ...always, ...filters, ...by, limit: 20 })}`;
  const list = useLoad((signal) => get(address, { signal, asOf }), [address, asOf, again], path);
  const [removing, setRemoving] = useState(/** @type {any} */ (null));
  const opened = useRef(/** @type {any} */ (null)); // the list may come again without the record whose form is open
  if (opened.current?.id !== params.edit) opened.current = params.edit && mayEdit ? list.value?.data.find((/** @type {any} */ row) => row.id === params.edit && mayChange(row)) : null;
  const editing = opened.current;
  const some = filtered || Object.values(filters).some(Boolean);
  const shown = list.value?.pagination, last = Math.max(shown?.totalPages ?? 1, 1), isBeyond = Boolean(shown && shown.page > last);
  // Its records may have been removed, here or by somebody else.
  useEffect(() => { if (isBeyond && Number(by.page) === shown.page) goWith({ page: last > 1 ? last : null }, { replace: true }); }, [list.value]);
  const close = () => goWith({ new: null, edit: null }, { replace: true });
  const done = (/** @type {any} */ row, isTold = false) => {
    list.reload();
    onChanged?.();
    if (!isTold) say(t("{name} is saved.", { name: plain(resource.titleOf(row)) }));
  };
  const actions = { name: "actions", label: "", cell: (/** @type {any} */ row) => html`${acts?.(row, list.reload)}
    ${mayEdit && mayChange(row) ? html`<${Button} kind="quiet small" aria-label=${t("Edit {name}", { name: plain(resource.titleOf(row)) })} onClick=${() => goWith({ edit: row.id })}>${t("Edit")}<//>` : null}
    ${mayRemove && mayChange(row) ? html`<${Button} kind="quiet danger small" aria-label=${t("Remove {name}", { name: plain(resource.titleOf(row)) })} onClick=${() => setRemoving(row)}>${t("Remove")}<//>` : null}` };
  const create = mayCreate && !asOf ? html`<${Button} kind="primary" onClick=${() => goWith({ new: 1 })} icon="plus">${t("New {kind}", { kind: resource.one })}<//>` : null;
  const empty = isBeyond ? html`<${Skeleton} />` : some
    ? html`<${Empty} icon=${resource.icon} title=${t("Nothing matches")} text=${t("No record has all of what the filters ask for.")}>
        <${Button} onClick=${() => goWith(Object.fromEntries([...Object.keys(params).filter((name) => !["tab", "list", "as-of"].includes(name)), "page"].map((name) => [name, null])))}>${t("Clear the filters")}<//><//>`
    : html`<${Empty} icon=${resource.icon} title=${resource.none} text=${asOf ? t("Choose a later time.") : resource.first}>${asOf ? null : create ?? instead}<//>`;
  return html`<div class="stack">
    <div class="filters">${resource.filters.map((filter) => html`<${SelectField} need label=${filter.label} name=${filter.name} none=${t("All")} value=${params[filter.name] ?? ""}
        options=${filter.options.map((each) => [each, each === "true" ? t("Yes") : each === "false" ? t("No") : word(each)])} onInput=${(/** @type {string} */ value) => goWith({ [filter.name]: value, page: null })} />`)}${extraFilters}
      <div class="push">${create}</div></div>
    <${Loading} from=${list}>${(/** @type {any} */ { data, pagination }) => html`<section class="card"><${Table} label=${resource.many} rows=${data} empty=${empty} sort=${by.sort} order=${by.order}
        columns=${asOf || !(mayEdit || mayRemove || acts) ? columns : [...columns, actions]} onSort=${(/** @type {string} */ name, /** @type {string} */ way) => goWith({ sort: name, order: way, page: null })} />
      ${pagination.total > 0 ? html`<${Pager} label=${t("Pages of {kind}", { kind: resource.many })} pagination=${pagination} onPage=${(/** @type {number} */ page) => { goWith({ page });
        document.querySelector("h1")?.scrollIntoView({ block: "start" }); }} />` : null}</section>`}<//>
    ${params.new && mayCreate && !asOf ? html`<${RecordForm} resource=${resource} path=${path} context=${context} fixed=${fixed} onClose=${close} onDone=${done} />` : null}
    ${editing && !asOf ? html`<${RecordForm} key=${editing.id} resource=${resource} path=${path} row=${editing} context=${context} onClose=${close} onDone=${done} />` : null}
    ${removing ? html`<${RecordRemoval} resource=${resource} path=${path} row=${removing} counts=${counts?.(removing)} onClose=${() => setRemoving(null)}
      onDone=${() => { list.reload(); onChanged?.(); }} />` : null}</div>`;
}
