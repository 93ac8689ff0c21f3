// Import: a file of fields, plants, tasks… mapped to members, looked at, sent, and what failed handed back.

import { Refusal, all, uuid } from "../core/api.js";
import { deliverAll, grouped } from "../core/delivery.js";
import { useDraft } from "../core/drafts.js";
import { Said, number, plain, timeText, word } from "../core/format.js";
import { positionsOf } from "../core/geometry.js";
import { t, tn } from "../core/i18n.js";
import { useLoad } from "../core/load.js";
import { addTiles, groupOf, loadLeaflet, pointsLayer } from "../core/map.js";
import { DRAWN, guess, hasPolygons, recordOf, targetsOf } from "../core/mapping.js";
import { resources } from "../core/resources.js";
import { goWith, linkTo } from "../core/route.js";
import { ENCODINGS, fileOf, readSource } from "../core/tabular.js";
import { Badge, Button, Empty, Loading, Meter, PageHead, Pager, SelectField, Skeleton, Table, Trouble } from "../core/ui.js";
import { html, useEffect, useMemo, useRef, useState } from "../core/view.js";
import { allFarms, zoneOf } from "./task-actions.js";

/** @typedef {import("../core/tabular.js").Source} Source */
/** @typedef {import("../core/tabular.js").Row} Row */
/** @typedef {{row: Row, body: any, problem: string, path: string, key: string}} Entry */

/** What is under way: the file, and once it is sent, what became of each row. @typedef {{user: string, file: File, source: Source, sent: Sent | null}} Work */
/** results: "" for a row that is there, else its problem. @typedef {{entries: Entry[], groups: import("../core/delivery.js").Group[], results: Map<any, string>, view: string, what: string}} Sent */

// It outlives the page, so that an import goes on after another page or a new sign-in.
let underWay = /** @type {Work | null} */ (null);
// Counts the choices of a file: one that is read more slowly must not take the place of a later one, nor of what is sent.
let choices = 0;

/** @typedef {"field" | "block" | "plant" | "crop" | "task" | "expense" | "price"} Kind */

/** Where records of a kind go. needs: what must be chosen; fixed: members that follow from it; shape: the member that takes a geometry. */
const KINDS = /** @type {Record<Kind, {needs: string[], path: (at: any) => string, fixed: (at: any) => any, shape: string | null, view: (at: any) => string}>} */ ({
  field: { needs: [], path: ({ farm }) => `/farms/${farm}/fields`, fixed: () => ({}), shape: "boundaries", view: ({ farm }) => linkTo(["farms", farm], { tab: "fields" }) },
  block: { needs: ["field", "crop"], path: ({ farm, field }) => `/farms/${farm}/fields/${field}/blocks`, fixed: ({ crop }) => ({ cropId: crop }), shape: "geometry", view: ({ farm, field }) => linkTo(["farms", farm, "fields", field]) },
  plant: { needs: ["field", "block"], path: ({ farm, field, block }) => `/farms/${farm}/fields/${field}/blocks/${block}/plants`, fixed: () => ({}), shape: null,
    view: ({ farm, field, block }) => linkTo(["farms", farm, "fields", field, "blocks", block]) },
  crop: { needs: [], path: () => "/crops", fixed: ({ farm }) => ({ farmId: farm }), shape: null, view: ({ farm }) => linkTo(["farms", farm], { tab: "crops" }) },
  task: { needs: [], path: () => "/tasks", fixed: ({ farm }) => ({ farmId: farm }), shape: null, view: ({ farm }) => linkTo(["farms", farm], { tab: "tasks" }) },
  expense: { needs: [], path: ({ farm }) => `/farms/${farm}/expenses`, fixed: () => ({}), shape: null, view: ({ farm }) => linkTo(["farms", farm], { tab: "money" }) },
  price: { needs: [], path: () => "/market/price-reports", fixed: ({ farm }) => ({ farmId: farm }), shape: null, view: ({ farm }) => linkTo(["farms", farm], { tab: "money", list: "prices" }) },
});
const ORDER = /** @type {Kind[]} */ (["field", "block", "plant", "crop", "task", "expense", "price"]);

