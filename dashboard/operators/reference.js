// Reference data that all owners read: the crop library, task templates and exchange rates; imports with a preview, and those before.

import { Refusal, get, query, send } from "../core/api.js";
import { Said, Time, dateText, number, plain } from "../core/format.js";
import { t, tn } from "../core/i18n.js";
import { useAction, useLoad } from "../core/load.js";
import { linkTo } from "../core/route.js";
import { Badge, Button, Empty, FormTrouble, Loading, PageHead, Pager, Table, Tabs, say } from "../core/ui.js";
import { html, useRef, useState } from "../core/view.js";
import { Kind } from "./event-parts.js";
import { Backwards, readEnds } from "./history.js";
import { size } from "./status.js";

const MOST_BYTES = 256_000_000, SHOWN = 10, IMPORT_SECONDS = 600, HISTORY = 400;

/** A row of a preview. @typedef {{id: number, name: string, state: "new" | "changed" | "same", told: string[]}} Line */
/** What a file would do. @typedef {{lines: Line[], facts: [string, string][]}} Preview */

/** Equal as the service sees it: 0.5 is "0.50". @param {any} one @param {any} other @returns {boolean} */
function same(one, other) {
  if (one === other || (one ?? null) === (other ?? null)) return true;
  if (one !== null && other !== null && typeof one === "object" && typeof other === "object") {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return Array.isArray(one) === Array.isArray(other) && [...names].every((name) => same(one[name], other[name]));
  }
  const numeric = (/** @type {any} */ each) => typeof each === "number" || (typeof each === "string" && /^-?\d+(\.\d+)?$/.test(each));
  return numeric(one) && numeric(other) && Number(one) === Number(other);
}

/** @param {any} value */
const brief = (value) => (value === null || value === undefined ? "–" : typeof value === "object" ? JSON.stringify(value) : String(value)).slice(0, 60);

