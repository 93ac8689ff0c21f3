// Farms: their table, and one farm with its map, fields, crops, tasks, health and history.

import { all, get, send } from "../core/api.js";
import { useDraft } from "../core/drafts.js";
import { Day, Said, Time, number, plain, word } from "../core/format.js";
import { locale, t, told } from "../core/i18n.js";
import { loadModule, useLoad, useWhileThere } from "../core/load.js";
import { RecordForm, RecordRemoval, RecordTable } from "../core/records.js";
import { areaUnit, resources } from "../core/resources.js";
import { go, linkTo } from "../core/route.js";
import { BackToNow, Badge, Button, Empty, Loading, Meter, PageHead, Skeleton, Status, Tabs, Trouble, isOfTheFuture, partOf, say } from "../core/ui.js";
import { html } from "../core/view.js";
import { blockColumns, cropColumns, farmColumns, fieldColumns, plantColumns } from "./columns.js";
import { alongWithCrop } from "./crops.js";
import { FarmMap } from "./farm-map.js";
import { AsOfBar, Timeline, afterShown, loadHappenings, readLines } from "./history.js";
import { OperationTable } from "./operations.js";
import { PastBar, usePast } from "./past.js";
import { zoneOf } from "./task-actions.js";
import { TaskTable } from "./tasks.js";

/** @typedef {Record<string, string>} Params */

/** @param {string} farmId @returns {(row?: any) => [string, string][]} */
const alongWithFarm = (farmId) => () => [[t("Fields"), `/farms/${farmId}/fields`], [t("Crops"), `/crops?farmId=${farmId}`], [t("Tasks"), `/tasks?farmId=${farmId}`]];
/** @param {any} field @returns {[string, string][]} */
const alongWithField = (field) => [[t("Crops"), `/crops?fieldId=${field.id}`], [t("Blocks"), `/farms/${field.farmId}/fields/${field.id}/blocks`],
  [t("Irrigations"), `/farms/${field.farmId}/fields/${field.id}/irrigations`], [t("Soil samples"), `/farms/${field.farmId}/fields/${field.id}/soil-samples`]];
/** @param {string} fieldPath */
const alongWithBlock = (fieldPath) => (/** @type {any} */ block) => /** @type {[string, string][]} */ ([[t("Plants"), `${fieldPath}/blocks/${block.id}/plants`],
  [t("Fertigations"), `${fieldPath}/blocks/${block.id}/fertigations`], [t("Leaf samples"), `${fieldPath}/blocks/${block.id}/leaf-samples`]]);

/** @param {{path: string[], params: Params}} props */
export default function Farms({ path, params }) {
  const [farmId, fields, fieldId, blocks, blockId] = path;
  if (!farmId) return html`<${FarmTable} params=${params} />`;
  if (fields === "fields" && fieldId && blocks === "blocks" && blockId) return html`<${Block} key=${blockId} farmId=${farmId} fieldId=${fieldId} blockId=${blockId} params=${params} />`;
  if (fields === "fields" && fieldId) return html`<${FieldPage} key=${fieldId} farmId=${farmId} fieldId=${fieldId} params=${params} />`;
  return html`<${Farm} key=${farmId} farmId=${farmId} params=${params} />`;
}

/** @param {{params: Params}} props */
function FarmTable({ params }) {
  const past = usePast(params);
  return html`<${PageHead} title=${t("Farms")} text=${t("Each farm has its fields, crops, tasks and its own time zone.")}>${past.button}<//>
    <${PastBar} past=${past} />
    <${RecordTable} resource=${resources().farm} path="/farms" params=${params} asOf=${past.asOf} sort="name" order=${params.order ?? "asc"} columns=${farmColumns(kept(params))} counts=${(/** @type {any} */ farm) => alongWithFarm(farm.id)()} />`;
}

/** A record that is not there: it may not have been, at that time. @param {{error: any, asOf: string | null, retry: () => void}} props */
function Gone({ error, asOf, retry }) {
  if (error.status !== 404 && error.status !== 400) return html`<${Trouble} error=${error} retry=${retry} />`;
  const isFuture = isOfTheFuture(error);
  return html`<${PageHead} title=${t("Not found")} /><section class="card"><${Empty} icon="farm" title=${isFuture ? t("That time lies in the future.") : asOf ? t("It was not there at that time") : t("This record is not there")}
    text=${isFuture ? null : asOf ? t("Choose a later time.") : t("It may have been removed, or it belongs to somebody else.")}>
    ${asOf ? html`<${BackToNow} kind="primary" />` : html`<a class="button primary" href=${linkTo(["farms"])}>${t("All farms")}</a>`}<//></section>`;
}

