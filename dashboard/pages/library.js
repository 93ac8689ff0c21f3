// The crop library, one crop of it with its varieties, and the crops that somebody put on their list.

import { all, get } from "../core/api.js";
import { Said, Time, number, plain, word } from "../core/format.js";
import { t } from "../core/i18n.js";
import { useAction, useChanges, useLoad, useWhileThere } from "../core/load.js";
import { RecordTable } from "../core/records.js";
import { resources } from "../core/resources.js";
import { goWith } from "../core/route.js";
import { Typed } from "../core/typed.js";
import { Button, Dialog, Loading, Table, say } from "../core/ui.js";
import { html } from "../core/view.js";

/** @typedef {Record<string, string>} Params */

/** From one figure to another, or the one that is known. @param {any} least @param {any} most @param {string} unit */
const span = (least, most, unit) => (least === null && most === null ? null : `${[least, most].filter((each) => each !== null).map((each) => number(each)).join(" – ")} ${unit}`);

/** @param {{id: string, onClose: () => void}} props */
function LibraryCrop({ id, onClose }) {
  const crop = useLoad(async (signal) => {
    const [row, varieties] = await Promise.all([get(`/crop-library/crops/${encodeURIComponent(id)}`, { signal }), get(`/crop-library/varieties?adminCropId=${encodeURIComponent(id)}`, { signal })]);
    return { row: row.data, varieties: varieties.data };
  }, [id]);
  const change = useChanges(), close = useWhileThere(onClose);
  const list = useAction(async () => {
    await change("POST", "/user-crops", { body: { adminCropId: id } });
    say(t("{name} is on your list.", { name: plain(crop.value?.row.name ?? "") }));
    close();
  });
  /** @param {any} row @returns {[string, any][]} */
  const facts = (row) => [[t("Category"), row.category && word(row.category)], [t("Lifecycle"), row.lifecycle && word(row.lifecycle)], [t("Days to maturity"), row.daysToMaturity && number(row.daysToMaturity)],
    [t("Between rows"), span(row.spacingX, null, t("m"))], [t("Between plants"), span(row.spacingY, null, t("m"))], [t("Density"), span(row.plantDensity, null, t("plants/ha"))],
    [t("Soil pH"), span(row.soilPhMin, row.soilPhMax, "")], [t("Temperature"), span(row.temperatureMinC, row.temperatureMaxC, "°C")], [t("Water requirement"), span(row.waterRequirementMm, null, "mm")]];
  return html`<${Dialog} wide title=${crop.value ? html`<${Said} text=${crop.value.row.name} />` : t("Crop library")} onClose=${onClose}><${Loading} from=${crop}>${(/** @type {any} */ { row, varieties }) => html`
      ${row.scientificName ? html`<p class="muted"><i><${Said} text=${row.scientificName} /></i></p>` : null}
      <dl class="facts">${facts(row).filter(([, value]) => value).map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>
      ${list.error ? html`<p class="notice bad" role="alert">${list.error.message}</p>` : null}
      <div class="buttons"><${Button} kind="primary" icon="plus" busy=${list.busy} onClick=${() => list.run(undefined)}>${t("Put on my list")}<//></div>
      ${varieties.length ? html`<section class="card"><header><h2>${t("Varieties")}</h2></header><${Table} label=${t("Varieties")} rows=${varieties} columns=${[
        { name: "name", label: t("Variety"), cell: (/** @type {any} */ each) => html`<${Said} text=${each.varietyName} />` },
        { name: "description", label: t("Description"), cell: (/** @type {any} */ each) => html`<${Said} text=${each.description} />` },
        { name: "days", label: t("Days to maturity"), num: true, cell: (/** @type {any} */ each) => number(each.daysToMaturity) }]} /></section>` : null}`}<//><//>`;
}

/** @param {{params: Params}} props */
export function Library({ params }) {
  const columns = [
    { name: "name", label: t("Crop"), sort: "name", cell: (/** @type {any} */ row) => html`<button type="button" class="link" onClick=${() => goWith({ crop: row.id })}><${Said} text=${row.name} /></button>` },
    { name: "scientific", label: t("Scientific name"), cell: (/** @type {any} */ row) => html`<i><${Said} text=${row.scientificName} /></i>` },
    { name: "category", label: t("Category"), cell: (/** @type {any} */ row) => word(row.category) },
    { name: "days", label: t("Days to maturity"), num: true, cell: (/** @type {any} */ row) => number(row.daysToMaturity) },
    { name: "water", label: t("Water requirement"), num: true, cell: (/** @type {any} */ row) => span(row.waterRequirementMm, null, "mm") ?? "–" },
  ];
  return html`<${RecordTable} resource=${resources().libraryCrop} path="/crop-library/crops" params=${params} sort="name" order=${params.order ?? "asc"} columns=${columns} always=${{ search: params.search }}
      filtered=${Boolean(params.search)} mayCreate=${false} mayEdit=${false} mayRemove=${false} extraFilters=${html`<${Typed} need label=${t("Search")} name="search" type="search" value=${params.search ?? ""}
        onChange=${(/** @type {any} */ event) => goWith({ search: event.currentTarget.value, page: null })} />`} />
    ${params.crop ? html`<${LibraryCrop} key=${params.crop} id=${params.crop} onClose=${() => goWith({ crop: null }, { replace: true })} />` : null}`;
}

/** @param {{farms: Map<string, any>, params: Params}} props */
export function OwnList({ farms, params }) {
  const library = useLoad((signal) => all("/crop-library/crops?sort=name&order=asc", signal), []);
  const resource = resources().userCrop;
  const columns = [
    { name: "name", label: t("Crop"), cell: (/** @type {any} */ row) => html`<button type="button" class="link" onClick=${() => goWith({ crop: row.adminCropId })}><${Said} text=${resource.titleOf(row)} /></button>` },
    { name: "farm", label: t("Farm"), cell: (/** @type {any} */ row) => (farms.has(row.farmId) ? html`<${Said} text=${farms.get(row.farmId).name} />` : html`<span class="muted">${t("All farms")}</span>`) },
    { name: "notes", label: t("Notes"), cell: (/** @type {any} */ row) => html`<${Said} text=${typeof row.customizations?.customNotes === "string" ? row.customizations.customNotes : null} />` },
    { name: "since", label: t("Since"), sort: "createdAt", cell: (/** @type {any} */ row) => html`<${Time} instant=${row.createdAt} />` },
  ];
  return html`<${RecordTable} resource=${resource} path="/user-crops" params=${params} sort="createdAt" columns=${columns} mayEdit=${false}
      context=${{ farms: [...farms.values()], libraryCrops: library.value ?? [] }} />
    ${params.crop ? html`<${LibraryCrop} key=${params.crop} id=${params.crop} onClose=${() => goWith({ crop: null }, { replace: true })} />` : null}`;
}