/** A place to drop a file, or to choose one. @param {{onFile: (file: File) => void}} props */
function Drop({ onFile }) {
  const [over, setOver] = useState(false);
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const take = (/** @type {FileList | null | undefined} */ files) => { if (files?.[0]) onFile(files[0]); };
  return html`<div class="drop ${over ? "over" : ""}" onDragOver=${(/** @type {DragEvent} */ event) => { event.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)}
      onDrop=${(/** @type {DragEvent} */ event) => { event.preventDefault(); setOver(false); take(event.dataTransfer?.files); }}>
    <${Empty} icon="upload" title=${t("Drop a file here")} text=${t("GeoJSON or KML with boundaries and places, or CSV as a spreadsheet saves it. Nothing is sent before you have seen it.")}>
      <input type="file" hidden aria-label=${t("Choose a file")} ref=${input} accept=".geojson,.json,.kml,.csv,.tsv,.txt" onChange=${(/** @type {any} */ event) => { take(event.currentTarget.files); event.currentTarget.value = ""; }} />
      <${Button} kind="primary" icon="upload" onClick=${() => input.current?.click()}>${t("Choose a file")}<//><//></div>`;
}

/** @param {any} geometry @returns {number[][][][]} */
const polygonsOf = ({ type, coordinates }) => (type === "MultiPolygon" ? coordinates : type === "Polygon" ? [coordinates] : []);

const FEW = 500; // points that Leaflet's own markers draw quickly