/** @param {Params} params */
const kept = (params) => (params["as-of"] ? { "as-of": params["as-of"] } : {});

/** Edit and remove, in a page's head. @param {any} props */
function Actions({ resource, path, row, context, counts, asOf, onChanged, onRemoved }) {
  const [doing, setDoing] = useDraft(`record ${row.id}`, () => "");
  const leave = useWhileThere(onRemoved);
  if (asOf) return null;
  return html`<${Button} onClick=${() => setDoing("edit")}>${t("Edit")}<//><${Button} kind="quiet danger" onClick=${() => setDoing("remove")}>${t("Remove")}<//>
    ${doing === "edit" ? html`<${RecordForm} resource=${resource} path=${path} row=${row} context=${context} onClose=${() => setDoing("")}
      onDone=${(/** @type {any} */ saved) => { onChanged(); say(t("{name} is saved.", { name: plain(resource.titleOf(saved)) })); }} />` : null}
    ${doing === "remove" ? html`<${RecordRemoval} resource=${resource} path=${path} row=${row} counts=${counts} onClose=${() => setDoing("")} onDone=${leave} />` : null}`;
}

/** @param {{farmId: string, params: Params}} props */
function Farm({ farmId, params }) {
  const asOf = params["as-of"] ?? null;
  const base = `/farms/${encodeURIComponent(farmId)}`;
  const farm = useLoad(async (signal) => (await get(base, { signal, asOf })).data, [base, asOf]);
  if (farm.error && !(farm.value && farm.error.passes)) return html`<${Gone} error=${farm.error} asOf=${asOf} retry=${farm.reload} />`;
  if (!farm.value) return html`<${Skeleton} lines=${9} />`;
  const row = farm.value, zone = zoneOf(row);
  const tabs = /** @type {[string, string][]} */ ([["map", t("Map")], ["fields", t("Fields")], ["crops", t("Crops")], ["tasks", t("Tasks")], ["money", t("Money")], ["health", t("Health")], ["history", t("History")]])
    .map(([name, words]) => /** @type {[string, string, string]} */ ([name, words, linkTo(["farms", farmId], { ...kept(params), tab: name === "map" ? null : name })]));
  const tab = partOf(tabs, params.tab), place = [row.city, row.country].filter(Boolean).join(", ");
  return html`<${PageHead} title=${row.name} crumbs=${[[t("Farms"), linkTo(["farms"])], [html`<${Said} text=${row.name} />`, undefined]]}
      text=${html`<span class="row"><${Status} value=${row.status} /><span>${number(row.totalArea)} ${areaUnit(row.areaUnit)}</span>${place ? html`<${Said} text=${place} />` : null}<bdi>${row.timezone}</bdi></span>`}>
      <${Actions} resource=${resources().farm} path="/farms" row=${row} counts=${alongWithFarm(row.id)()} asOf=${asOf} onChanged=${farm.reload} onRemoved=${() => go(linkTo(["farms"]))} /><//>
    ${farm.error ? html`<${Trouble} error=${farm.error} retry=${farm.reload} />` : null}
    <${AsOfBar} from=${row.createdAt} asOf=${asOf} zone=${zone} farmId=${row.id} />
    <${Tabs} tabs=${tabs} current=${tab} label=${t("Parts of the farm")} />
    ${tab === "map" ? html`<${Overview} farm=${row} base=${base} params=${params} asOf=${asOf} />` : null}
    ${tab === "fields" ? html`<${RecordTable} resource=${resources().field} path="${base}/fields" params=${params} sort="name" order=${params.order ?? "asc"} asOf=${asOf} context=${{ farm: row }} counts=${alongWithField} columns=${fieldColumns(row, kept(params))} />` : null}
    ${tab === "crops" ? html`<${FarmCrops} farm=${row} base=${base} params=${params} asOf=${asOf} />` : null}
    ${tab === "tasks" ? html`<${TaskTable} farms=${new Map([[row.id, row]])} farmId=${row.id} params=${params} asOf=${asOf} />` : null}
    ${tab === "money" ? html`<${FarmMoney} farm=${row} base=${base} params=${params} asOf=${asOf} />` : null}
    ${tab === "health" ? html`<${Health} base=${base} asOf=${asOf} />` : null}
    ${tab === "history" ? html`<${FarmHistory} farm=${row} zone=${zone} asOf=${asOf} />` : null}`;
}