const isObject = (/** @type {any} */ value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** A member after the import: what an object in the document does not name stays. @param {any} now @param {any} wanted */
const after = (now, wanted) => (isObject(now) && isObject(wanted) ? Object.fromEntries(Object.keys(now).map((name) => [name, name in wanted ? wanted[name] : now[name]])) : wanted);

/** The members of a record that a document changes. @param {any} now @param {any} wanted @param {string[]} but */
const changes = (now, wanted, but) => Object.keys(wanted).filter((name) => name in now && !but.includes(name)).map((name) => ({ name, was: now[name], next: after(now[name], wanted[name]) }))
  .filter(({ was, next }) => !same(was, next)).map(({ name, was, next }) => `${name}: ${brief(was)} → ${brief(next)}`);

const folded = (/** @type {any} */ text) => String(text ?? "").normalize("NFC").toLowerCase();

/** @param {any[]} now @param {any[]} wanted @param {string} by @param {(now: any, wanted: any) => string[]} compare @returns {Line[]} */
function compared(now, wanted, by, compare) {
  const ids = new Map(now.map((each) => [each.id, each])), names = new Map(now.map((each) => [folded(each[by]), each]));
  return wanted.map((each, at) => {
    const there = ids.get(each?.id) ?? names.get(folded(each?.[by]));
    const told = there ? compare(there, each) : [];
    return { id: at, name: String(each?.[by] ?? "–"), state: !there ? "new" : told.length ? "changed" : "same", told };
  });
}

/** @param {string} text */
function json(text) {
  try {
    return JSON.parse(text);
  } catch (/** @type {any} */ error) {
    throw new Refusal(422, { message: t("This is not valid JSON: {problem}", { problem: error.message }) });
  }
}

/** @param {AbortSignal} [signal] */
async function allTemplates(signal) {
  const rows = [];
  for (let page = 1; ; ++page) {
    const { data, pagination } = await get(`/templates${query({ page, limit: 100, sort: "name", order: "asc" })}`, { signal });
    rows.push(...data);
    if (page >= pagination.totalPages) return rows;
  }
}

/** @param {string} text @returns {Promise<Preview>} */
async function previewLibrary(text) {
  const { crops } = json(text);
  if (!Array.isArray(crops)) throw new Refusal(422, { message: t("A library document has a list named crops.") });
  const now = await get("/library", { seconds: 120 });
  const lines = compared(now.crops, crops, "name", (there, wanted) => [...changes(there, wanted, ["id", "varieties"]),
    ...compared(there.varieties, wanted.varieties ?? [], "varietyName", (variety, next) => changes(variety, next, ["id"])).filter(({ state }) => state !== "same").map(({ name, state, told }) => (state === "new" ? t("new variety: {name}", { name }) : `${name}: ${told.join(", ")}`))]);
  return { lines, facts: [[t("Crops"), number(crops.length)], [t("Varieties"), number(crops.reduce((sum, crop) => sum + (crop?.varieties?.length ?? 0), 0))]] };
}

/** @param {string} text @returns {Promise<Preview>} */
async function previewTemplates(text) {
  const { templates } = json(text);
  if (!Array.isArray(templates)) throw new Refusal(422, { message: t("A document of templates has a list named templates.") });
  return { lines: compared(await allTemplates(), templates, "name", (there, wanted) => changes(there, wanted, ["id"])), facts: [[t("Templates"), number(templates.length)]] };
}

/** @param {string} text @returns {Promise<Preview>} */
async function previewRates(text) {
  const [head, ...rest] = text.replace(/^\ufeff/, "").split(/\r?\n/).filter((line) => line.trim());
  const codes = (head ?? "").split(",").slice(1).map((code) => code.trim()).filter(Boolean);
  if (!/^date\b/i.test(head ?? "") || codes.length === 0) throw new Refusal(422, { message: t("The first line has to be Date and the codes of currencies, as in the files of the ECB.") });
  const days = rest.map((line) => line.split(",").map((cell) => cell.trim()));
  const rates = days.reduce((sum, cells) => sum + cells.slice(1, codes.length + 1).filter((cell) => cell && cell !== "N/A").length, 0);
  return { facts: [[t("Days"), number(days.length)], [t("Currencies"), number(codes.length)], [t("Rates"), number(rates)], [t("From"), days.at(-1)?.[0] ?? "–"], [t("To"), days[0]?.[0] ?? "–"]],
    lines: days.map((cells, id) => ({ id, name: cells[0], state: "new", told: codes.slice(0, 6).map((code, at) => `${code} ${cells[at + 1] || "–"}`) })) };
}

/** @typedef {{name: string, words: string, text: string, accept: string, type: string | undefined, path: string, preview: (text: string) => Promise<Preview>, said: (result: any) => string, events: string[]}} Kind */

/** @type {() => Kind[]} */
const kinds = () => [
  { name: "library", words: t("Crop library"), text: t("Crops and varieties that owners choose from: a document of crops, as the export has it."), accept: ".json", type: "application/json", path: "/library", preview: previewLibrary,
    said: ({ crops, varieties, changed }) => t("{crops} crops and {varieties} varieties, {changed} of the crops new or different.", { crops: number(crops), varieties: number(varieties), changed: number(changed) }), events: ["tilth.admin_crop.described"] },
  { name: "templates", words: t("Task templates"), text: t("Templates that all owners see: a document of templates."), accept: ".json", type: "application/json", path: "/templates/import", preview: previewTemplates,
    said: ({ templates, changed }) => t("{templates} templates, {changed} of them new or different.", { templates: number(templates), changed: number(changed) }), events: ["tilth.task_template.*"] },
  { name: "rates", words: t("Exchange rates"), text: t("Rates by the day in the form of the European Central Bank's file: Date and currency codes, then a line for each day."), accept: ".csv,.txt", type: "text/csv", path: "/exchange-rates", preview: previewRates,
    said: ({ days, rates, changed }) => t("{rates} rates of {days} days, {changed} of them new or different.", { rates: number(rates), days: number(days), changed: number(changed) }), events: ["tilth.exchange_rate.imported"] },
];

const STATES = /** @type {() => Record<Line["state"], [string, string]>} */ (() => ({ new: ["good", t("New")], changed: ["warn", t("Different")], same: ["plain", t("The same")] }));

/** Rows of a preview, some at a time; those that change something first. @param {{preview: Preview, rates: boolean}} props */
function Lines({ preview, rates }) {
  const [page, setPage] = useState(1);
  const order = { new: 0, changed: 1, same: 2 }, sorted = [...preview.lines].sort((a, b) => order[a.state] - order[b.state]), words = STATES();
  const pages = Math.max(1, Math.ceil(sorted.length / SHOWN));
  return html`<${Table} label=${t("How it will be")} rows=${sorted.slice((page - 1) * SHOWN, page * SHOWN)} empty=${null} columns=${[
      { name: "name", label: rates ? t("Day") : t("Name"), cell: (/** @type {Line} */ line) => html`<${Said} text=${line.name} />` },
      ...(rates ? [] : [{ name: "state", label: t("What changes"), cell: (/** @type {Line} */ line) => html`<${Badge} tone=${words[line.state][0]}>${words[line.state][1]}<//>` }]),
      { name: "told", label: rates ? t("The first rates") : t("In detail"), cell: (/** @type {Line} */ line) => (line.told.length ? html`<${Said} text=${line.told.slice(0, 6).join(", ") + (line.told.length > 6 ? "…" : "")} />` : "–") }]} />
    <${Pager} label=${t("Pages of {kind}", { kind: t("How it will be") })} pagination=${{ page, totalPages: pages, total: sorted.length }} onPage=${setPage} />`;
}

/** @param {{kind: Kind, onDone: () => void}} props */
function Import({ kind, onDone }) {
  const [file, setFile] = useState(/** @type {{name: string, text: string, preview: Preview} | null} */ (null));
  const [over, setOver] = useState(false);
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const rates = kind.name === "rates";
  const [reading, setReading] = useState(false);
  const [unread, setUnread] = useState(/** @type {Refusal | null} */ (null));
  const latest = useRef(/** @type {File | null} */ (null)); // another one may be dropped while a large one is read
  const read = async (/** @type {File | undefined} */ chosen) => {
    if (!chosen) return;
    latest.current = chosen;
    setReading(true);
    setUnread(null);
    try {
      if (chosen.size > MOST_BYTES) throw new Refusal(422, { message: t("This file has {size}; {most} are the most.", { size: size(chosen.size), most: size(MOST_BYTES) }) });
      const text = await chosen.text(), preview = await kind.preview(text);
      if (latest.current === chosen) setFile({ name: chosen.name, text, preview });
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      if (latest.current === chosen) setUnread(refusal);
    } finally {
      if (latest.current === chosen) setReading(false);
    }
  };
  const carry = useAction(async () => {
    const { json: { data } } = await send("POST", kind.path, { body: file?.text, type: kind.type, seconds: IMPORT_SECONDS });
    say(kind.said(data));
    setFile((now) => (now === file ? null : now)); // another one may be looked at by now
    onDone();
  });
  const fetchNow = useAction(async () => {
    const { json: { data } } = await send("POST", "/exchange-rates/fetch", { body: {}, seconds: IMPORT_SECONDS });
    say(kind.said(data));
    onDone();
  });
  const save = useAction(async () => {
    const { json: text } = await send("GET", "/library", { text: true, seconds: IMPORT_SECONDS });
    const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    Object.assign(document.createElement("a"), { href: address, download: "crops.json" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  });
  const preview = file?.preview, changing = preview?.lines.filter(({ state }) => state !== "same").length ?? 0, words = STATES();
  return html`<section class="card"><header><h2>${kind.words}</h2><div class="push buttons">${kind.name === "library" ? html`<${Button} kind="small" busy=${save.busy} onClick=${() => save.run(undefined)}>${t("Export")}<//>` : null}
      ${rates ? html`<${Button} kind="small" busy=${fetchNow.busy} onClick=${() => fetchNow.run(undefined)}>${t("Fetch now")}<//>` : null}</div></header>
    ${[unread, carry.error, fetchNow.error, save.error].map((error) => (error ? html`<div class="body"><${FormTrouble} error=${error} /></div>` : null))}
    <input type="file" hidden aria-label=${t("Choose a file")} ref=${input} accept=${kind.accept} onChange=${(/** @type {any} */ event) => { read(event.currentTarget.files[0]); event.currentTarget.value = ""; }} />
    ${file && preview ? html`<div class="body stack"><div class="row"><strong><${Said} text=${file.name} /></strong>${rates ? null : html`<span class="preview-counts">${/** @type {Line["state"][]} */ (["new", "changed", "same"]).map((state) => html`<${Badge} tone=${words[state][0]}>${words[state][1]}: ${number(preview.lines.filter((line) => line.state === state).length)}<//>`)}</span>`}</div>
        <dl class="facts narrow">${preview.facts.map(([label, value]) => html`<div><dt>${label}</dt><dd>${plain(value)}</dd></div>`)}</dl></div>
      <${Lines} preview=${preview} rates=${rates} />
      <div class="body"><div class="buttons"><${Button} kind="primary" icon="upload" busy=${carry.busy} off=${changing === 0} onClick=${() => carry.run(undefined)}>${t("Import")}<//><${Button} onClick=${() => setFile(null)}>${t("Another file")}<//>
        ${changing === 0 ? html`<span class="hint">${t("It would change nothing.")}</span>` : html`<span class="hint">${t("Nothing is removed. Importing it twice changes nothing.")}</span>`}</div></div>`
    : html`<div class="drop ${over ? "over" : ""}" onDragOver=${(/** @type {DragEvent} */ event) => { event.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)}
        onDrop=${(/** @type {DragEvent} */ event) => { event.preventDefault(); setOver(false); read(event.dataTransfer?.files[0]); }}>
        <${Empty} icon="upload" title=${t("Drop a file here")} text=${html`${kind.text} ${t("Nothing is sent before you have seen it.")}`}><${Button} kind="primary" icon="upload" busy=${reading} onClick=${() => input.current?.click()}>${t("Choose a file")}<//><//></div>`}</section>`;
}

/** What an event of an import says, in short. @param {any} event */
function detail({ type, data }) {
  if (type === "tilth.exchange_rate.imported") return `${data.source}: ${tn("{n} rate", "{n} rates", data.changed)}${data.days.length ? `, ${dateText(data.days[0].day)} – ${dateText(data.days[data.days.length - 1].day)}` : ""}`;
  if (type === "tilth.task_template.imported") return data.templates.map((/** @type {any} */ each) => each.name).filter(Boolean).join(", ");
  return data.name ?? "";
}

/** Imports before, newest first: the events of one request together. @param {{kind: Kind, again: number}} props */
function Before({ kind, again }) {
  const found = useLoad(async (signal) => {
    const ends = await readEnds(signal);
    const events = await new Backwards({ owner: "reference", type: kind.events[0] }, ends).take(HISTORY, signal);
    /** @type {Map<string, any[]>} */
    const groups = new Map();
    for (const event of events) groups.set(event.correlationid ?? event.id, [...(groups.get(event.correlationid ?? event.id) ?? []), event]);
    return [...groups].map(([id, all]) => ({ id, all, last: all[0] }));
  }, [kind.name, again], kind.name);
  return html`<section class="card"><header><h2>${t("Imports before")}</h2></header><${Loading} from=${found} lines=${4}>${(/** @type {any[]} */ groups) => html`<${Table} label=${t("Imports before")} rows=${groups} empty=${html`<${Empty} icon="history" title=${t("Nothing has been imported yet")} />`} columns=${[
    { name: "time", label: t("Time"), cell: (/** @type {any} */ { last }) => html`<a href=${linkTo(["events"], { owner: "reference", type: kind.events[0], event: `${last.partition}-${last.offset}` })}><${Time} instant=${last.time} /></a>` },
    { name: "who", label: t("Who"), cell: (/** @type {any} */ { last }) => html`<span class="code">${plain(last.actor ?? "–")}</span>` },
    { name: "type", label: t("Type"), cell: (/** @type {any} */ { last }) => html`<${Kind} type=${last.type} />` },
    { name: "events", label: t("Events"), num: true, cell: (/** @type {any} */ { all }) => number(all.length) },
    { name: "what", label: t("What"), cell: (/** @type {any} */ { all }) => html`<span class="clip"><${Said} text=${all.slice(0, 8).map(detail).filter(Boolean).join(", ") + (all.length > 8 ? "…" : "")} /></span>` }]} />`}<//></section>`;
}

/** @param {{params: Record<string, string>}} props */
export default function Reference({ params }) {
  const all = kinds(), kind = all.find(({ name }) => name === params.of) ?? all[0];
  const [again, setAgain] = useState(0);
  return html`<${PageHead} title=${t("Reference data")} text=${t("What all owners read. An import changes only what is new or different, and removes nothing.")} />
    <${Tabs} label=${t("Kinds of reference data")} current=${kind.name} tabs=${all.map(({ name, words }) => [name, words, linkTo(["reference"], { of: name === "library" ? null : name })])} />
    <div class="stack-large"><${Import} key=${kind.name} kind=${kind} onDone=${() => setAgain((count) => count + 1)} /><${Before} key=${`${kind.name}-before`} kind=${kind} again=${again} /></div>`;
}
