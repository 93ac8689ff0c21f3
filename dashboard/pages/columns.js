// The columns of each record's table.

import { Day, Said, Time, number, word } from "../core/format.js";
import { t } from "../core/i18n.js";
import { linkTo } from "../core/route.js";
import { areaUnit } from "../core/resources.js";
import { Status } from "../core/ui.js";
import { html } from "../core/view.js";

/** @param {any} text @param {string[]} path @param {any} params */
const link = (text, path, params) => html`<a href=${linkTo(path, params)}><${Said} text=${text} /></a>`;
const statusColumn = () => ({ name: "status", label: t("Status"), cell: (/** @type {any} */ row) => html`<${Status} value=${row.status} />` });

/** @param {number | string | null} value @param {string} unit */
const amount = (value, unit) => (value === null ? "–" : html`${number(value)} <span class="muted">${unit}</span>`);

/** @param {any} keep parameters that stay, such as the time */
export const farmColumns = (keep = {}) => [
  { name: "name", label: t("Name"), sort: "name", cell: (/** @type {any} */ row) => link(row.name, ["farms", row.id], keep) },
  { name: "place", label: t("Place"), cell: (/** @type {any} */ row) => html`<${Said} text=${[row.city, row.country].filter(Boolean).join(", ")} />` },
  { name: "area", label: t("Area"), num: true, sort: "totalArea", cell: (/** @type {any} */ row) => amount(row.totalArea, areaUnit(row.areaUnit)) }, statusColumn(),
];

/** @param {any} farm */
export const fieldColumns = (farm, keep = {}) => [
  { name: "name", label: t("Name"), sort: "name", cell: (/** @type {any} */ row) => link(row.name, ["farms", farm.id, "fields", row.id], keep) },
  { name: "area", label: t("Area"), num: true, sort: "area", cell: (/** @type {any} */ row) => amount(row.area, areaUnit(farm.areaUnit)) },
  { name: "soil", label: t("Soil"), cell: (/** @type {any} */ row) => html`<${Said} text=${row.soilType} />` },
  { name: "ph", label: t("pH"), num: true, cell: (/** @type {any} */ row) => number(row.soilPh) }, statusColumn(),
];

/** @param {Map<string, any>} farms @param {Map<string, any>} fields by id; without farms, they are not shown */
export const cropColumns = (farms, fields, keep = {}) => [
  { name: "crop", label: t("Crop"), sort: "cropType", cell: (/** @type {any} */ row) => html`<${Said} text=${[row.cropType, row.variety].filter(Boolean).join(" ")} />` },
  ...(farms.size ? [{ name: "farm", label: t("Farm"), cell: (/** @type {any} */ row) => (farms.has(row.farmId) ? link(farms.get(row.farmId).name, ["farms", row.farmId], keep) : "–") }] : []),
  ...(fields.size ? [{ name: "field", label: t("Field"), cell: (/** @type {any} */ row) => (fields.has(row.fieldId) ? link(fields.get(row.fieldId).name, ["farms", row.farmId, "fields", row.fieldId], keep) : "–") }] : []),
  { name: "planted", label: t("Planted"), sort: "plantingDate", cell: (/** @type {any} */ row) => html`<${Day} date=${row.plantingDate} />` },
  { name: "harvest", label: t("Harvest"), sort: "expectedHarvestDate", cell: (/** @type {any} */ row) => (row.actualHarvestDate ? html`<${Day} date=${row.actualHarvestDate} />`
    : row.expectedHarvestDate ? html`<${Day} date=${row.expectedHarvestDate} /> <span class="muted">${t("expected")}</span>` : "–") },
  { name: "yield", label: t("Yield"), num: true, cell: (/** @type {any} */ row) => (row.actualYield !== null ? amount(row.actualYield, t(row.yieldUnit))
    : row.expectedYield !== null ? html`<span class="muted">≈</span> ${amount(row.expectedYield, t(row.yieldUnit))}` : "–") }, statusColumn(),
];

/** @param {any} farm @param {string} fieldId @param {Map<string, any>} crops */
export const blockColumns = (farm, fieldId, crops, keep = {}) => [
  { name: "name", label: t("Name"), sort: "name", cell: (/** @type {any} */ row) => link(row.name, ["farms", farm.id, "fields", fieldId, "blocks", row.id], keep) },
  { name: "crop", label: t("Crop"), cell: (/** @type {any} */ row) => html`<${Said} text=${crops.get(row.cropId)?.cropType} />` },
  { name: "plants", label: t("Plants"), num: true, cell: (/** @type {any} */ row) => number(row.plantCount) },
  { name: "area", label: t("Area"), num: true, cell: (/** @type {any} */ row) => amount(row.area, areaUnit(farm.areaUnit)) },
  { name: "planted", label: t("Planted"), cell: (/** @type {any} */ row) => html`<${Day} date=${row.plantingDate} />` }, statusColumn(),
];

export const plantColumns = () => [
  { name: "label", label: t("Label"), sort: "label", cell: (/** @type {any} */ row) => html`<${Said} text=${row.label} />` },
  { name: "tag", label: t("Tag"), cell: (/** @type {any} */ row) => html`<${Said} text=${row.tagId} />` },
  { name: "planted", label: t("Planted"), cell: (/** @type {any} */ row) => html`<${Day} date=${row.plantedAt} />` },
  { name: "position", label: t("Position"), cell: (/** @type {any} */ row) => (row.position ? html`<code>${row.position.lat.toFixed(5)}, ${row.position.lng.toFixed(5)}</code>` : "–") }, statusColumn(),
];

/** @param {Map<string, any>} farms @param {(row: any) => string} zone @param {boolean} withFarm */
export const taskColumns = (farms, zone, withFarm, keep = {}) => [
  { name: "title", label: t("Task"), sort: "title", cell: (/** @type {any} */ row) => html`<a href=${linkTo(["tasks"], { ...keep, task: row.id })}><${Said} text=${row.title} /></a>` },
  statusColumn(),
  { name: "priority", label: t("Priority"), sort: "priority", cell: (/** @type {any} */ row) => html`<${Status} value=${row.priority} />` },
  ...(withFarm ? [{ name: "farm", label: t("Farm"), cell: (/** @type {any} */ row) => (farms.has(row.farmId) ? link(farms.get(row.farmId).name, ["farms", row.farmId], keep) : "–") }] : []),
  { name: "category", label: t("Category"), cell: (/** @type {any} */ row) => word(row.category) },
  { name: "who", label: t("Who"), cell: (/** @type {any} */ row) => html`<${Said} text=${row.assignedTo} />` },
  { name: "due", label: t("Due"), sort: "dueDate", cell: (/** @type {any} */ row) => html`<${Time} instant=${row.dueDate} zone=${zone(row)} />` },
];
