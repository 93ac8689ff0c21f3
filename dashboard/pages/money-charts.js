// What a farm's money shows over time: by month and category, by crop and hectare, and the prices of a crop.

import { get, query } from "../core/api.js";
import { COLORS, Chart } from "../core/chart.js";
import { money, negated, sumOf } from "../core/currency.js";
import { Said, dateText, dayOf, number, plain, timeText, word } from "../core/format.js";
import { inUnit } from "../core/geometry.js";
import { t, tn } from "../core/i18n.js";
import { useLoad } from "../core/load.js";
import { RecordTable } from "../core/records.js";
import { resources } from "../core/resources.js";
import { goWith } from "../core/route.js";
import { Empty, Loading, SelectField, Table } from "../core/ui.js";
import { html } from "../core/view.js";
import { zoneOf } from "./task-actions.js";

/** @typedef {Record<string, string>} Params */

const MOST_MONTHS = 24, MONTHS = 12, AT_ONCE = 4;

/** The results of `load` in order, a few at a time. @template T, R @param {T[]} items @param {(item: T) => Promise<R>} load @returns {Promise<R[]>} */
async function each(items, load) {
  /** @type {R[]} */
  const results = [];
  for (let at = 0; at < items.length; at += AT_ONCE) results.push(...await Promise.all(items.slice(at, at + AT_ONCE).map(load)));
  return results;
}

/** The months of a period, the last ones if there are too many, each with its own first and last day. @param {string | undefined} from @param {string | undefined} to @param {string} today */
export function monthsOf(from, to, today) {
  const last = to ?? (from && from > today ? from : today), months = [];
  const day = new Date(`${last.slice(0, 7)}-01T00:00Z`);
  for (let count = 0; count < (from ? MOST_MONTHS : MONTHS); ++count) {
    const first = day.toISOString().slice(0, 10), end = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).toISOString().slice(0, 10);
    if (from && end < from) break;
    months.unshift({ from: from && from > first ? from : first, to: to && to < end ? to : end });
    day.setUTCMonth(day.getUTCMonth() - 1);
  }
  return months;
}

/** @param {string} month */
const monthName = (month) => timeText(`${month.slice(0, 7)}-01T00:00Z`, "UTC", { month: "short", year: "2-digit" });
/** @param {string} currency */
const briefly = (currency) => (/** @type {number} */ value) => money(value, currency, { notation: "compact", minimumFractionDigits: 0, maximumFractionDigits: 1, style: "decimal" });

/** @param {any} sum @returns {[string, string][]} */
const categories = (sum) => Object.entries(sum.byCategory ?? {}).map(([name, value]) => [name, /** @type {any} */ (value)?.total ?? value]);

