// Audit: who changed what through the operator API, and when.

import { get, query } from "../core/api.js";
import { Said, Time, plain } from "../core/format.js";
import { t } from "../core/i18n.js";
import { useLoad } from "../core/load.js";
import { goWith } from "../core/route.js";
import { Badge, Empty, Loading, PageHead, Pager, SelectField, Table } from "../core/ui.js";
import { html } from "../core/view.js";

/** @typedef {{id: string, operator: string, role: string, action: string, method: string, target: string, created: string | null, status: number, requestId: string, address: string, at: string}} Entry */

const BUILT_IN = "operator";

/** @param {{entry: Entry}} props */
const Outcome = ({ entry }) => html`<${Badge} tone=${entry.status < 300 ? "good" : entry.status < 500 ? "warn" : "bad"}>${String(entry.status)}<//>`;

/** @param {{params: Record<string, string>}} props */
export default function Audit({ params }) {
  const { by = "", page, order = "desc" } = params;
  const operators = useLoad(async (signal) => (await get("/operators?limit=100", { signal })).data, []);
  const entries = useLoad(async (signal) => get(`/audit${query({ operator: by, page, order, limit: 20 })}`, { signal }), [by, page, order], by);
  const names = [BUILT_IN, ...(operators.value ?? []).map((/** @type {{name: string}} */ { name }) => name)];
  return html`<${PageHead} title=${t("Audit")} text=${t("Every request of an operator that changed something, or tried to.")} />
    <section class="card"><div class="body filters"><${SelectField} need label=${t("Operator")} name="by" value=${by} none=${t("All operators")} options=${names.map((name) => [name, name])}
        onInput=${(/** @type {string} */ value) => goWith({ by: value || null, page: null })} /></div>
    <${Loading} from=${entries} lines=${8}>${(/** @type {{data: Entry[], pagination: any}} */ { data, pagination }) => html`<${Table} label=${t("Audit")} rows=${data} sort="at" order=${order} onSort=${(/** @type {string} */ _, /** @type {string} */ next) => goWith({ order: next, page: null })}
        empty=${html`<${Empty} icon="history" title=${t("Nothing has been changed yet")} />`} columns=${[
      { name: "at", label: t("Time"), sort: "at", cell: (/** @type {Entry} */ row) => html`<${Time} instant=${row.at} />` },
      { name: "operator", label: t("Operator"), cell: (/** @type {Entry} */ row) => html`<span class="row-tight"><${Said} text=${row.operator} /><${Badge} count>${row.role}<//></span>` },
      { name: "action", label: t("Action"), cell: (/** @type {Entry} */ row) => html`<div class="stack-small"><bdi lang="en">${row.action}</bdi><div class="code wrap muted small weight clip" title=${plain(row.target)}>${row.method} ${plain(row.target)}</div>${row.created ? html`<div class="code muted small weight">${plain(row.created)}</div>` : null}</div>` },
      { name: "outcome", label: t("Response"), cell: (/** @type {Entry} */ row) => html`<${Outcome} entry=${row} />` },
      { name: "address", label: t("Address"), cell: (/** @type {Entry} */ row) => html`<span class="code">${row.address}</span>` }]} />
      ${pagination.total ? html`<${Pager} label=${t("Pages of {kind}", { kind: t("Audit") })} pagination=${pagination} onPage=${(/** @type {number} */ next) => goWith({ page: next })} />` : null}`}<//></section>`;
}
