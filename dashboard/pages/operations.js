// What was done on a field or a block, and what the laboratory found there: lists of a period, recorded and removed.

import { Said, Time, fromLocalInput, number, word } from "../core/format.js";
import { t } from "../core/i18n.js";
import { daysLater, isDay } from "../core/days.js";
import { DayFilter } from "../core/period.js";
import { RecordTable } from "../core/records.js";
import { resources, volumeUnit } from "../core/resources.js";
import { html } from "../core/view.js";
import { zoneOf } from "./task-actions.js";

/** @param {any} value @param {string} [unit] */
const amount = (value, unit = "") => (value === null ? "–" : html`${number(value)} <span class="muted">${unit}</span>`);
/** @param {string} name @param {string} label @param {string} [unit] */
const figure = (name, label, unit) => ({ name, label, num: true, cell: (/** @type {any} */ row) => amount(row[name], unit) });
/** @param {string} name @param {string} label */
const said = (name, label) => ({ name, label, cell: (/** @type {any} */ row) => html`<${Said} text=${row[name]} />` });
/** @param {string} name @param {string} label @param {string} zone */
const when = (name, label, zone) => ({ name, label, sort: name, cell: (/** @type {any} */ row) => html`<${Time} instant=${row[name]} zone=${zone} />` });

/** @typedef {"irrigation" | "fertigation" | "soilSample" | "leafSample"} Kind */

/** @type {Record<Kind, {list: string, columns: (zone: string) => any[]}>} */
const KINDS = {
  irrigation: { list: "irrigations", columns: (zone) => [when("startedAt", t("Began"), zone), figure("durationMinutes", t("Lasted"), t("minutes")),
    { name: "water", label: t("Water"), num: true, cell: (/** @type {any} */ row) => amount(row.waterVolume, volumeUnit(row.volumeUnit)) },
    { name: "method", label: t("Method"), cell: (/** @type {any} */ row) => word(row.method) }, said("notes", t("Notes"))] },
  fertigation: { list: "fertigations", columns: (zone) => [when("appliedAt", t("When"), zone), said("product", t("Product")),
    { name: "amount", label: t("Amount"), num: true, cell: (/** @type {any} */ row) => amount(row.amount, t(row.unit)) },
    { name: "npk", label: "N-P-K", num: true, cell: (/** @type {any} */ row) => [row.nPercent, row.pPercent, row.kPercent].map((each) => number(each)).join("-") }, said("notes", t("Notes"))] },
  soilSample: { list: "soil-samples", columns: (zone) => [when("sampledAt", t("Taken"), zone), said("lab", t("Laboratory")), figure("ph", t("pH")), figure("ec", t("Electrical conductivity")),
    figure("organicMatter", t("Organic matter")), figure("nitrogen", "N"), figure("phosphorus", "P"), figure("potassium", "K")] },
  leafSample: { list: "leaf-samples", columns: (zone) => [when("sampledAt", t("Taken"), zone), said("lab", t("Laboratory")), said("tissue", t("Part of the plant")), figure("nitrogen", "N"),
    figure("phosphorus", "P"), figure("potassium", "K"), figure("calcium", "Ca")] },
};

/** The first or the last instant of a day in a zone. @param {string | undefined} day @param {string} zone @param {boolean} [last] */
function edge(day, zone, last) {
  if (!day || !isDay(day)) return undefined;
  if (!last) return fromLocalInput(`${day}T00:00`, zone);
  const next = daysLater(day, 1);
  if (!isDay(next)) return undefined; // after the year 9999
  return new Date(Date.parse(fromLocalInput(`${next}T00:00`, zone)) - 1).toISOString();
}

/** @param {{kind: Kind, base: string, farm: any, params: Record<string, string>, asOf: string | null, onChanged?: () => void}} props base: the path of the field or the block */
export function OperationTable({ kind, base, farm, params, asOf, onChanged }) {
  const zone = zoneOf(farm), { list, columns } = KINDS[kind];
  const date = (/** @type {string} */ name, /** @type {string} */ label) => html`<${DayFilter} name=${name} label=${label} value=${params[name]} />`;
  const resource = resources()[kind];
  return html`<${RecordTable} key=${kind} resource=${resource} path="${base}/${list}" params=${params} sort=${resource.sorts[0]} asOf=${asOf} mayEdit=${false} columns=${columns(zone)} context=${{ farm, zone }}
    always=${{ from: edge(params.from, zone), to: edge(params.to, zone, true) }} filtered=${Boolean(params.from || params.to)} extraFilters=${html`${date("from", t("From"))}${date("to", t("To"))}`}
    onChanged=${onChanged} />`;
}