/** @param {{farm: any, base: string, params: Params, asOf: string | null, changes: number}} props */
export function MonthChart({ farm, base, params, asOf, changes }) {
  const months = monthsOf(params.from, params.to, dayOf(asOf ?? Date.now(), zoneOf(farm)));
  const loaded = useLoad((signal) => each(months, async (month) => (await get(`${base}/financial-summary${query(month)}`, { signal, asOf })).data), [base, JSON.stringify(months), asOf, changes]);
  const by = params.by === "category" ? "category" : "kind";
  return html`<section class="card"><header><h2>${t("Month by month")}</h2><div class="push"><${SelectField} need label=${t("Shows")} name="by" value=${by} options=${[["kind", t("Income and costs")], ["category", t("Costs by category")]]}
      onInput=${(/** @type {string} */ value) => goWith({ by: value === "kind" ? null : value }, { replace: true })} /></div></header>
    <div class="body"><${Loading} from=${loaded}>${(/** @type {any[]} */ sums) => {
      const currency = sums[0]?.baseCurrency, xs = months.slice(0, sums.length).map(({ from }) => from);
      if (sums.length !== months.length) return null;
      const total = (/** @type {any} */ sum) => Number(sum.expenses.total) + Number(sum.overheads.total);
      if (!sums.some((sum) => Number(sum.revenue.total) || total(sum))) return html`<p class="muted">${t("Nothing was recorded in these months.")}</p>`;
      const totals = new Map();
      for (const [name, value] of sums.flatMap((sum) => [...categories(sum.expenses), ...categories(sum.overheads)])) totals.set(name, (totals.get(name) ?? 0) + Number(value));
      const largest = [...totals].filter(([, value]) => value > 0).sort((a, b) => b[1] - a[1]).map(([name]) => name), own = largest.slice(0, largest.length > COLORS.length ? COLORS.length - 1 : COLORS.length);
      const of = (/** @type {any} */ sum, /** @type {(name: string) => boolean} */ which) => sumOf([...categories(sum.expenses), ...categories(sum.overheads)].filter(([name]) => which(name)).map(([, value]) => value));
      const series = by === "kind" ? [
        { label: t("Income"), color: COLORS[0], kind: "bars", stack: "income", values: sums.map((sum) => sum.revenue.total) },
        { label: t("Expenses"), color: COLORS[1], kind: "bars", stack: "costs", values: sums.map((sum) => sum.expenses.total) },
        { label: t("Overheads"), color: COLORS[3], kind: "bars", stack: "costs", values: sums.map((sum) => sum.overheads.total) },
        { label: t("Result"), color: COLORS[2], kind: "line", values: sums.map((sum) => sum.net) },
      ] : [...own.map((name, at) => ({ label: word(name), color: COLORS[at], kind: "bars", stack: "costs", values: sums.map((sum) => of(sum, (other) => other === name)) })),
        ...(largest.length > own.length ? [{ label: t("All others"), color: COLORS.at(-1), kind: "bars", stack: "costs", values: sums.map((sum) => of(sum, (other) => !own.includes(other))) }] : [])];
      return html`<${Chart} label=${t("Month by month")} place=${t("Month")} xs=${xs} nameOf=${monthName} series=${series} say=${(/** @type {string} */ value) => money(value, currency)} short=${briefly(currency)} />`;
    }}<//></div></section>`;
}

const MOST_PAGES = 10, MOST_CROPS = 40;

/** Every row of a list, or null if there are too many to sum here. @param {string} path @param {any} values @param {AbortSignal} signal @param {string | null} asOf @returns {Promise<any[] | null>} */
async function rowsOf(path, values, signal, asOf) {
  const rows = [];
  for (let page = 1, pages = 1; page <= pages; ++page) {
    const { data, pagination } = await get(`${path}${query({ ...values, limit: 100, page })}`, { signal, asOf });
    if (pagination.totalPages > MOST_PAGES) return null;
    rows.push(...data);
    pages = pagination.totalPages;
  }
  return rows;
}

/** @param {any} crop */
const nameOfCrop = (crop) => plain([crop.cropType, crop.variety].filter(Boolean).join(" "));

