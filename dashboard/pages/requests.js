// What programs asked the API for lately, and how it was answered.

import { get, query } from "../core/api.js";
import { Asked, Code, Outcome, statusClasses } from "../core/asked.js";
import { Said, Time, browserZone, number, plain } from "../core/format.js";
import { t } from "../core/i18n.js";
import { useLoad } from "../core/load.js";
import { goWith, linkTo } from "../core/route.js";
import { Button, Dialog, Empty, Loading, PageHead, Pager, SelectField, Table, TextField } from "../core/ui.js";
import { html, useEffect, useState } from "../core/view.js";

const LIMIT = 50;
const EXACT = /** @type {Intl.DateTimeFormatOptions} */ ({ dateStyle: "medium", timeStyle: "medium" });

/** The key's name, or its id once it is revoked. @param {{id: string, names: Map<string, string>}} props */
const KeyName = ({ id, names }) => (names.has(id) ? html`<${Said} text=${names.get(id)} />` : html`<code>${id}</code>`);

/** @param {{id: string, names: Map<string, string>}} props */
function One({ id, names }) {
  const found = useLoad(async (signal) => (await get(`/requests${query({ requestId: id })}`, { signal })).data, [id]);
  const facts = (/** @type {any} */ row) => [
    [t("Time"), html`<${Time} instant=${row.time} options=${EXACT} />`], [t("Status"), html`<${Code} status=${row.status} />`],
    [t("Took"), t("{n} ms", { n: number(row.durationMs) })], [t("Key"), html`<${KeyName} id=${row.keyId} names=${names} />`], [t("From address"), html`<code dir="ltr">${row.address}</code>`],
    [t("Sent again"), row.idempotentReplayed ? t("Yes: the first answer was repeated.") : t("No")]];
  return html`<${Dialog} title=${t("One request")} onClose=${() => goWith({ request: null })}>
    <p><code dir="ltr">${plain(id)}</code></p>
    <${Loading} from=${found}>${(/** @type {any[]} */ rows) => rows.length === 0 ? html`<p>${t("No request with this id is known. The last 1,000 of seven days are.")}</p>`
      : rows.map((row) => html`<p dir="ltr"><strong>${row.method}</strong> <code>${plain(row.path)}</code></p>
        <dl class="facts">${facts(row).map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`)}<//>
  <//>`;
}

/** @param {{params: Record<string, string>}} props */
export default function Requests({ params }) {
  const keys = useLoad(async (signal) => (await get("/api-keys", { signal })).data, []);
  const names = new Map((keys.value ?? []).map((/** @type {any} */ key) => [key.id, key.name]));
  const wanted = { key: params.key, status: params.status, path: params.path, page: params.page, limit: LIMIT };
  const loaded = useLoad((signal) => get(`/requests${query(wanted)}`, { signal }), [params.key, params.status, params.path, params.page]);
  const [path, setPath] = useState(params.path ?? "");
  useEffect(() => setPath(params.path ?? ""), [params.path]);
  const [id, setId] = useState("");
  const filtered = Boolean(params.key || params.status || params.path);
  const columns = [
    { name: "time", label: t("Time"), cell: (/** @type {any} */ row) => html`<a href=${linkTo(["requests"], { ...params, request: row.requestId })}><${Time} instant=${row.time} options=${EXACT} /></a>` },
    { name: "request", label: t("Request"), cell: (/** @type {any} */ row) => html`<${Asked} row=${row} />` },
    { name: "status", label: t("Status"), cell: (/** @type {any} */ row) => html`<${Outcome} row=${row} />` },
    { name: "took", label: t("Took"), num: true, cell: (/** @type {any} */ row) => t("{n} ms", { n: number(row.durationMs) }) },
    { name: "key", label: t("Key"), cell: (/** @type {any} */ row) => html`<${KeyName} id=${row.keyId} names=${names} />` },
    { name: "address", label: t("From address"), cell: (/** @type {any} */ row) => html`<code dir="ltr">${row.address}</code>` },
  ];
  const submit = (/** @type {() => void} */ act) => (/** @type {Event} */ event) => { event.preventDefault(); act(); };
  return html`<${PageHead} title=${t("Requests")} text=${t("What programs asked the API for with your keys: the last 1,000 requests of seven days.")}>
      <${Button} onClick=${loaded.reload} icon="repeat">${t("Look again")}<//><//>
    <div class="stack"><div class="filters">
      <${SelectField} need label=${t("Key")} name="key" none=${t("All")} value=${params.key ?? ""} options=${[...names].map(([each, name]) => [each, plain(name)])} onInput=${(/** @type {string} */ key) => goWith({ key, page: null })} />
      <${SelectField} need label=${t("Status")} name="status" none=${t("All")} value=${params.status ?? ""} options=${statusClasses()} onInput=${(/** @type {string} */ status) => goWith({ status, page: null })} />
      <form onSubmit=${submit(() => goWith({ path, page: null }))}><${TextField} need label=${t("Path begins with")} name="path" value=${path} onInput=${setPath} placeholder="/api/v1/farms" autocomplete="off" dir="ltr" /></form>
      <form onSubmit=${submit(() => id && goWith({ request: id.trim() }))}><${TextField} need label=${t("Request id")} name="request" value=${id} onInput=${setId} placeholder="X-Request-Id" autocomplete="off" dir="ltr" /></form></div>
    <${Loading} from=${loaded} lines=${9}>${(/** @type {any} */ { data, pagination }) => html`<section class="card">
      <${Table} label=${t("Requests")} rows=${data.map((/** @type {any} */ row, /** @type {number} */ at) => ({ ...row, id: `${at} ${row.requestId}` }))} columns=${columns}
        empty=${html`<${Empty} icon="requests" title=${filtered ? t("No such request") : t("No program has asked for anything yet")}
          text=${filtered ? t("None of the last requests matches.") : t("Each request with one of your keys appears here at once.")}>
          ${filtered ? html`<${Button} onClick=${() => { setPath(""); goWith({ key: null, status: null, path: null, page: null }); }}>${t("Show all")}<//>` : html`<a class="button" href=${linkTo(["keys"])}>${t("API keys")}</a>`}<//>`} />
      ${data.length ? html`<${Pager} label=${t("Pages of requests")} pagination=${pagination} onPage=${(/** @type {number} */ page) => goWith({ page })} />` : null}</section>
      <p class="hint">${t("Times are in {zone}.", { zone: browserZone() })}</p>`}<//></div>
    ${params.request ? html`<${One} id=${params.request} names=${names} />` : null}`;
}
