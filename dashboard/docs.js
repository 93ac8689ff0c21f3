// The API reference: what /api/openapi.json describes, with examples and a way to try each request. What the description
// says is in English; everything around it is in the person's language.

import { Refusal } from "./core/api.js";
import { Frame, Language, start } from "./core/frame.js";
import { addArabic, currentLanguage, t } from "./core/i18n.js";
import { useAction, useLoad } from "./core/load.js";
import { go, goWith, linkTo, useRoute } from "./core/route.js";
import { Badge, Button, Empty, Loading, PageHead, TextField, say } from "./core/ui.js";
import { html, useEffect, useState } from "./core/view.js";

/** @typedef {{id: string, method: string, path: string, group: string, about: any}} Operation */

const KEPT = "tilth-docs-key"; // in this tab only: sessionStorage
const OF_PAGES = "dashboard";
const METHODS = ["get", "post", "put", "delete"];

/** The groups of operations: their words and icons. @returns {Map<string, [string, import("./core/icons.js").Name]>} */
const groupWords = () => new Map(Object.entries({
  farms: [t("Farms"), "farm"], fields: [t("Fields"), "field"], crops: [t("Crops"), "crop"], tasks: [t("Tasks"), "tasks"], library: [t("Crop library"), "book"], finance: [t("Finance"), "usage"], market: [t("Market"), "requests"],
  analytics: [t("Analytics"), "sample"], events: [t("Events"), "history"], webhooks: [t("Webhooks"), "webhook"], batch: [t("Batches"), "block"], [OF_PAGES]: [t("Sessions and keys"), "key"] }));

/** @param {string} group @returns {[string, import("./core/icons.js").Name]} */
const inWords = (group) => groupWords().get(group) ?? [group, "book"];

/** What the description says. @param {any} props */
const English = ({ children }) => html`<span lang="en" dir="ltr">${children}</span>`;

/** @param {any} api @returns {Operation[]} */
function operationsOf(api) {
  return Object.entries(api.paths).flatMap(([path, its]) => METHODS.filter((method) => its[method]).map((method) => ({
    id: its[method].operationId, method, path, group: path.startsWith("/api/v1/") ? its[method].tags?.[0] ?? "other" : OF_PAGES, about: its[method] })));
}

/** What a $ref stands for. @param {any} api @param {any} part */
function resolved(api, part) {
  let found = part;
  while (found?.$ref) found = found.$ref.slice(2).split("/").reduce((/** @type {any} */ at, /** @type {string} */ name) => at[name.replaceAll("~1", "/")], api);
  return found;
}