/** Income and costs of each crop, and of a hectare of it. @param {{farm: any, base: string, crops: any[], params: Params, asOf: string | null}} props */
export function ByCrop({ farm, base, crops, params, asOf }) {
  const period = { from: params.from, to: params.to }, asked = crops.slice(0, MOST_CROPS);
  const loaded = useLoad(async (signal) => {
    const { baseCurrency } = (await get(`${base}/financial-summary${query(period)}`, { signal, asOf })).data;
    const [expenses, sales] = await Promise.all([rowsOf(`${base}/expenses`, period, signal, asOf), each(asked, (crop) => rowsOf(`/crops/${crop.id}/sales`, period, signal, asOf))]);
    return { shown: asked, currency: baseCurrency, expenses, sales }; // other crops may be there before their sales
  }, [base, params.from, params.to, asOf, asked.map(({ id }) => id).join()]);
  return html`<${Loading} from=${loaded}>${(/** @type {{shown: any[], currency: string, expenses: any[] | null, sales: (any[] | null)[]}} */ { shown, currency, expenses, sales }) => {
    if (!expenses || sales.includes(null)) return html`<p class="notice">${t("There are too many entries to sum them here. Choose a shorter period.")}</p>`;
    // Only the service knows the rate of an entry's day, so each currency has sums of its own.
    const rows = shown.flatMap((crop, at) => {
      const sold = /** @type {any[]} */ (sales[at]), spent = expenses.filter((expense) => expense.cropId === crop.id);
      const hectares = crop.area === null ? null : Number(crop.area) / inUnit(10_000, farm.areaUnit);
      return [...new Set([currency, ...[...sold, ...spent].map((entry) => entry.currency).sort()])].map((own) => {
        const sum = (/** @type {any[]} */ entries, /** @type {string} */ member) => sumOf(entries.filter((entry) => entry.currency === own).map((entry) => entry[member]));
        const income = sum(sold, "totalAmount"), costs = sum(spent, "amount"), result = sumOf([income, negated(costs)]);
        return { id: `${crop.id} ${own}`, crop, currency: own, income, costs, result, hectares, perHectare: hectares ? Number(result) / hectares : null };
      });
    }).filter((row) => Number(row.income) || Number(row.costs));
    const drawnIn = rows.some((row) => row.currency === currency) ? currency : rows[0]?.currency ?? currency, drawn = rows.filter((row) => row.currency === drawnIn);
    const amount = (/** @type {string} */ name, /** @type {string} */ label) => ({ name, label, num: true, cell: (/** @type {any} */ row) => (row[name] === null ? "–" : money(row[name], row.currency)) });
    if (!rows.length) return html`<section class="card"><${Empty} icon="crop" title=${t("No crop has income or costs here")} text=${t("Sales belong to a crop; an expense can name the crop that it was for.")} /></section>`;
    return html`${rows.some((row) => row.currency !== currency) ? html`<p class="notice">${t("Amounts are in the currencies that they were recorded in; the chart shows those in {currency}.", { currency: drawnIn })}</p>` : null}
      ${crops.length > MOST_CROPS ? html`<p class="notice">${tn("The newest crop is shown.", "The newest {n} crops are shown.", MOST_CROPS)}</p>` : null}
      <section class="card padded"><${Chart} label=${t("Income and costs by crop")} place=${t("Crop")} xs=${drawn.map(({ crop }) => nameOfCrop(crop))} say=${(/** @type {string} */ value) => money(value, drawnIn)} short=${briefly(drawnIn)} series=${[
        { label: t("Income"), color: COLORS[0], kind: "bars", values: drawn.map(({ income }) => income) }, { label: t("Costs"), color: COLORS[1], kind: "bars", values: drawn.map(({ costs }) => costs) }]} /></section>
      <section class="card"><${Table} label=${t("Crops")} rows=${rows} columns=${[{ name: "crop", label: t("Crop"), cell: (/** @type {any} */ { crop }) => html`<${Said} text=${[crop.cropType, crop.variety].filter(Boolean).join(" ")} />` },
        { name: "area", label: t("Area"), num: true, cell: (/** @type {any} */ { hectares }) => (hectares === null ? "–" : `${number(hectares)} ${t("ha")}`) }, amount("income", t("Income")), amount("costs", t("Costs")),
        amount("result", t("Result")), amount("perHectare", t("Result of a hectare"))]} /></section>
      <p class="hint">${t("Expenses that name no crop, and overheads, are in no row here.")}</p>`;
  }}<//>`;
}

const OF_A_TON = new Map([["kg", 1_000], ["ton", 1], ["lb", 2_204.6226218488], ["per_kg", 1_000], ["per_ton", 1], ["per_lb", 2_204.6226218488]]);