/** The shapes and points of a file. @param {{rows: Row[]}} props */
function Preview({ rows }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const leaflet = useLoad(() => loadLeaflet().catch(() => { throw new Refusal(0, { message: t("The map cannot be loaded.") }); }), []);
  const L = leaflet.value;
  useEffect(() => {
    if (!L) return undefined;
    const map = L.map(place.current, { attributionControl: false, preferCanvas: true, zoomSnap: 0.25, maxZoom: 23, zoomControl: false });
    addTiles(L, map);
    L.control.zoom({ zoomInTitle: t("Zoom in"), zoomOutTitle: t("Zoom out") }).addTo(map);
    const located = rows.filter((row) => row.geometry), bounds = L.latLngBounds(located.flatMap((row) => positionsOf(row.geometry)));
    if (bounds.isValid()) map.fitBounds(bounds.pad(0.08));
    else map.setView([20, 20], 2);
    for (const { geometry } of located) {
      for (const rings of polygonsOf(geometry)) L.polygon(rings.map((/** @type {number[][]} */ ring) => ring.map(([lng, lat]) => [lat, lng])), { color: "#2f7d4f", weight: 2, fillOpacity: 0.3, interactive: false }).addTo(map);
    }
    const points = located.filter(({ geometry }) => geometry.type.endsWith("Point")).flatMap(({ geometry }) => positionsOf(geometry)).map(([lat, lng]) => ({ lat, lng, color: "#2f7d4f" }));
    if (points.length > FEW) pointsLayer(L).addTo(map).add(groupOf(points, "#2f7d4f"));
    else for (const point of points) L.circleMarker(point, { color: point.color, radius: 5, weight: 2, fillOpacity: 0.5, interactive: false }).addTo(map);
    return () => map.remove();
  }, [L, rows]);
  return leaflet.error ? html`<${Trouble} error=${leaflet.error} retry=${leaflet.reload} />` : html`${L ? null : html`<${Skeleton} />`}<div class="map" hidden=${!L} ref=${place} role="application" aria-label=${t("What the file has")}></div>`;
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** A time as it will be, with its seconds if it has any. @param {string} instant @param {string} zone */
const exact = (instant, zone) => timeText(instant, zone, { dateStyle: "medium", timeStyle: Date.parse(instant) % 60_000 ? "medium" : "short" });

/** @param {any} value @param {import("../core/mapping.js").Target} target @param {any} context */
function cell(value, target, context) {
  if (value === undefined || value === null || value === "") return "–";
  if (target.part) return html`<${Said} text=${String(value[target.part] ?? "")} />`;
  if (target.member.type === "select") return html`<${Said} text=${word(String(value))} />`;
  const rows = target.member.type === "field" ? context.fields : target.member.type === "crop" ? context.crops : [];
  const named = rows?.find((/** @type {any} */ row) => row.id === value);
  if (target.member.type === "instant" && INSTANT.test(value) && !Number.isNaN(Date.parse(value))) return html`${exact(value, context.zone)} <span class="muted">${context.zone}</span>`;
  if (target.member.type === "number" && target.member.unit) return html`<${Said} text=${String(value)} /> <span class="muted">${target.member.unit(context)}</span>`;
  return html`<${Said} text=${named ? named.name ?? named.cropType : String(value)} />`;
}

const PAGE = 10;

/** Rows, some at a time. @param {{label: string, rows: any[], columns: any[]}} props */
function Paged({ label, rows, columns }) {
  const [page, setPage] = useState(1);
  const pages = Math.max(1, Math.ceil(rows.length / PAGE)), shown = Math.min(page, pages);
  return html`<${Table} label=${label} columns=${columns} rows=${rows.slice((shown - 1) * PAGE, shown * PAGE)} empty=${null} />
    <${Pager} label=${t("Pages of {kind}", { kind: label })} pagination=${{ page: shown, totalPages: pages, total: rows.length }} onPage=${setPage} />`;
}

/** What a refusal says, with its members. @param {Refusal} refusal */
const problemOf = (refusal) => [refusal.message, ...Object.entries(refusal.details).map(([name, told]) => `${name}: ${[told].flat().join("; ")}`)].join(" – ");

/** Sends the entries and shows how far it is. @param {{source: Source, sent: Sent, onAgain: () => void}} props */
function Sending({ source, sent, onAgain }) {
  const { entries, groups, results, view, what } = sent;
  const [, setTold] = useState(0);
  const [state, setState] = useState(() => /** @type {"sending" | "stopped" | "done"} */ (results.size === 0 ? "sending" : results.size === entries.length ? "done" : "stopped"));
  const [error, setError] = useState(/** @type {Refusal | null} */ (null));
  const stop = useRef(new AbortController());
  const head = useRef(/** @type {HTMLElement | null} */ (null));
  const run = async () => {
    stop.current = new AbortController();
    const { signal } = stop.current;
    setState("sending");
    setError(null);
    for (const entry of entries) if (entry.problem) results.set(entry, entry.problem);
    const open = groups.filter(({ items }) => items.some((item) => !results.has(item)));
    let soon = 0;
    try {
      await deliverAll(open, (item, { refusal }) => {
        results.set(item, refusal ? problemOf(refusal) : "");
        soon ||= setTimeout(() => { soon = 0; setTold((count) => count + 1); }, 100);
      }, signal);
      if (!signal.aborted) setState("done");
    } catch (/** @type {any} */ refusal) {
      setError(refusal);
      setState("stopped");
    }
    setTold((count) => count + 1);
  };
  useEffect(() => {
    head.current?.focus();
    if (state === "sending") run();
    return () => stop.current.abort();
  }, []);
  useEffect(() => {
    const warn = (/** @type {Event} */ event) => { if (state === "sending") event.preventDefault(); };
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [state]);
  const told = [...results.entries()], done = told.filter(([, problem]) => problem === "").length;
  const failed = told.filter(([, problem]) => problem).map(([entry, problem]) => ({ id: entry.row.line, row: entry.row, problem }));
  const save = async () => {
    const file = await fileOf(source, failed), address = URL.createObjectURL(file);
    Object.assign(document.createElement("a"), { href: address, download: file.name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  };
  const first = source.columns[0];
  return html`<section class="card padded stack"><div class="row"><h2 tabindex="-1" ref=${head}>${state === "sending" ? t("Importing {what}", { what }) : state === "done" ? t("The import is done") : t("The import has stopped")}</h2>
        <span class="push num">${number(told.length)} / ${number(entries.length)}</span></div>
      <${Meter} plain label=${t("Progress")} value=${told.length} most=${entries.length} />
      <p role="status"><${Badge} tone="good">${tn("{n} imported", "{n} imported", done)}<//> ${failed.length ? html`<${Badge} tone="bad">${tn("{n} failed", "{n} failed", failed.length)}<//>` : null}</p>
      ${error ? html`<p class="notice bad" role="alert">${error.message} ${t("What is imported stays. Going on sends nothing twice.")}</p>` : null}
      <div class="buttons">${state === "sending" ? html`<${Button} onClick=${() => { stop.current.abort(); setState("stopped"); }}>${t("Stop")}<//>` : null}
        ${state === "stopped" ? html`<${Button} kind="primary" onClick=${run}>${t("Go on")}<//>` : null}
        ${state === "done" ? html`<a class="button primary" href=${view}>${t("Show them")}</a>` : null}
        ${failed.length ? html`<${Button} onClick=${save}>${t("Download what failed")}<//>` : null}
        ${state === "sending" ? null : html`<${Button} onClick=${onAgain}>${t("Another file")}<//>`}</div></section>
    ${failed.length ? html`<section class="card"><header><h2>${t("What failed")}</h2></header><${Paged} label=${t("What failed")} rows=${failed} columns=${[
      { name: "line", label: t("Row"), cell: (/** @type {any} */ each) => number(each.id) },
      ...(first ? [{ name: "first", label: plain(first), cell: (/** @type {any} */ each) => html`<${Said} text=${each.row.values[first]} />` }] : []),
      { name: "problem", label: t("Problem"), cell: (/** @type {any} */ each) => html`<${Said} text=${each.problem} />` }]} /></section>` : null}`;
}

/** The record that the address names, else the first one: never another than the one asked for. @param {any[]} rows @param {string | undefined} id */
const named = (rows, id) => (id ? rows.find((each) => each.id === id) : rows[0]);

/** Records lie in others, so a choice of one takes back those below it. */
const BELOW = new Map([["farm", { field: null, block: null, crop: null }], ["field", { block: null, crop: null }]]);

const notThere = () => t("The record that the address names is not there any more. Choose another one.");

/** The farm that the address names is not there. @param {{farms: Map<string, any>}} props */
const NoFarm = ({ farms }) => html`<section class="card padded stack"><p class="notice warn">${notThere()}</p>
  <${SelectField} need label=${t("Farm")} name="farm" value="" none="–" options=${[...farms.values()].map((farm) => [farm.id, plain(farm.name)])} onInput=${(/** @type {string} */ farm) => goWith({ ...BELOW.get("farm"), farm }, { replace: true })} /></section>`;

/** @param {{work: Work, farms: Map<string, any>, params: Record<string, string>, onEncoding: (name: string) => void, onAgain: () => void}} props */
function Mapping({ work, farms, params, onEncoding, onAgain }) {
  const { source } = work, kinds = resources();
  const kind = /** @type {Kind} */ (ORDER.includes(/** @type {Kind} */ (params.what)) ? params.what : hasPolygons(source) ? "field" : source.geometries.includes("Point") ? "plant" : "field");
  const { needs, path, fixed, shape, view } = KINDS[kind];
  const farm = farms.get(params.farm) ?? [...farms.values()][0];
  const land = useLoad(async (signal) => {
    const [fields, crops] = await Promise.all([all(`/farms/${farm.id}/fields?sort=name&order=asc`, signal), all(`/crops?farmId=${farm.id}`, signal)]);
    return { fields, crops };
  }, [farm.id], farm.id);
  const fields = land.value?.fields ?? [], crops = land.value?.crops ?? [];
  const field = named(fields, params.field);
  const blocks = useLoad(async (signal) => (needs.includes("block") && field ? all(`/farms/${farm.id}/fields/${field.id}/blocks?sort=name&order=asc`, signal) : []), [field?.id, kind], field?.id);
  const block = named(blocks.value ?? [], params.block);
  const ownCrops = needs.includes("crop") ? crops.filter((each) => each.fieldId === field?.id) : crops;
  const crop = named(ownCrops, params.crop);
  const at = { farm: farm.id, field: field?.id, block: block?.id, crop: crop?.id };
  const lacking = needs.find((need) => !(/** @type {any} */ (at))[need]);

  const resource = kinds[kind], targets = useMemo(() => targetsOf(resource.members.filter(({ name }) => !(name in fixed(at)))), [kind]);
  const [mappings, setMappings] = useDraft(`mapping ${source.name}`, () => /** @type {Record<string, Record<string, string>>} */ ({}));
  const guessed = useMemo(() => guess(targets, source), [targets, source]);
  const mapping = mappings[kind] ?? guessed;
  const [sent, setSent] = useState(work.sent);
  const context = { farm, fields: land.value?.fields, crops: land.value?.crops, zone: zoneOf(farm) };
  const entries = useMemo(() => source.rows.map((row) => ({ row, path: lacking ? "" : path(at), key: uuid(), ...recordOf(row, targets, mapping, { shape, fixed: fixed(at), context }) })),
    [source, kind, JSON.stringify(mapping), JSON.stringify(at), land.value]);
  if (sent) return html`<${Sending} source=${source} sent=${sent} onAgain=${onAgain} />`;

  const send = () => {
    ++choices;
    work.sent = { entries, groups: grouped(entries.filter((entry) => !entry.problem)), results: new Map(), view: view(at), what: resource.many };
    setSent(work.sent);
  };
  const missing = entries.filter((entry) => entry.problem).length, ready = entries.length - missing;
  const used = targets.filter((target) => mapping[target.name]), located = source.geometries.length > 0;
  const select = (/** @type {string} */ name, /** @type {string} */ label, /** @type {any} */ chosen, /** @type {any[]} */ rows, /** @type {(row: any) => string} */ nameOf) => html`<${SelectField} need label=${label} name=${name}
    value=${chosen?.id ?? ""} none=${chosen ? undefined : "–"} options=${rows.map((row) => [row.id, plain(nameOf(row))])} onInput=${(/** @type {string} */ value) => goWith({ ...BELOW.get(name), [name]: value }, { replace: true })} />`;
  const column = (/** @type {import("../core/mapping.js").Target} */ target) => html`<${SelectField} need=${target.member.need} label=${target.label} name="map-${target.name}" value=${mapping[target.name] ?? ""}
    none=${target.member.need && target.member.type === "select" ? t("Always: {value}", { value: word(target.member.first) }) : t("Leave it out")} options=${[...(target.name === "area" && hasPolygons(source) ? [[DRAWN, t("Follows from the boundary")]] : []), ...source.columns.map((name) => [name, plain(name).slice(0, 80)])]}
    onInput=${(/** @type {string} */ name) => setMappings((now) => ({ ...now, [kind]: { ...mapping, [target.name]: name } }))} />`;
  const takes = shape && entries.some(({ body }) => body[shape]);
  return html`
    <section class="card"><header><h2><${Said} text=${source.name} /></h2><${Badge}>${source.kind}<//><span class="muted">${tn("{n} row", "{n} rows", source.rows.length)}</span>
        <div class="push"><${Button} kind="small" onClick=${onAgain}>${t("Another file")}<//></div></header>
      <div class="body form-grid"><${SelectField} need label=${t("What it holds")} name="what" value=${kind} options=${ORDER.map((each) => [each, kinds[each].many])} onInput=${(/** @type {string} */ value) => goWith({ what: value }, { replace: true })} />
        ${select("farm", t("Farm"), farm, [...farms.values()], (row) => row.name)}
        ${needs.includes("field") ? select("field", t("Field"), field, fields, (row) => row.name) : null}
        ${needs.includes("block") ? select("block", t("Block"), block, blocks.value ?? [], (row) => row.name) : null}
        ${needs.includes("crop") ? select("crop", t("Crop"), crop, ownCrops, (row) => [row.cropType, row.variety].filter(Boolean).join(" ")) : null}
        <${SelectField} need label=${t("Encoding")} name="encoding" value=${source.encoding} options=${ENCODINGS.map((each) => [each, each])} onInput=${onEncoding}
          hint=${source.encoding === "utf-8" ? undefined : t("The file is not UTF-8. If letters look wrong, choose another one.")} /></div>
      ${land.value && lacking && !blocks.loading ? html`<div class="body"><p class="notice warn">${params[lacking] && (lacking === "field" ? fields : lacking === "block" ? blocks.value ?? [] : ownCrops).length ? notThere() : lacking === "field" ? t("Add a field first.") : lacking === "block" ? t("Add a block to this field first.") : t("Plant a crop on this field first.")}</p></div>` : null}</section>
    <section class="card"><header><h2>${t("Which column is what")}</h2></header><div class="body stack">
      ${source.columns.length || located ? html`<div class="form-grid">${targets.filter((target) => !target.member.more || guessed[target.name]).map(column)}</div>
        ${targets.some((target) => target.member.more && !guessed[target.name]) ? html`<details class="more"><summary>${t("More")}</summary>
          <div class="form-grid">${targets.filter((target) => target.member.more && !guessed[target.name]).map(column)}</div></details>` : null}` : null}
      ${located ? html`<p class="hint">${takes ? t("The boundaries of the file go along.") : kind === "plant" && source.geometries.includes("Point") ? t("The positions of the file go along.") : shape ? t("No geometry of the file goes along.") : t("Records of this kind take no geometry; that of the file is left out.")}</p>` : null}</div></section>
    ${located ? html`<section class="card map-box"><${Preview} rows=${source.rows} /></section>` : null}
    <section class="card"><header><h2>${t("How it will be")}</h2>${missing ? html`<${Badge} tone="warn">${tn("{n} row has a problem", "{n} rows have a problem", missing)}<//>` : null}</header>
      <${Paged} label=${t("How it will be")} rows=${entries.map((entry) => ({ id: entry.row.line, ...entry }))} columns=${[{ name: "line", label: t("Row"), cell: (/** @type {any} */ entry) => number(entry.id) },
        ...used.map((target) => ({ name: target.name, label: target.label, num: target.member.type === "number", cell: (/** @type {any} */ { body }) => cell(body[target.member.name], target, context) })),
        ...(located ? [{ name: "geometry", label: t("Geometry"), cell: (/** @type {any} */ { row }) => (row.geometry ? t(row.geometry.type) : "–") }] : []),
        ...(missing ? [{ name: "problem", label: t("Problem"), cell: (/** @type {any} */ { problem }) => (problem ? html`<span class="fault"><${Said} text=${problem} /></span>` : "–") }] : [])]} /></section>
    ${lacking || ready === 0 ? null : html`<div class="buttons"><${Button} kind="primary" icon="upload" busy=${!land.value || blocks.loading} onClick=${send}>${tn("Import {n} record", "Import {n} records", ready)}<//>
      ${missing ? html`<span class="hint">${t("Rows with a problem are not sent; they are listed afterwards.")}</span>` : null}</div>`}`;
}

/** @param {{params: Record<string, string>, user: {id: string}}} props */
export default function Import({ params, user }) {
  const farms = useLoad(allFarms, []);
  const [work, setWork] = useState(() => (underWay?.user === user.id ? underWay : null));
  const [file, setFile] = useState(work?.file ?? null);
  const [reading, setReading] = useState(false);
  const [error, setError] = useState(/** @type {Refusal | null} */ (null));
  const read = async (/** @type {File} */ chosen, /** @type {string} */ encoding = "") => {
    setFile(chosen);
    setReading(true);
    setError(null);
    const choice = ++choices;
    try {
      const source = await readSource(chosen, encoding);
      if (choice !== choices) return;
      setWork((underWay = { user: user.id, file: chosen, source, sent: null }));
    } catch (/** @type {any} */ problem) {
      if (choice !== choices) return;
      setWork((underWay = null));
      setError(problem instanceof Refusal ? problem : new Refusal(422, { message: t("This file cannot be read: {problem}", { problem: String(problem?.message ?? problem) }) }));
    }
    setReading(false);
  };
  const again = () => { ++choices; setReading(false); setFile(null); setWork((underWay = null)); setError(null); };
  return html`<${PageHead} title=${t("Import")} text=${t("Bring what you already have: boundaries from a map, plants from a GPS, tasks and costs from a spreadsheet.")} />
    <${Loading} from=${farms}>${(/** @type {Map<string, any>} */ known) => (known.size === 0
      ? html`<section class="card"><${Empty} icon="farm" title=${t("Add a farm first.")} text=${t("What a file holds is put on a farm.")}><a class="button primary" href=${linkTo(["farms"], { new: 1 })}>${t("Add your first farm")}</a><//></section>`
      : html`<div class="stack-large">${error ? html`<p class="notice bad" role="alert">${file ? html`<strong><${Said} text=${file.name} /></strong>` : null} <bdi>${plain(error.message)}</bdi></p>` : null}
        ${reading ? html`<${Skeleton} />` : work ? params.farm && !known.has(params.farm) && !work.sent ? html`<${NoFarm} farms=${known} />` : html`<${Mapping} key=${work.source.name + work.source.encoding} work=${work} farms=${known} params=${params} onEncoding=${(/** @type {string} */ name) => file && read(file, name)} onAgain=${again} />`
        : html`<section class="card"><${Drop} onFile=${read} /></section>`}</div>`)}<//>`;
}