/** Paragraphs, with code and links. @param {{text: string | undefined}} props */
function Prose({ text }) {
  if (!text) return null;
  return html`<div class="prose" lang="en" dir="ltr">${text.split(/\n\s*\n/).map((paragraph) => html`<p>${paragraph.split(/(`[^`]+`|\[[^\]]+\]\([^)]+\))/).map((part) => {
    if (/^`.+`$/s.test(part)) return html`<code>${part.slice(1, -1)}</code>`;
    const link = part.match(/^\[([^\]]+)\]\((https?:[^)]+)\)$/);
    return link ? html`<a href=${link[2]} rel="noopener noreferrer">${link[1]}</a>` : part;
  })}</p>`)}</div>`;
}

/** Where a parameter stands. @param {string} place */
const placeWords = (place) => ({ path: t("in the path"), query: t("in the query"), header: t("in a header") })[place] ?? place;

/** @param {{method: string}} props */
const Method = ({ method }) => html`<span class="method ${method}">${method.toUpperCase()}</span>`;

/** A schema's type in words. @param {{api: any, schema: any}} props @returns {any} */
function Type({ api, schema }) {
  const found = resolved(api, schema);
  if (!found) return t("anything");
  const either = found.anyOf ?? found.oneOf;
  if (either) return either.map((/** @type {any} */ each, /** @type {number} */ at) => html`${at ? ` ${t("or")} ` : ""}<${Type} api=${api} schema=${each} />`);
  if (found.const !== undefined) return html`<bdi>${JSON.stringify(found.const)}</bdi>`;
  const types = Array.isArray(found.type) ? found.type : [found.type ?? t("anything")];
  if (types[0] === "array") return html`${t("list of")} <${Type} api=${api} schema=${found.items} />`;
  return types.map((/** @type {string} */ type, /** @type {number} */ at) => html`${at ? ` ${t("or")} ` : ""}<bdi>${found.format && type !== "null" ? `${type} (${found.format})` : type}</bdi>`);
}

/** What a schema says of values, in words. @param {any} of @returns {[string, string][]} */
const limitsOf = ({ minLength, maxLength, minimum, maximum, minItems, maxItems, ...of }) => [["minLength", minLength === 1 ? t("not empty") : t("at least {n} characters", { n: minLength })], ["maxLength", t("at most {n} characters", { n: maxLength })],
  ["minimum", t("from {n}", { n: minimum })], ["maximum", t("to {n}", { n: maximum })], ["minItems", t("at least {n}", { n: minItems })], ["maxItems", t("at most {n}", { n: maxItems })], ["default", t("by default {n}", { n: of.default })]];

/** The object in a schema, also in a list or next to null. @param {any} api @param {any} schema @returns {any} */
function objectIn(api, schema) {
  const found = resolved(api, schema);
  if (!found) return null;
  if (found.properties) return found;
  if (found.items) return objectIn(api, found.items);
  return (found.anyOf ?? found.oneOf ?? found.allOf ?? []).map((/** @type {any} */ each) => objectIn(api, each)).find(Boolean) ?? null;
}

/** The members of a schema, and theirs below them. @param {{api: any, schema: any, depth?: number}} props */
function Members({ api, schema, depth = 0 }) {
  const found = objectIn(api, schema);
  if (!found) return html`<p class="muted small"><${Type} api=${api} schema=${schema} /></p>`;
  const required = new Set(found.required ?? []);
  return html`<ul class="members">${Object.entries(found.properties).map(([name, part]) => {
    const its = resolved(api, part), flat = (its.anyOf ?? []).find((/** @type {any} */ each) => each.type !== "null") ?? its, inner = depth < 3 ? objectIn(api, its) : null;
    const limits = limitsOf(flat).filter(([key]) => flat[key] !== undefined).map(([, words]) => words);
    return html`<li><div class="row-tight"><code><strong>${name}</strong></code><span class="muted small"><${Type} api=${api} schema=${its} /></span>${required.has(name) ? html`<${Badge} tone="info">${t("required")}<//>` : null}</div>
      ${part.description ?? its.description ? html`<p class="small"><${English}>${part.description ?? its.description}<//></p>` : null}
      ${flat.enum ? html`<p class="small muted">${flat.enum.map((/** @type {any} */ each, /** @type {number} */ at) => html`${at ? t(", ") : ""}<code>${String(each)}</code>`)}</p>` : null}
      ${limits.length ? html`<p class="small muted">${limits.join(t(", "))}</p>` : null}
      ${inner ? html`<details class="more"><summary>${t("Members of {name}", { name })}</summary><${Members} api=${api} schema=${inner} depth=${depth + 1} /></details>` : null}</li>`;
  })}</ul>`;
}

const WAYS = /** @type {[string, string][]} */ ([["curl", "curl"], ["python", "Python"], ["typescript", "TypeScript"]]);

/** JSON as Python writes it. @param {string} json */
const inPython = (json) => json.replace(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, (found) => ({ true: "True", false: "False", null: "None" })[found] ?? found);

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** The request as a program writes it. @param {string} way @param {{method: string, url: string, body: string | null}} request */
function example(way, { method, url, body }) {
  const verb = method.toUpperCase();
  if (way === "curl") return [`curl -X ${verb} ${quoted(url)}`, `-H "Authorization: Bearer $TILTH_KEY"`, ...(body ? ["-H 'Content-Type: application/json'", `-d ${quoted(body)}`] : [])].join(" \\\n  ");
  if (way === "python") {
    return ["import json, os, urllib.request", "", "request = urllib.request.Request(", `    ${JSON.stringify(url)}, method="${verb}",`, `    headers={"Authorization": "Bearer " + os.environ["TILTH_KEY"]${body ? ', "Content-Type": "application/json"' : ""}},`,
      ...(body ? [`    data=json.dumps(${inPython(body).replaceAll("\n", "\n    ")}).encode(),`] : []), ")", "with urllib.request.urlopen(request) as response:", `    print(${method === "delete" ? "response.status" : "json.load(response)"})`].join("\n");
  }
  return [`const response = await fetch(${JSON.stringify(url)}, {`, `  method: "${verb}",`, `  headers: { Authorization: \`Bearer \${process.env.TILTH_KEY}\`${body ? ', "Content-Type": "application/json"' : ""} },`,
    ...(body ? [`  body: JSON.stringify(${body.replaceAll("\n", "\n  ")}),`] : []), "});", `console.log(response.status${method === "delete" ? "" : ", await response.json()"});`].join("\n");
}

/** @param {any} operation @param {any} api */
function exampleBody(operation, api) {
  const content = resolved(api, operation.about.requestBody)?.content?.["application/json"];
  return content ? JSON.stringify(content.example ?? {}, null, 2) : null;
}

/** Examples in three languages, and the same request sent from here. @param {{api: any, operation: Operation, parameters: any[]}} props */
function Try({ api, operation, parameters }) {
  const { params } = useRoute();
  const way = WAYS.some(([name]) => name === params.in) ? params.in : "curl";
  const [values, setValues] = useState(/** @type {Record<string, string>} */ ({}));
  const [body, setBody] = useState(exampleBody(operation, api));
  const [key, setKey] = useState(sessionStorage.getItem(KEPT) ?? "");
  const [answer, setAnswer] = useState(/** @type {{status: number, took: number, id: string | null, text: string} | null} */ (null));
  const path = operation.path.replace(/\{(\w+)\}/g, (whole, name) => (values[name] ? encodeURIComponent(values[name]) : whole));
  const search = new URLSearchParams(parameters.filter((each) => each.in === "query" && values[each.name]).map((each) => [each.name, values[each.name]]));
  const url = `${location.origin}${path}${search.size ? `?${search}` : ""}`;
  let fault = "";
  try {
    if (body) JSON.parse(body);
  } catch (/** @type {any} */ error) {
    fault = error.message;
  }
  const shown = example(way, { method: operation.method, url, body: fault ? null : body });
  const send = useAction(async () => {
    const began = performance.now();
    const headers = Object.fromEntries(parameters.filter((each) => each.in === "header" && values[each.name]).map((each) => [each.name, values[each.name]]));
    try {
      const response = await fetch(url, { method: operation.method.toUpperCase(), credentials: "omit", cache: "no-store", body: body ?? undefined,
        headers: { ...headers, ...(key ? { Authorization: `Bearer ${key.trim()}` } : {}), ...(body ? { "Content-Type": "application/json" } : {}) } });
      const text = await response.text();
      let pretty = text;
      try {
        pretty = JSON.stringify(JSON.parse(text), null, 2);
      } catch {
        // not JSON: shown as it came
      }
      setAnswer({ status: response.status, took: Math.round(performance.now() - began), id: response.headers.get("X-Request-Id"), text: pretty.slice(0, 100_000) });
    } catch {
      throw new Refusal(0, { message: t("The service cannot be reached.") });
    }
  });
  const keep = (/** @type {string} */ text) => {
    setKey(text);
    if (text) sessionStorage.setItem(KEPT, text.trim());
    else sessionStorage.removeItem(KEPT);
  };
  const copy = () => Promise.resolve().then(() => navigator.clipboard.writeText(shown)).then(() => say(t("The example is copied.")), () => say(t("Copy the text yourself.")));
  return html`<div class="try stack"><section class="card"><header><h2>${t("Example")}</h2><div class="choice push" role="group" aria-label=${t("Language of the example")}>${WAYS.map(([name, words]) => html`<${Button} kind="small" aria-pressed=${name === way ? "true" : "false"}
        onClick=${() => goWith({ in: name === "curl" ? null : name }, { replace: true })}>${words}<//>`)}</div></header>
      <div class="body stack"><pre class="json" tabindex="0" aria-label=${t("Example")}>${shown}</pre><div class="buttons"><${Button} kind="small" onClick=${copy}>${t("Copy")}<//></div></div></section>
    ${operation.group === OF_PAGES ? html`<p class="hint">${t("Pages use this with the session of a browser. Programs with a key cannot.")}</p>` : html`<section class="card"><header><h2>${t("Try it")}</h2></header>
      <form class="body stack" novalidate onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); send.run(undefined); }}>
        <${TextField} need label=${t("API key")} name="key" type="password" autocomplete="off" spellcheck="false" placeholder="svc_live_…" dir="ltr" value=${key} onInput=${keep} hint=${t("This tab alone keeps it, until it is closed.")} />
        ${parameters.map((each) => html`<${TextField} key=${each.in + each.name} need=${each.required} label=${each.name} name="p-${each.name}" autocomplete="off" value=${values[each.name] ?? ""} onInput=${(/** @type {string} */ text) => setValues({ ...values, [each.name]: text })} />`)}
        ${body === null ? null : html`<${TextField} need label=${t("Body")} name="body" type="area" class="body" spellcheck="false" value=${body} onInput=${setBody} fault=${fault || undefined} />`}
        ${send.error ? html`<p class="notice bad" role="alert">${send.error.message}</p>` : null}
        <div class="buttons"><${Button} type="submit" kind="primary" busy=${send.busy} off=${Boolean(fault)}>${t("Send {method}", { method: operation.method.toUpperCase() })}<//>${operation.method === "get" ? null : html`<span class="hint">${t("It changes what the key may change.")}</span>`}</div>
        ${answer ? html`<div class="stack" role="status"><p class="row-tight"><${Badge} tone=${answer.status < 300 ? "good" : answer.status < 500 ? "warn" : "bad"}>${String(answer.status)}<//><span class="muted small">${t("{n} ms", { n: answer.took })}</span>${answer.id ? html`<code class="muted">${answer.id}</code>` : null}</p>
          <pre class="json answer" tabindex="0" aria-label=${t("Response")}>${answer.text || t("(no body)")}</pre></div>` : null}</form></section>`}</div>`;
}

/** @param {{api: any, operation: Operation}} props */
function One({ api, operation }) {
  const { about, method, path, group } = operation;
  const parameters = (about.parameters ?? []).map((/** @type {any} */ each) => resolved(api, each));
  const scopes = (about.security ?? []).flatMap((/** @type {any} */ each) => Object.values(each).flat());
  const body = resolved(api, about.requestBody)?.content?.["application/json"];
  return html`<${PageHead} title=${about.summary} lang="en" crumbs=${[[t("API reference"), linkTo([])], [inWords(group)[0], linkTo([group])], [html`<bdi>${operation.id}</bdi>`, undefined]]} text=${html`<${Method} method=${method} /> <code class="wrap">${path}</code>`} />
    <div class="reference"><div class="stack-large"><${Prose} text=${about.description} />
      ${scopes.length ? html`<p class="row-tight small">${t("Scope of the key:")} ${scopes.map((/** @type {any} */ scope) => html`<code>${scope}</code>`)}</p>` : null}
      ${parameters.length ? html`<section class="card padded stack-small"><h2>${t("Parameters")}</h2><ul class="members">${parameters.map((/** @type {any} */ each) => html`<li><div class="row-tight"><code><strong>${each.name}</strong></code><span class="muted small">${placeWords(each.in)}${t(", ")}<${Type} api=${api} schema=${each.schema} /></span>
        ${each.required ? html`<${Badge} tone="info">${t("required")}<//>` : null}</div>${each.description ? html`<p class="small"><${English}>${each.description}<//></p>` : null}${resolved(api, each.schema)?.enum ? html`<p class="small muted"><${English}>${resolved(api, each.schema).enum.join(", ")}<//></p>` : null}</li>`)}</ul></section>` : null}
      ${body ? html`<section class="card padded stack-small" id="body"><h2>${t("Body")}</h2><${Members} api=${api} schema=${body.schema} /></section>` : null}
      <section class="card padded stack-small" id="responses"><h2>${t("Responses")}</h2><ul class="members">${Object.entries(about.responses).map(([status, part]) => {
        const its = resolved(api, part), content = its.content?.["application/json"];
        return html`<li><div class="row-tight"><${Badge} tone=${status < "300" ? "good" : status < "500" ? "warn" : "bad"}>${status}<//><span class="small"><${English}>${its.description}<//></span></div>
          ${content ? html`<details class="more" open=${status < "300"}><summary>${status < "300" ? t("Example and members") : t("Members")}</summary>${content.example ? html`<pre class="json" tabindex="0" aria-label=${t("Example of {status}", { status })}>${JSON.stringify(content.example, null, 2)}</pre>` : null}<${Members} api=${api} schema=${content.schema} /></details>` : null}</li>`;
      })}</ul></section></div>
      <${Try} key=${operation.id} api=${api} operation=${operation} parameters=${parameters} /></div>`;
}

/** @param {{operations: Operation[]}} props */
const List = ({ operations }) => html`<section class="card"><ul class="operations">${operations.map(({ id, method, path, group, about }) => html`<li><a href=${linkTo([group, id])}><${Method} method=${method} /><span class="what"><strong><${English}>${about.summary}<//></strong><code class="muted">${path}</code></span></a></li>`)}</ul></section>`;

/** @param {{api: any}} props */
function Reference({ api }) {
  const { path: [group, id], params: { q = "" } } = useRoute();
  const operations = operationsOf(api);
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const one = operations.find((each) => each.group === group && each.id === id);
  if (words.length) {
    const found = operations.filter(({ path, method, about }) => words.every((word) => `${method} ${path} ${about.summary} ${about.description} ${about.operationId}`.toLowerCase().includes(word)));
    return html`<${PageHead} title=${t("Found: {n}", { n: found.length })} />${found.length ? html`<${List} operations=${found} />` : html`<section class="card"><${Empty} icon="book" title=${t("Nothing fits")} text=${t("Try a path, a verb or a word of the summary.")} /></section>`}`;
  }
  if (one) return html`<${One} key=${one.id} api=${api} operation=${one} />`;
  const of = operations.filter((each) => each.group === group), about = api.tags?.find((/** @type {any} */ tag) => tag.name === group);
  if (of.length) return html`<${PageHead} key=${group} title=${inWords(group)[0]} crumbs=${[[t("API reference"), linkTo([])], [inWords(group)[0], undefined]]} text=${about?.description && html`<${English}>${about.description}<//>`} /><${List} operations=${of} />`;
  if (group) return html`<${PageHead} title=${t("No such page")} /><section class="card"><${Empty} icon="book" title=${t("There is nothing at this address.")}><a class="button primary" href=${linkTo([])}>${t("Go to the reference")}</a><//></section>`;
  return html`<${PageHead} title=${t("API reference")} text=${t("Version {version}", { version: api.info.version })} /><div class="stack-large"><${Prose} text=${api.info.description} />
    <p class="row"><a href="/api/openapi.json">openapi.json</a><a href="/#/keys">${t("API keys")}</a></p>
    ${groupsOf(api, operations).map((name) => html`<div class="stack"><h2><a href=${linkTo([name])}>${inWords(name)[0]}</a></h2><${List} operations=${operations.filter((each) => each.group === name)} /></div>`)}</div>`;
}

/** The groups in the order of the description, the pages' own last. @param {any} api @param {Operation[]} operations */
function groupsOf(api, operations) {
  const place = (/** @type {string} */ group) => (group === OF_PAGES ? Infinity : (api.tags ?? []).findIndex((/** @type {any} */ tag) => tag.name === group));
  return [...new Set(operations.map(({ group }) => group))].sort((a, b) => place(a) - place(b));
}

function App() {
  const [language, setLanguage] = useState(currentLanguage());
  const api = useLoad(async () => {
    const response = await fetch("/api/openapi.json").catch(() => null);
    if (!response?.ok) throw new Refusal(response?.status ?? 0, { message: t("The service cannot be reached.") });
    return response.json();
  }, []);
  const { path: [group = ""], params: { q = "" } } = useRoute();
  useEffect(() => { scrollTo(0, 0); }, [location.hash.split("?")[0]]);
  const groups = api.value ? groupsOf(api.value, operationsOf(api.value)) : [];
  const entry = (/** @type {string} */ name) => /** @type {[string, string, import("./core/icons.js").Name]} */ ([name, ...inWords(name)]);
  const brand = html`<a class="brand" href=${linkTo([])}><img src="/assets/icon.svg" alt="" width="26" height="26" />Tilth API</a>`;
  const sections = /** @type {import("./core/frame.js").Sections} */ ([[t("Version {version}", { version: 1 }), groups.filter((name) => name !== OF_PAGES).map(entry)], ...(groups.includes(OF_PAGES) ? [[t("Of the pages"), [entry(OF_PAGES)]]] : [])]);
  return html`<${Frame} key=${language} brand=${brand} current=${q ? "" : group} sections=${sections} below=${html`<${Language} onDone=${() => setLanguage(currentLanguage())} /><a class="button" href="/">${t("To the pages")}</a>`}>
    <div class="filters search"><${TextField} need label=${t("Search")} name="search" type="search" autocomplete="off" placeholder=${t("tasks, POST, harvest…")} value=${q} onInput=${(/** @type {string} */ text) => go(linkTo(group && !text ? [group] : [], { q: text }), { replace: Boolean(q) })} /></div>
    <${Loading} from=${api} lines=${12}>${(/** @type {any} */ value) => html`<${Reference} api=${value} />`}<//><//>`;
}

addArabic(() => import("./docs-ar.js"));
await start(App);