const READS_OF_A_BATCH = 100;

/** The blocks of all these lists: one request for a hundred of them, since a session has so many a minute. @param {string[]} lists @param {AbortSignal} signal @returns {Promise<any[]>} */
async function blocksOf(lists, signal) {
  const found = [];
  for (let at = 0; at < lists.length; at += READS_OF_A_BATCH) {
    const some = lists.slice(at, at + READS_OF_A_BATCH);
    const { json } = await send("POST", "/batch", { body: { requests: some.map((list) => ({ method: "GET", path: `/v1${list}?limit=100` })) }, signal });
    for (const [nth, { status, body }] of json.data.entries()) {
      // A long list has further pages, and one that finds no room in the answer is asked for by itself.
      if (status === 200 && body.pagination.totalPages <= 1) found.push(...body.data);
      else if (status !== 404) found.push(...await all(some[nth], signal));
    }
  }
  return found;
}

/**
 * The blocks that there were, in the order of their lists: from what happened to blocks, since a batch cannot ask for the past, and a request
 * for each field is too many. A block went with its field and with its crop.
 * @param {any[]} fields @param {any[]} crops @param {AbortSignal} signal @param {string} asOf @returns {Promise<any[]>}
 */
async function blocksThen(fields, crops, signal, asOf) {
  const { lines } = await readLines({ type: "tilth.block.*", until: afterShown(asOf) }, signal, Infinity);
  /** @type {Map<string, any>} */
  const blocks = new Map();
  for (const line of lines) {
    const { type, data: { blockId: id, registeredAt, amendedAt, ...members } } = JSON.parse(line);
    if (type === "tilth.block.registered") blocks.set(id, { id, ...members, createdAt: registeredAt, updatedAt: registeredAt });
    else if (type === "tilth.block.removed") blocks.delete(id);
    else if (blocks.has(id)) blocks.set(id, { ...blocks.get(id), ...members, updatedAt: amendedAt });
  }
  const grown = new Set(crops.map((crop) => crop.id)), there = [...blocks.values()].filter((block) => grown.has(block.cropId)).reverse();
  return fields.flatMap((field) => there.filter((block) => block.fieldId === field.id));
}

/** @param {{farm: any, base: string, params: Params, asOf: string | null}} props */
function Overview({ farm, base, params, asOf }) {
  const land = useLoad(async (signal) => {
    const [fields, crops] = await Promise.all([all(`${base}/fields?sort=name&order=asc`, signal, asOf), all(`/crops?farmId=${farm.id}`, signal, asOf)]);
    const planted = new Set(crops.map((crop) => crop.fieldId)), sown = fields.filter(({ id }) => planted.has(id)); // a block has a crop of its field
    return { fields, crops, then: asOf, blocks: asOf ? await blocksThen(sown, crops, signal, asOf) : await blocksOf(sown.map(({ id }) => `${base}/fields/${id}/blocks`), signal) };
  }, [base, asOf]);
  return html`<${Loading} from=${land} lines=${12}>${(/** @type {any} */ { fields, crops, blocks, then }) => html`
    ${fields.length === 0 && !asOf ? html`<section class="card"><${Empty} icon="field" title=${resources().field.none} text=${resources().field.first}>
      <a class="button primary" href=${linkTo(["farms", farm.id], { tab: "fields", new: 1 })}>${t("Add the first field")}</a><//></section>`
      : html`<${FarmMap} farm=${farm} fields=${fields} crops=${crops} blocks=${blocks} params=${params} asOf=${asOf} then=${then} onChanged=${land.reload} />`}`}<//>`;
}

/** @param {{farm: any, base: string, params: Params, asOf: string | null}} props */
function FarmCrops({ farm, base, params, asOf }) {
  const fields = useLoad((signal) => all(`${base}/fields`, signal, asOf), [base, asOf]);
  return html`<${Loading} from=${fields}>${(/** @type {any[]} */ rows) => html`<${RecordTable} resource=${resources().crop} path="/crops" params=${params} always=${{ farmId: farm.id }} asOf=${asOf} fixed=${{ farmId: farm.id }}
    context=${{ farm, fields: rows }} counts=${alongWithCrop} columns=${cropColumns(new Map(), new Map(rows.map((field) => [field.id, field])), kept(params))} />`}<//>`;
}

