// A farm's money: income and costs of a period, and what was recorded.

import { get, query } from "../core/api.js";
import { money } from "../core/currency.js";
import { Day, Said, number, plain, word } from "../core/format.js";
import { t } from "../core/i18n.js";
import { useLoad } from "../core/load.js";
import { DayFilter } from "../core/period.js";
import { RecordTable } from "../core/records.js";
import { resources } from "../core/resources.js";
import { goWith, linkTo } from "../core/route.js";
import { Empty, Loading, Meter, SelectField, Tabs, partOf } from "../core/ui.js";
import { html, useState } from "../core/view.js";
import { Harvest } from "./harvest.js";
import { ByCrop, MonthChart, Prices } from "./money-charts.js";
import { zoneOf } from "./task-actions.js";

/** @param {{title: string, sum: any, currency: string}} props */
function ByCategory({ title, sum, currency }) {
  const rows = Object.entries(sum.byCategory ?? {}).map(([name, value]) => /** @type {[string, string]} */ ([name, /** @type {any} */ (value)?.total ?? value])).filter(([, value]) => Number(value) > 0)
    .sort((a, b) => Number(b[1]) - Number(a[1]));
  if (rows.length === 0) return null;
  return html`<section class="card"><header><h2>${title}</h2><span class="push num">${money(sum.total, currency)}</span></header><div class="body stack">${rows.map(([name, value]) => html`
    <div class="factor"><div class="row"><span>${word(name)}</span><span class="push num">${money(value, currency)}</span></div><${Meter} plain label=${word(name)} value=${Number(value)} most=${Math.max(Number(rows[0][1]), 0.01)} /></div>`)}</div></section>`;
}

/** @param {{base: string, params: Record<string, string>, asOf: string | null, changes: number}} props */
function Summary({ base, params, asOf, changes }) {
  const summary = useLoad(async (signal) => (await get(`${base}/financial-summary${query({ from: params.from, to: params.to })}`, { signal, asOf })).data, [base, params.from, params.to, asOf, changes]);
  const date = (/** @type {string} */ name, /** @type {string} */ label) => html`<${DayFilter} name=${name} label=${label} value=${params[name]} />`;
  return html`<div class="filters">${date("from", t("From"))}${date("to", t("To"))}</div>
    <${Loading} from=${summary} lines=${4}>${(/** @type {any} */ { baseCurrency, revenue, expenses, overheads, net, unconvertedCurrencies, rateSource }) => html`
      <div class="cards figures">${/** @type {[string, any][]} */ ([[t("Income"), revenue.total], [t("Expenses"), expenses.total], [t("Overheads"), overheads.total], [t("Result"), net]]).map(([label, value]) => html`
        <section class="card padded"><h2 class="small muted">${label}</h2><p class="figure money">${money(value, baseCurrency)}</p></section>`)}</div>
      ${unconvertedCurrencies.length ? html`<p class="notice warn">${t("Left out, because there is no exchange rate: {list}", { list: unconvertedCurrencies.join(", ") })}</p>` : null}
      <div class="halves"><${ByCategory} title=${t("Expenses")} sum=${expenses} currency=${baseCurrency} /><${ByCategory} title=${t("Overheads")} sum=${overheads} currency=${baseCurrency} /></div>
      <p class="hint">${t("In {currency}, at the rate of each entry's own day.", { currency: baseCurrency })}${rateSource ? html` <bdi>${plain(rateSource)}</bdi>` : null}</p>`}<//>`;
}

const amountColumn = () => ({ name: "amount", label: t("Amount"), num: true, cell: (/** @type {any} */ row) => money(row.amount, row.currency) });
const noteColumn = () => ({ name: "note", label: t("Note"), cell: (/** @type {any} */ row) => html`<${Said} text=${row.note} />` });
/** @param {string} name @param {string} label */
const dayColumn = (name, label) => ({ name, label, sort: name, cell: (/** @type {any} */ row) => html`<${Day} date=${row[name]} />` });
const categoryColumn = () => ({ name: "category", label: t("Category"), cell: (/** @type {any} */ row) => word(row.category) });