/** Own sales and reports over time, and what the region pays. @param {{farm: any, base: string, crops: any[], params: Params, asOf: string | null}} props */
export function Prices({ farm, crops, params, asOf }) {
  const names = [...new Set(crops.map((crop) => crop.cropType))], name = names.includes(params.of) ? params.of : names[0] ?? "";
  const own = crops.filter((crop) => crop.cropType === name).slice(0, MOST_CROPS), period = { from: params.from, to: params.to };
  const loaded = useLoad(async (signal) => {
    const [sales, reports, region] = await Promise.all([each(own, (crop) => rowsOf(`/crops/${crop.id}/sales`, period, signal, asOf)), name ? rowsOf("/market/price-reports", { ...period, farmId: farm.id, cropName: name }, signal, asOf) : [],
      farm.country && name && !asOf ? get(`/market/regional-prices${query({ country: farm.country, cropName: name })}`, { signal }) : { data: [], meta: null }]);
    return { sales, reports, region: region.data[0] ?? null };
  }, [farm.id, name, params.from, params.to, asOf]);
  const date = (/** @type {string} */ key, /** @type {string} */ label) => ({ name: key, label, sort: key, cell: (/** @type {any} */ row) => html`<time datetime=${row[key]}>${dateText(row[key])}</time>` });
  return html`<${Loading} from=${loaded}>${(/** @type {any} */ { sales, reports, region }) => {
    if (!reports || sales.includes(null)) return html`<p class="notice">${t("There are too many entries to sum them here. Choose a shorter period.")}</p>`;
    const points = [...sales.flat().map((/** @type {any} */ row) => ({ sale: true, on: row.saleDate, price: Number(row.pricePerUnit) * (OF_A_TON.get(row.unit) ?? NaN), currency: row.currency })),
      ...reports.map((/** @type {any} */ row) => ({ sale: false, on: row.observedOn, price: Number(row.price) * (OF_A_TON.get(row.unit) ?? NaN), currency: row.currency }))];
    const currency = region?.currency ?? points[0]?.currency, usable = points.filter((point) => point.currency === currency && !Number.isNaN(point.price)).sort((a, b) => a.on.localeCompare(b.on));
    // the region's prices are those of today: a line across needs a second day
    const days = [...new Set([...usable.map((point) => point.on.slice(0, 10)), ...(region && usable.length ? [dayOf(Date.now(), zoneOf(farm))] : [])])].sort(), xs = days.map((day) => Date.parse(day));
    const mean = (/** @type {string} */ day, /** @type {boolean} */ sale) => {
      const of = usable.filter((point) => point.sale === sale && point.on.startsWith(day));
      return of.length ? of.reduce((all, { price }) => all + price, 0) / of.length : null;
    };
    const level = (/** @type {number} */ value) => days.map(() => value);
    return html`<section class="card"><header><h2>${t("Price of a ton")}</h2>${names.length ? html`<div class="push"><${SelectField} need label=${t("Crop")} name="of" value=${name} options=${names.map((each) => [each, plain(each)])}
        onInput=${(/** @type {string} */ value) => goWith({ of: value, page: null })} /></div>` : null}</header>
      <div class="body stack">${xs.length ? html`<${Chart} label=${t("Price of a ton")} place=${t("Date")} time xs=${xs} nameOf=${(/** @type {number} */ x) => timeText(x, "UTC", { dateStyle: "medium" })} say=${(/** @type {number} */ value) => money(value, currency)}
          short=${briefly(currency)} series=${[{ label: t("Own sales"), color: COLORS[0], kind: "line", values: days.map((day) => mean(day, true)) }, { label: t("Own reports"), color: COLORS[3], kind: "points", values: days.map((day) => mean(day, false)) },
            ...(region ? [{ label: t("Region, on average"), color: COLORS[2], kind: "range", values: level(region.avgPrice) }, { label: t("Region, lowest"), color: COLORS[4], kind: "range", values: level(region.minPrice) },
              { label: t("Region, highest"), color: COLORS[5], kind: "range", values: level(region.maxPrice) }] : [])]} />`
        : html`<p class="muted">${t("No sale and no price report of this crop is known for this time.")}</p>`}
        <p class="hint">${region ? tn("The region's prices are those of the last year, from {n} record.", "The region's prices are those of the last year, from {n} records.", region.sampleSize)
          : t("The region's prices are known once five farms have sold this crop or reported its price.")}</p>
        ${usable.length < points.length ? html`<p class="hint">${tn("{n} entry in another currency or unit is left out.", "{n} entries in other currencies or units are left out.", points.length - usable.length)}</p>` : null}</div></section>
      <${RecordTable} resource=${resources().price} path="/market/price-reports" params=${params} sort="observedOn" asOf=${asOf} mayEdit=${false} always=${{ ...period, farmId: farm.id }} fixed=${{ farmId: farm.id, cropName: name }} context=${{ zone: zoneOf(farm) }}
        filtered=${Boolean(params.from || params.to)} onChanged=${loaded.reload} columns=${[date("observedOn", t("Seen on")), { name: "crop", label: t("Crop"), cell: (/** @type {any} */ row) => html`<${Said} text=${row.cropName} />` },
          { name: "price", label: t("Price"), num: true, cell: (/** @type {any} */ row) => html`${money(row.price, row.currency)} <span class="muted">${word(row.unit)}</span>` },
          { name: "quantity", label: t("Quantity"), num: true, cell: (/** @type {any} */ row) => number(row.quantity) }]} />`;
  }}<//>`;
}