/** The money's module is loaded when it is first shown. @param {{farm: any, base: string, params: Params, asOf: string | null}} props */
function FarmMoney({ farm, base, params, asOf }) {
  const loaded = useLoad(async (signal) => ({ crops: await all(`/crops?farmId=${farm.id}`, signal, asOf), Money: (await loadModule(() => import("./money.js"))).Money }), [farm.id, asOf]);
  return html`<${Loading} from=${loaded}>${(/** @type {any} */ { crops, Money }) => html`<${Money} farm=${farm} base=${base} crops=${crops} params=${params} asOf=${asOf} />`}<//>`;
}

const GRADES = new Map([["excellent", ""], ["good", ""], ["fair", "fair"], ["poor", "poor"], ["critical", "poor"]]);

/** @param {{base: string, asOf: string | null}} props */
function Health({ base, asOf }) {
  const health = useLoad(async (signal) => (await get(`${base}/health-score`, { signal, asOf })).data, [base, asOf]);
  const CIRCLE = 2 * Math.PI * 42;
  return html`<${Loading} from=${health}>${(/** @type {any} */ { score, grade, factors, alerts, dataCompleteness }) => html`
    ${score === null ? html`<section class="card"><${Empty} icon="plant" title=${t("Not enough is known yet")} text=${t("The score follows from tasks, plants, soil samples, irrigation and crops. Record some of them first.")} /></section>` : html`
    <section class="card padded score"><svg viewBox="0 0 100 100" role="img" aria-label=${t("Score {score} of 100", { score })}><circle class="ring" cx="50" cy="50" r="42" />
        <circle class="ring part ${GRADES.get(grade) ?? ""}" cx="50" cy="50" r="42" stroke-dasharray="${(CIRCLE * score) / 100} ${CIRCLE}" transform="rotate(-90 50 50)" /><text x="50" y="59">${number(score)}</text></svg>
      <div><h2>${t("Health of the farm")}</h2><p><${Status} value=${grade} /></p><p class="hint">${t("{percent} of what counts is known.", { percent: new Intl.NumberFormat(locale(), { style: "percent" }).format(dataCompleteness) })}</p></div></section>`}
    ${alerts.map((/** @type {any} */ alert) => html`<p class="notice ${alert.severity === "info" ? "" : alert.severity === "warning" ? "warn" : "bad"}"><bdi>${plain(told(alert.message))}</bdi></p>`)}
    <section class="card"><header><h2>${t("What it follows from")}</h2></header><div class="body stack">${factors.map((/** @type {any} */ factor) => html`<div class="factor">
      <div class="row"><h3>${word(factor.key.replace(/([A-Z])/g, "_$1").toLowerCase())}</h3><${Badge} count>${t("weight {n}", { n: factor.weight })}<//><span class="push num">${factor.score === null ? t("not known") : number(factor.score, 1)}</span></div>
      ${factor.score === null ? null : html`<${Meter} label=${word(factor.key.replace(/([A-Z])/g, "_$1").toLowerCase())} value=${factor.score} most=${100} good />`}
      <p class="hint"><bdi>${plain(told(factor.detail))}</bdi></p></div>`)}</div></section>`}<//>`;
}

/** @param {{farm: any, zone: string, asOf: string | null}} props */
function FarmHistory({ farm, zone, asOf }) {
  const events = useLoad((signal) => loadHappenings(signal, farm.createdAt, asOf && afterShown(asOf)), [farm.id, asOf]);
  return html`<${Loading} from=${events} lines=${9}>${(/** @type {{happenings: any[], isWhole: boolean}} */ { happenings, isWhole }) => {
    const mine = happenings.filter((event) => event.farmId === farm.id);
    return html`${isWhole ? null : html`<p class="notice warn">${t("There is more than one page can show. Choose a kind of record or a shorter time.")}</p>`}<section class="card"><header><h2>${t("What happened on this farm")}</h2><a class="push small" href=${linkTo(["history"], { farm: farm.id })}>${t("Filter it")}</a></header>
      <${Timeline} happenings=${mine} zone=${zone} /></section>`;
  }}<//>`;
}