/** @param {{farm: any, base: string, crops: any[], params: Record<string, string>, asOf: string | null}} props */
export function Money({ farm, base, crops, params, asOf }) {
  const [changes, setChanges] = useState(0);
  const all = resources();
  const keep = { "as-of": params["as-of"], tab: "money", from: params.from, to: params.to };
  const tabs = /** @type {[string, string][]} */ ([["expenses", t("Expenses")], ["overheads", t("Overheads")], ["sales", t("Sales")], ["by-crop", t("By crop")], ["harvest", t("Harvest")], ["prices", t("Prices")]])
    .map(([name, words]) => /** @type {[string, string, string]} */ ([name, words, linkTo(["farms", farm.id], { ...keep, list: name === "expenses" ? null : name })]));
  const list = partOf(tabs, params.list), period = { from: params.from, to: params.to };
  const crop = params.crop ?? crops[0]?.id;
  const common = { params, asOf, always: period, filtered: Boolean(params.from || params.to), mayEdit: false, onChanged: () => setChanges((count) => count + 1), context: { farm, crops, zone: zoneOf(farm) } };
  return html`<div class="stack-large"><div class="stack"><${Summary} changes=${changes} base=${base} params=${params} asOf=${asOf} />
      <${MonthChart} farm=${farm} base=${base} params=${params} asOf=${asOf} changes=${changes} /></div>
    <div><${Tabs} tabs=${tabs} current=${list} label=${t("What was recorded")} />
    ${list === "expenses" ? html`<${RecordTable} ...${common} resource=${all.expense} path="${base}/expenses" sort="transactionDate"
      columns=${[dayColumn("transactionDate", t("Date")), categoryColumn(), noteColumn(), amountColumn()]} />` : null}
    ${list === "overheads" ? html`<${RecordTable} ...${common} resource=${all.overhead} path="${base}/overheads" sort="transactionDate"
      columns=${[dayColumn("transactionDate", t("Date")), categoryColumn(), { name: "period", label: t("Repeats"), cell: (/** @type {any} */ row) => word(row.period) }, noteColumn(), amountColumn()]} />` : null}
    ${list === "by-crop" ? html`<${ByCrop} farm=${farm} base=${base} crops=${crops} params=${params} asOf=${asOf} />` : null}
    ${list === "harvest" ? html`<${Harvest} base=${base} crops=${crops} asOf=${asOf} />` : null}
    ${list === "prices" ? html`<${Prices} farm=${farm} base=${base} crops=${crops} params=${params} asOf=${asOf} />` : null}
    ${list === "sales" ? crop ? html`<${RecordTable} key=${crop} ...${common} resource=${all.sale} path="/crops/${crop}/sales" sort="saleDate" columns=${[dayColumn("saleDate", t("Date")),
        { name: "buyer", label: t("Buyer"), cell: (/** @type {any} */ row) => html`<${Said} text=${row.buyer} />` },
        { name: "quantity", label: t("Quantity"), num: true, cell: (/** @type {any} */ row) => `${number(row.quantity)} ${t(row.unit)}` },
        { name: "price", label: t("Price"), num: true, cell: (/** @type {any} */ row) => money(row.pricePerUnit, row.currency) },
        { name: "total", label: t("Total"), num: true, cell: (/** @type {any} */ row) => money(row.totalAmount, row.currency) }]}
        extraFilters=${html`<${SelectField} need label=${t("Crop")} name="crop" value=${crop} options=${crops.map((each) => [each.id, plain([each.cropType, each.variety].filter(Boolean).join(" "))])}
          onInput=${(/** @type {string} */ value) => goWith({ crop: value, page: null })} />`} />`
      : html`<section class="card"><${Empty} icon="crop" title=${all.crop.none} text=${t("A sale belongs to the crop that was sold.")}>
        <a class="button primary" href=${linkTo(["farms", farm.id], { tab: "crops" })}>${t("Crops")}</a><//></section>` : null}</div></div>`;
}