/** The farm that a page lies in, for its crumbs, units and zone. @param {string} farmId @param {string | null} asOf */
const useFarm = (farmId, asOf) => useLoad(async (signal) => (await get(`/farms/${encodeURIComponent(farmId)}`, { signal, asOf })).data, [farmId, asOf]);

/** @param {[string, any][]} facts */
const Facts = (facts) => html`<section class="card padded"><dl class="facts">${facts.filter(([, value]) => value !== null && value !== undefined && value !== "").map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl></section>`;

/** @param {any} value @param {string} [unit] */
const quantity = (value, unit = "") => (value === null ? null : `${number(value)} ${unit}`);

/** @param {{farmId: string, fieldId: string, params: Params}} props */
function FieldPage({ farmId, fieldId, params }) {
  const asOf = params["as-of"] ?? null;
  const base = `/farms/${encodeURIComponent(farmId)}/fields/${encodeURIComponent(fieldId)}`;
  const farm = useFarm(farmId, asOf);
  const field = useLoad(async (signal) => (await get(base, { signal, asOf })).data, [base, asOf]);
  const crops = useLoad((signal) => all(`/crops?fieldId=${encodeURIComponent(fieldId)}`, signal, asOf), [fieldId, asOf]);
  const error = field.error ?? farm.error;
  if (error && !field.value) return html`<${Gone} error=${error} asOf=${asOf} retry=${() => { field.reload(); farm.reload(); }} />`;
  if (!field.value || !farm.value) return html`<${Skeleton} lines=${9} />`;
  const row = field.value, context = { farm: farm.value, crops: crops.value ?? [], fields: [row] };
  const here = ["farms", farmId, "fields", fieldId];
  const tabs = /** @type {[string, string][]} */ ([["blocks", t("Blocks")], ["crops", t("Crops")], ["irrigations", t("Irrigations")], ["soil-samples", t("Soil samples")]]).map(([name, words]) => /** @type {[string, string, string]} */ ([name, words, linkTo(here, { ...kept(params), tab: name === "blocks" ? null : name })]));
  const tab = partOf(tabs, params.tab);
  return html`<${PageHead} title=${row.name} crumbs=${[[t("Farms"), linkTo(["farms"])], [html`<${Said} text=${farm.value.name} />`, linkTo(["farms", farmId], kept(params))], [html`<${Said} text=${row.name} />`, undefined]]}
      text=${html`<${Status} value=${row.status} />`}>
      <a class="button" href=${linkTo(["farms", farmId], { ...kept(params), on: fieldId })}>${t("Show on the map")}</a>
      <${Actions} resource=${resources().field} path="/farms/${farmId}/fields" row=${row} context=${context} counts=${alongWithField(row)} asOf=${asOf} onChanged=${field.reload} onRemoved=${() => go(linkTo(["farms", farmId], { tab: "fields" }))} /><//>
    <${AsOfBar} from=${row.createdAt} asOf=${asOf} zone=${zoneOf(farm.value)} farmId=${farm.value.id} />
    <div class="stack-large">${Facts([[t("Area"), quantity(row.area, areaUnit(farm.value.areaUnit))], [t("Soil"), row.soilType && html`<${Said} text=${row.soilType} />`], [t("Soil pH"), quantity(row.soilPh)],
      [t("Irrigation"), row.customIrrigationSystem && word(row.customIrrigationSystem)], [t("Description"), row.description && html`<${Said} text=${row.description} />`], [t("Notes"), row.notes && html`<${Said} text=${row.notes} />`],
      [t("Last changed"), html`<${Time} instant=${row.updatedAt} zone=${zoneOf(farm.value)} />`]])}
    <div><${Tabs} tabs=${tabs} current=${tab} label=${t("Parts of the field")} />
    ${tab === "blocks" ? html`<${Loading} from=${crops}>${(/** @type {any[]} */ grown) => html`<${RecordTable} resource=${resources().block} path="${base}/blocks" params=${params} sort="name" order=${params.order ?? "asc"} asOf=${asOf} context=${context}
      counts=${alongWithBlock(base)} columns=${blockColumns(farm.value, fieldId, new Map(grown.map((crop) => [crop.id, crop])), kept(params))} />`}<//>` : null}
    ${tab === "crops" ? html`<${RecordTable} resource=${resources().crop} path="/crops" always=${{ fieldId }} params=${params} asOf=${asOf} context=${context} fixed=${{ farmId, fieldId }} counts=${alongWithCrop} columns=${cropColumns(new Map(), new Map(), kept(params))} onChanged=${crops.reload} />` : null}
    ${tab === "irrigations" ? html`<${OperationTable} kind="irrigation" base=${base} farm=${farm.value} params=${params} asOf=${asOf} />` : null}
    ${tab === "soil-samples" ? html`<${OperationTable} kind="soilSample" base=${base} farm=${farm.value} params=${params} asOf=${asOf} onChanged=${field.reload} />` : null}</div></div>`;
}

/** @param {{farmId: string, fieldId: string, blockId: string, params: Params}} props */
function Block({ farmId, fieldId, blockId, params }) {
  const asOf = params["as-of"] ?? null;
  const fieldPath = `/farms/${encodeURIComponent(farmId)}/fields/${encodeURIComponent(fieldId)}`;
  const base = `${fieldPath}/blocks/${encodeURIComponent(blockId)}`;
  const farm = useFarm(farmId, asOf);
  const block = useLoad(async (signal) => {
    const [its, field] = await Promise.all([get(base, { signal, asOf }), get(fieldPath, { signal, asOf })]);
    return { row: its.data, field: field.data };
  }, [base, asOf]);
  const error = block.error ?? farm.error;
  if (error && !block.value) return html`<${Gone} error=${error} asOf=${asOf} retry=${() => { block.reload(); farm.reload(); }} />`;
  if (!block.value || !farm.value) return html`<${Skeleton} lines=${9} />`;
  const { row, field } = block.value, unit = areaUnit(farm.value.areaUnit);
  const tabs = /** @type {[string, string][]} */ ([["plants", t("Plants")], ["fertigations", t("Fertigations")], ["leaf-samples", t("Leaf samples")]])
    .map(([name, words]) => /** @type {[string, string, string]} */ ([name, words, linkTo(["farms", farmId, "fields", fieldId, "blocks", blockId], { ...kept(params), tab: name === "plants" ? null : name })]));
  const tab = partOf(tabs, params.tab);
  return html`<${PageHead} title=${row.name} crumbs=${[[t("Farms"), linkTo(["farms"])], [html`<${Said} text=${farm.value.name} />`, linkTo(["farms", farmId], kept(params))],
      [html`<${Said} text=${field.name} />`, linkTo(["farms", farmId, "fields", fieldId], kept(params))], [html`<${Said} text=${row.name} />`, undefined]]} text=${html`<${Status} value=${row.status} />`}>
      <a class="button" href=${linkTo(["farms", farmId], { ...kept(params), on: blockId })}>${t("Show on the map")}</a>
      <${Actions} resource=${resources().block} path="${fieldPath}/blocks" row=${row} context=${{ farm: farm.value, crops: [] }} counts=${alongWithBlock(fieldPath)(row)} asOf=${asOf} onChanged=${block.reload}
        onRemoved=${() => go(linkTo(["farms", farmId, "fields", fieldId]))} /><//>
    <${AsOfBar} from=${row.createdAt} asOf=${asOf} zone=${zoneOf(farm.value)} farmId=${farm.value.id} />
    <div class="stack-large">${Facts([[t("Plants"), quantity(row.plantCount)], [t("Area"), quantity(row.area, unit)], [t("Planted on"), row.plantingDate && html`<${Day} date=${row.plantingDate} />`],
      [t("Spacing"), row.spacingX !== null && row.spacingY !== null ? `${number(row.spacingX)} × ${number(row.spacingY)} ${t("m")}` : null], [t("Density"), quantity(row.plantDensity, t("plants/ha"))],
      [t("Description"), row.description && html`<${Said} text=${row.description} />`], [t("Notes"), row.notes && html`<${Said} text=${row.notes} />`]])}
    <div><${Tabs} tabs=${tabs} current=${tab} label=${t("Parts of the block")} />
    ${tab === "plants" ? html`<${RecordTable} resource=${resources().plant} path="${base}/plants" params=${params} sort="label" order=${params.order ?? "asc"} asOf=${asOf} columns=${plantColumns()} />` : null}
    ${tab === "fertigations" ? html`<${OperationTable} kind="fertigation" base=${base} farm=${farm.value} params=${params} asOf=${asOf} />` : null}
    ${tab === "leaf-samples" ? html`<${OperationTable} kind="leafSample" base=${base} farm=${farm.value} params=${params} asOf=${asOf} />` : null}</div></div>`;
}
