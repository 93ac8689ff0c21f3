// Owners: find one; their plan, keys, requests, sessions and use of the plan; set a password, disable, export, erase.

import { addressOf, all, get, query, send } from "../core/api.js";
import { Asked, Outcome, statusClasses } from "../core/asked.js";
import { Said, Time, browserText, number, plain, timeText } from "../core/format.js";
import { t, tn } from "../core/i18n.js";
import { useAction, useLoad, useWhileThere } from "../core/load.js";
import { Once, makeKey, useUnkept } from "../core/once.js";
import { currentRoute, go, goWith, linkTo } from "../core/route.js";
import { scopePresets } from "../core/scopes.js";
import { Typed } from "../core/typed.js";
import { Badge, Button, Confirm, Dialog, Empty, FormTrouble, Loading, Meter, PageHead, Pager, SelectField, Table, Tabs, TextField, faultOf, say, useFaultFocus } from "../core/ui.js";
import { html, useRef, useState } from "../core/view.js";
import { Kind, Place } from "./event-parts.js";
import { Backwards, readEnds } from "./history.js";
import { ago, size } from "./status.js";

/** @typedef {{id: string, email: string, name: string | null, plan: string, createdAt: string, updatedAt: string, disabledAt?: string | null}} Owner */
/** @typedef {Record<string, string>} Params */

const DAY = 86_400_000;

const nameOf = (/** @type {Owner} */ owner) => owner.name ?? owner.email;
const disabled = (/** @type {Owner} */ owner) => Boolean(owner.disabledAt);

/** Limits of a plan: null is no limit. @param {number | null} limit */
const limitText = (limit) => (limit === null ? t("unlimited") : number(limit));

/** A form in a dialog. @param {any} props */
function Form({ title, act, verb, fields, onSubmit, onClose, children }) {
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  useFaultFocus(form, act.error);
  return html`<${Dialog} title=${title} onClose=${onClose}><form class="stack" novalidate ref=${form} onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); onSubmit(); }}>
    ${children}<${FormTrouble} error=${act.error} fields=${fields} />
    <div class="buttons"><${Button} type="submit" kind="primary" busy=${act.busy}>${verb}<//><${Button} onClick=${onClose}>${t("Cancel")}<//></div></form><//>`;
}

const planOptions = (/** @type {any[]} */ plans) => plans.map(({ name, requestsPerHour }) => [name, t("{plan}: {n} requests an hour", { plan: name, n: number(requestsPerHour) })]);

/** @param {{plans: any[], onClose: () => void}} props */
function NewOwner({ plans, onClose }) {
  const [email, setEmail] = useState(""), [name, setName] = useState(""), [password, setPassword] = useState(""), [plan, setPlan] = useState("seed");
  const make = useAction(async () => (await send("POST", "/users", { body: { email: email.trim(), name: name.trim() || undefined, plan, password: password || undefined } })).json.data);
  const show = useWhileThere((/** @type {Owner} */ made) => go(linkTo(["owners", made.id])));
  const submit = async () => {
    const made = await make.run(undefined);
    if (made) show(made);
  };
  const fault = (/** @type {string} */ member) => faultOf(make.error, member);
  return html`<${Form} title=${t("New owner")} act=${make} verb=${t("Create the owner")} fields=${["email", "name", "plan", "password"]} onSubmit=${submit} onClose=${onClose}><div class="form-grid">
    <${TextField} need label=${t("Email")} name="email" type="email" autocomplete="off" value=${email} onInput=${setEmail} fault=${fault("email")} />
    <${TextField} label=${t("Name")} name="name" autocomplete="off" value=${name} onInput=${setName} fault=${fault("name")} />
    <${SelectField} need label=${t("Plan")} name="plan" value=${plan} options=${planOptions(plans)} onInput=${setPlan} fault=${fault("plan")} />
    <${TextField} label=${t("Password")} name="password" type="password" autocomplete="new-password" value=${password} onInput=${setPassword} fault=${fault("password")} hint=${t("Without one, keys still work.")} /></div><//>`;
}

/** @param {{owner: Owner, plans: any[], onClose: () => void, onDone: () => void}} props */
function Edit({ owner, plans, onClose, onDone }) {
  const [name, setName] = useState(owner.name ?? ""), [plan, setPlan] = useState(owner.plan);
  const close = useWhileThere(onClose);
  const change = useAction(async () => {
    await send("PUT", `/users/${owner.id}`, { body: { name: name.trim() || null, plan } });
    onDone();
    close();
  });
  const options = planOptions(plans);
  return html`<${Form} title=${t("Name and plan")} act=${change} verb=${t("Save")} fields=${["name", "plan"]} onSubmit=${() => change.run(undefined)} onClose=${onClose}>
    <${TextField} label=${t("Name")} name="name" value=${name} onInput=${setName} fault=${faultOf(change.error, "name")} />
    <${SelectField} need label=${t("Plan")} name="plan" value=${plan} options=${options.some(([each]) => each === plan) ? options : [[plan, plan], ...options]} onInput=${setPlan} fault=${faultOf(change.error, "plan")} hint=${t("It counts from the next request on.")} /><//>`;
}

/** @param {{owner: Owner, onClose: () => void}} props */
function Password({ owner, onClose }) {
  const [password, setPassword] = useState("");
  const close = useWhileThere(onClose);
  const change = useAction(async () => {
    await send("PUT", `/users/${owner.id}`, { body: { password } });
    say(t("The password is set. All sessions have ended."));
    close();
  });
  return html`<${Form} title=${t("Set a password")} act=${change} verb=${t("Set it")} fields=${["password"]} onSubmit=${() => change.run(undefined)} onClose=${onClose}>
    <p>${t("All sessions of {name} end. Keys go on working.", { name: plain(nameOf(owner)) })}</p>
    <${TextField} need label=${t("New password")} name="password" type="password" autocomplete="new-password" value=${password} onInput=${setPassword} hint=${t("8 to 200 characters.")} fault=${faultOf(change.error, "password")} /><//>`;
}

/** @param {{owner: Owner, onClose: () => void, onDone: () => void}} props */
function Disable({ owner, onClose, onDone }) {
  const close = useWhileThere(onClose);
  const disable = useAction(async () => {
    await send("POST", `/users/${owner.id}/disable`, { body: {} });
    onDone();
    close();
  });
  return html`<${Confirm} title=${t("Disable {name}?", { name: plain(nameOf(owner)) })} verb=${t("Disable")} act=${{ ...disable, run: () => disable.run(undefined) }} onClose=${onClose}
    text=${t("Keys are refused at once, sessions end, and no one can sign in. Records stay, and recurring tasks go on. It can be undone, but sessions do not come back.")} />`;
}

/** @param {{owner: Owner, onClose: () => void, onDone: () => void}} props */
function Erase({ owner, onClose, onDone }) {
  const erase = useAction(async () => {
    const { json } = await send("POST", `/users/${owner.id}/erase`, { body: {} });
    onDone();
    say(json.data.complete ? t("The owner is erased.") : t("The owner is erased; some files are cleaned later."));
  });
  return html`<${Confirm} title=${t("Erase {name} for good?", { name: plain(nameOf(owner)) })} verb=${t("Erase")} act=${{ ...erase, run: () => erase.run(undefined) }} onClose=${onClose}
    text=${t("The account closes, all records are removed, and what names the person in the history can no longer be read. This cannot be undone.")} />`;
}

/** @param {{owner: Owner, onClose: () => void, onMade: (key: any) => void, onUnknown: () => void}} props onUnknown: one may be made */
function Mint({ owner, onClose, onMade, onUnknown }) {
  const [name, setName] = useState(""), [scopes, setScopes] = useState("all"), [environment, setEnvironment] = useState("live"), [days, setDays] = useState(""), [networks, setNetworks] = useState("");
  const known = useLoad(async (signal) => /** @type {string[]} */ ((await get("/scopes", { signal })).data), []);
  const list = (/** @type {string} */ text) => text.split(/[\s,]+/).filter(Boolean);
  const mint = useAction(() => makeKey(async () => (await send("POST", `/users/${owner.id}/api-keys`, { body: { name, scopes: list(scopes), environment, expiresAt: days ? new Date(Date.now() + Number(days) * DAY).toISOString() : undefined,
    allowedIps: list(networks).length ? list(networks) : undefined } })).json.data, onUnknown));
  const leave = useWhileThere(() => goWith({ new: null }, { replace: true }));
  const submit = async () => {
    const made = await mint.run(undefined);
    if (!made) return;
    leave();
    onMade(made);
  };
  return html`<${Form} title=${t("New API key")} act=${mint} verb=${t("Create the key")} fields=${["name", "scopes", "environment", "allowedIps", "expiresAt"]} onSubmit=${submit} onClose=${onClose}><div class="form-grid">
    <${TextField} need label=${t("Name")} name="name" autocomplete="off" value=${name} onInput=${setName} fault=${faultOf(mint.error, "name")} />
    <${SelectField} need label=${t("Environment")} name="environment" value=${environment} onInput=${setEnvironment} options=${[["live", t("Live")], ["test", t("Test")]]} />
    <${SelectField} need label=${t("Ends")} name="days" value=${days} onInput=${setDays} options=${[["", t("Never, until it is revoked")], ["30", tn("After {n} day", "After {n} days", 30)], ["90", tn("After {n} day", "After {n} days", 90)], ["365", t("After a year")]]} fault=${faultOf(mint.error, "expiresAt")} />
    <${TextField} label=${t("Allowed networks")} name="allowedIps" placeholder="203.0.113.0/24" autocomplete="off" value=${networks} onInput=${setNetworks} fault=${faultOf(mint.error, "allowedIps")} />
    <div class="whole stack-small"><${TextField} need label=${t("What it may do")} name="scopes" autocomplete="off" spellcheck="false" value=${scopes} onInput=${setScopes} hint=${t("Scopes, separated by spaces or commas.")} fault=${faultOf(mint.error, "scopes")} />
      <div class="buttons">${scopePresets(known.value ?? []).filter(([, , set]) => set.length).map(([id, words, set]) => html`<${Button} kind="small" data-preset=${id} onClick=${() => setScopes(set.join(" "))}>${words}<//>`)}</div></div></div><//>`;
}

/** @param {{owner: Owner, params: Params}} props */
function Keys({ owner, params }) {
  const keys = useLoad(async (signal) => get(`/users/${owner.id}/api-keys${query({ page: params.page, limit: 20 })}`, { signal }), [owner.id, params.page]);
  const [revoking, setRevoking] = useState(/** @type {any} */ (null));
  const { made, add, keep } = useUnkept(`keys of ${owner.id}`, keys.reload);
  const onMade = (/** @type {any} */ key) => {
    add(key);
    const { path, params: now } = currentRoute(); // the operator may have gone on to another page, or to the form of the next key
    if (path[1] !== owner.id || now.tab !== "keys" || now.new) say(t("The key {name} is made. It waits among the keys of {owner}.", { name: plain(key.name), owner: plain(nameOf(owner)) }));
  };
  const revoke = useAction(async () => {
    await send("DELETE", `/users/${owner.id}/api-keys/${encodeURIComponent(revoking.id)}`);
    setRevoking((/** @type {any} */ now) => (now === revoking ? null : now)); // the question may be about another key by now
    keys.reload();
  });
  const badge = (/** @type {any} */ key) => (key.revokedAt ? html`<${Badge} tone="plain">${t("Revoked")}<//>` : key.expiresAt && new Date(key.expiresAt) <= new Date() ? html`<${Badge} tone="warn">${t("Expired")}<//>`
    : key.environment === "test" ? html`<${Badge} tone="info">${t("Test")}<//>` : html`<${Badge} tone="good">${t("Live")}<//>`);
  return html`<section class="card"><header><h2>${t("API keys")}</h2><div class="push"><${Button} kind="small" icon="plus" onClick=${() => goWith({ new: "key" })}>${t("New key")}<//></div></header>
    <${Loading} from=${keys} lines=${4}>${(/** @type {any} */ { data, pagination }) => html`<${Table} label=${t("API keys")} rows=${data} empty=${html`<${Empty} icon="key" title=${t("No key yet")} />`} columns=${[
      { name: "name", label: t("Name"), cell: (/** @type {any} */ key) => html`<${Said} text=${key.name} /><div class="row-tight"><code class="muted">${key.keyPreview}</code>${badge(key)}</div>` },
      { name: "scopes", label: t("May"), cell: (/** @type {any} */ key) => html`<span title=${key.scopes.join(", ")}>${key.scopes.includes("all") ? t("Everything") : html`<code>${key.scopes[0]}</code>${key.scopes.length > 1 ? ` ${t("and {n} more", { n: key.scopes.length - 1 })}` : ""}`}</span>` },
      { name: "created", label: t("Created"), cell: (/** @type {any} */ key) => html`<${Time} instant=${key.createdAt} />` },
      { name: "used", label: t("Last used"), cell: (/** @type {any} */ key) => html`<${Time} instant=${key.lastUsedAt} none=${t("never")} />` },
      { name: "uses", label: t("Uses"), num: true, cell: (/** @type {any} */ key) => number(key.usageCount) },
      { name: "ends", label: t("Ends"), cell: (/** @type {any} */ key) => html`<${Time} instant=${key.revokedAt ?? key.expiresAt} none=${t("never")} />` },
      { name: "actions", label: "", cell: (/** @type {any} */ key) => (key.revokedAt ? null : html`<${Button} kind="quiet danger small" aria-label=${t("Revoke {name}", { name: plain(key.name) })} onClick=${() => setRevoking(key)}>${t("Revoke")}<//>`) }]} />
      ${pagination.total ? html`<${Pager} label=${t("Pages of {kind}", { kind: t("API keys") })} pagination=${pagination} onPage=${(/** @type {number} */ page) => goWith({ page })} />` : null}`}<//>
    ${params.new === "key" ? html`<${Mint} owner=${owner} onClose=${() => goWith({ new: null })} onMade=${onMade} onUnknown=${keys.reload} />` : null}
    ${made && params.new !== "key" ? html`<${Once} key=${made.id} title=${t("The new key")} label=${t("Key")} secret=${made.key} copied=${t("The key is copied.")} warning=${t("Once this is closed, the key cannot be shown again.")} onClose=${keep}>
      <p><strong><${Said} text=${made.name} /></strong> · ${made.expiresAt ? t("ends {time}", { time: timeText(made.expiresAt) }) : t("without an end")}</p><//>` : null}
    ${revoking ? html`<${Confirm} title=${html`${t("Revoke this key?")} <${Said} text=${revoking.name} />`} verb=${t("Revoke it")} text=${t("Programs that use it are refused at once. This cannot be undone.")} act=${{ ...revoke, run: () => revoke.run(undefined) }} onClose=${() => setRevoking(null)} />` : null}</section>`;
}

/** @param {{owner: Owner, params: Params}} props */
function Requests({ owner, params }) {
  const { status, page } = params;
  const loaded = useLoad((signal) => get(`/users/${owner.id}/requests${query({ status, page, limit: 50 })}`, { signal }), [owner.id, status, page]);
  return html`<section class="card"><header><h2>${t("Requests")}</h2><div class="push"><${SelectField} need label=${t("Status")} name="status" none=${t("All")} value=${status ?? ""} options=${statusClasses()} onInput=${(/** @type {string} */ wanted) => goWith({ status: wanted || null, page: null })} /></div></header>
    <${Loading} from=${loaded} lines=${6}>${(/** @type {any} */ { data, pagination }) => html`<${Table} label=${t("Requests")} rows=${data.map((/** @type {any} */ row, /** @type {number} */ at) => ({ ...row, id: `${at} ${row.requestId}` }))}
      empty=${html`<${Empty} icon="requests" title=${status ? t("No such request") : t("No program has asked for anything yet")} />`} columns=${[
      { name: "time", label: t("Time"), cell: (/** @type {any} */ row) => html`<${Time} instant=${row.time} />` },
      { name: "request", label: t("Request"), cell: (/** @type {any} */ row) => html`<${Asked} row=${row} />` },
      { name: "status", label: t("Status"), cell: (/** @type {any} */ row) => html`<${Outcome} row=${row} />` },
      { name: "took", label: t("Took"), num: true, cell: (/** @type {any} */ row) => t("{n} ms", { n: number(row.durationMs) }) },
      { name: "key", label: t("Key"), cell: (/** @type {any} */ row) => html`<span class="code wrap">${plain(row.keyId)}</span>` },
      { name: "address", label: t("From address"), cell: (/** @type {any} */ row) => html`<span class="code">${plain(row.address)}</span>` },
      { name: "id", label: t("Request id"), cell: (/** @type {any} */ row) => html`<span class="code wrap">${plain(row.requestId)}</span>` }]} />
      ${pagination.total ? html`<${Pager} label=${t("Pages of requests")} pagination=${pagination} onPage=${(/** @type {number} */ wanted) => goWith({ page: wanted })} />` : null}`}<//></section>`;
}

/** @param {{owner: Owner, params: Params}} props */
function Sessions({ owner, params }) {
  const sessions = useLoad(async (signal) => get(`/sessions${query({ user: owner.id, page: params.page, limit: 20 })}`, { signal }), [owner.id, params.page, owner.updatedAt]);
  const [asks, setAsks] = useState(false);
  const end = useAction(async (/** @type {string} */ id) => {
    await send("DELETE", `/sessions/${encodeURIComponent(id)}`).catch((refusal) => { if (refusal.status !== 404) throw refusal; }); // it has ended by itself
    sessions.reload();
  });
  const endAll = useAction(async () => {
    const { json } = await send("DELETE", `/sessions${query({ user: owner.id })}`);
    say(tn("{n} session has ended.", "{n} sessions have ended.", json.data.ended));
    setAsks(false);
    sessions.reload();
  });
  return html`<section class="card"><header><h2>${t("Sessions")}</h2>${sessions.value?.data.length ? html`<div class="push"><${Button} kind="quiet danger small" onClick=${() => setAsks(true)}>${t("End all")}<//></div>` : null}</header>
    ${end.error ? html`<div class="body"><${FormTrouble} error=${end.error} /></div>` : null}
    <${Loading} from=${sessions} lines=${4}>${(/** @type {any} */ { data, pagination }) => html`<${Table} label=${t("Sessions")} rows=${data} empty=${html`<${Empty} icon="people" title=${t("No one is signed in")} />`} columns=${[
      { name: "browser", label: t("Browser"), cell: (/** @type {any} */ row) => html`<bdi title=${plain(row.browser ?? "")}>${browserText(row.browser)}</bdi>` },
      { name: "address", label: t("Address"), cell: (/** @type {any} */ row) => html`<span class="code">${plain(row.address ?? "–")}</span>` },
      { name: "since", label: t("Since"), cell: (/** @type {any} */ row) => html`<${Time} instant=${row.createdAt} />` },
      { name: "seen", label: t("Last seen"), cell: (/** @type {any} */ row) => html`<${Time} instant=${row.lastSeenAt} />` },
      { name: "ends", label: t("Ends"), cell: (/** @type {any} */ row) => html`<${Time} instant=${row.expiresAt} />` },
      { name: "actions", label: "", cell: (/** @type {any} */ row) => html`<${Button} kind="quiet danger small" busy=${end.busy} onClick=${() => end.run(row.id)}>${t("End it")}<//>` }]} />
      ${pagination.total ? html`<${Pager} label=${t("Pages of {kind}", { kind: t("Sessions") })} pagination=${pagination} onPage=${(/** @type {number} */ page) => goWith({ page })} />` : null}`}<//>
    ${asks ? html`<${Confirm} title=${t("End all sessions?")} verb=${t("End them")} text=${t("{name} is signed out everywhere, and can sign in again.", { name: plain(nameOf(owner)) })} act=${{ ...endAll, run: () => endAll.run(undefined) }} onClose=${() => setAsks(false)} />` : null}</section>`;
}

/** @param {{owner: Owner, plans: any[]}} props */
function Plan({ owner, plans }) {
  const usage = useLoad(async (signal) => (await get(`/users/${owner.id}/usage`, { signal })).data, [owner.id, owner.plan], owner.id);
  const plan = plans.find((each) => each.name === owner.plan);
  const used = (/** @type {string} */ label, /** @type {number} */ value, /** @type {number | null} */ most) => html`<section class="card padded stack-small"><p class="muted small strong">${label}</p><p class="figure money">${most === null ? number(value) : t("{n} of {most}", { n: number(value), most: number(most) })}</p>
    ${most === null ? html`<p class="hint">${t("unlimited")}</p>` : html`<${Meter} label=${label} value=${value} most=${most} />`}</section>`;
  return html`${plan ? null : html`<p class="notice bad">${t("The plan {plan} is not configured: every request of this owner is refused.", { plan: owner.plan })}</p>`}
    <${Loading} from=${usage} lines=${3}>${(/** @type {any} */ { farms, aiRequestsThisMonth, events }) => html`<div class="cards figures">
      ${used(t("Farms"), farms, plan ? plan.farms : 0)}${used(t("AI requests this month"), aiRequestsThisMonth, plan ? plan.aiRequestsPerMonth : 0)}
      <section class="card padded stack-small"><p class="muted small strong">${t("Events")}</p><p class="figure money"><a href=${linkTo(["events"], { owner: owner.id })}>${number(events)}</a></p><p class="hint">${t("in this owner's history")}</p></section>
      <section class="card padded stack-small"><p class="muted small strong">${t("Plan")}</p><p class="figure money">${owner.plan}</p><p class="hint">${plan ? html`${t("{n} requests an hour", { n: limitText(plan.requestsPerHour) })}<br />${t("{size} of changes an hour", { size: plan.bytesPerHour === null ? t("unlimited") : size(plan.bytesPerHour) })}` : null}</p></section></div>
      <${Latest} owner=${owner} />`}<//>`;
}

/** What happened last to an owner. @param {{owner: Owner}} props */
function Latest({ owner }) {
  const events = useLoad(async (signal) => new Backwards({ owner: owner.id }, await readEnds(signal)).take(10, signal), [owner.id], owner.id);
  return html`<section class="card"><header><h2>${t("Latest events")}</h2><a class="push small" href=${linkTo(["events"], { owner: owner.id })}>${t("All events of this owner")}</a></header>
    <${Loading} from=${events} lines=${4}>${(/** @type {any[]} */ found) => html`<${Table} label=${t("Latest events")} rows=${found} empty=${html`<${Empty} icon="history" title=${t("Nothing has happened yet")} />`} columns=${[
      { name: "type", label: t("Type"), cell: (/** @type {any} */ event) => html`<a href=${linkTo(["events"], { owner: owner.id, event: `${event.partition}-${event.offset}` })}><${Kind} type=${event.type} /></a>` },
      { name: "time", label: t("Time"), cell: (/** @type {any} */ event) => html`<${Time} instant=${event.time} />` },
      { name: "who", label: t("Who"), cell: (/** @type {any} */ event) => html`<span class="code">${plain(event.actor ?? "–")}</span>` },
      { name: "place", label: t("Position"), num: true, cell: (/** @type {any} */ event) => html`<${Place} event=${event} />` }]} />`}<//></section>`;
}

/** The events of a stream as they come, line by line. @param {string} stream @param {(line: string) => void} take */
async function readLines(stream, take) {
  const { url, headers } = addressOf(`/events${query({ owner: stream })}`);
  const response = await fetch(url, { headers, cache: "no-store" });
  if (!response.ok || !response.body) throw new Error(String(response.status));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) {
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line) take(line);
  }
  if (rest) take(rest);
}

/** An event of the owner among those of all accounts, without the hash of a password; null: it is another's. @param {string} line @param {string} id */
function ofAccount(line, id) {
  if (!line.includes(id)) return null;
  const event = JSON.parse(line);
  if (event.data?.userId !== id) return null;
  if (event.data.passwordHash) event.data.passwordHash = null;
  return JSON.stringify(event);
}

/** Downloads all that is kept of an owner as one document: what `tilth users export` writes. @param {Owner} owner */
async function download(owner) {
  const at = `/users/${owner.id}`, signal = new AbortController().signal;
  const [user, apiKeys, sessions, usage, requests] = await Promise.all([get(at), all(`${at}/api-keys`, signal), all(`/sessions${query({ user: owner.id })}`, signal), get(`${at}/usage`), all(`${at}/requests`, signal)]);
  const account = JSON.stringify({ user: user.data, apiKeys, sessions, usage: usage.data, requests }).slice(0, -1);
  /** @type {string[]} */
  const events = [];
  await readLines("access", (line) => { const mine = ofAccount(line, owner.id); if (mine) events.push(mine); });
  await readLines(owner.id, (line) => events.push(line));
  const address = URL.createObjectURL(new Blob([account, ',"events":[', events.join(",\n"), "]}\n"], { type: "application/json" }));
  Object.assign(document.createElement("a"), { href: address, download: `${owner.id}.json` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** @param {{id: string, params: Params}} props */
function One({ id, params }) {
  const loaded = useLoad(async (signal) => {
    const [user, plans] = await Promise.all([get(`/users/${encodeURIComponent(id)}`, { signal }), get("/plans", { signal })]);
    return { owner: /** @type {Owner} */ (user.data), plans: plans.data };
  }, [id], id);
  const [asks, setAsks] = useState("");
  const done = () => setAsks(""), leave = useWhileThere(() => go(linkTo(["owners"])));
  const owner = loaded.value?.owner;
  const enable = useAction(async () => {
    await send("POST", `/users/${id}/enable`, { body: {} });
    loaded.reload();
  });
  const save = useAction(async () => {
    try {
      await download(/** @type {Owner} */ (owner));
    } catch {
      say(t("It cannot be exported at the moment."));
    }
  });
  const tab = ["keys", "requests", "sessions"].includes(params.tab) ? params.tab : "plan";
  const tabs = /** @type {[string, string, string][]} */ ([["plan", t("Plan and usage"), linkTo(["owners", id])], ["keys", t("API keys"), linkTo(["owners", id], { tab: "keys" })], ["requests", t("Requests"), linkTo(["owners", id], { tab: "requests" })], ["sessions", t("Sessions"), linkTo(["owners", id], { tab: "sessions" })]]);
  return html`<${PageHead} title=${owner ? nameOf(owner) : ""} crumbs=${[[t("Owners"), linkTo(["owners"])], [owner ? html`<${Said} text=${owner.email} />` : "…", undefined]]}
      text=${owner ? html`<span class="code">${owner.id}</span> · ${t("since {time}", { time: timeText(owner.createdAt, undefined, { dateStyle: "medium" }) })} ${disabled(owner) ? html`<${Badge} tone="bad">${t("Disabled")}<//>` : null}` : null}>
      ${owner ? html`<${Button} onClick=${() => setAsks("edit")}>${t("Name and plan")}<//><${Button} onClick=${() => setAsks("password")}>${t("Set a password")}<//>
        <${Button} busy=${save.busy} onClick=${() => save.run(undefined)}>${t("Export everything")}<//>
        ${disabled(owner) ? html`<${Button} busy=${enable.busy} onClick=${() => enable.run(undefined)}>${t("Enable")}<//>` : html`<${Button} kind="quiet danger" onClick=${() => setAsks("disable")}>${t("Disable")}<//>`}
        <${Button} kind="quiet danger" onClick=${() => setAsks("erase")}>${t("Erase")}<//>` : null}<//>
    <${Loading} from=${loaded}>${(/** @type {{owner: Owner, plans: any[]}} */ { owner: known, plans }) => html`<div>
      ${enable.error ? html`<${FormTrouble} error=${enable.error} />` : null}
      ${disabled(known) ? html`<p class="notice warn apart">${t("Disabled {when}: keys are refused, and no one can sign in.", { when: ago(/** @type {string} */ (known.disabledAt)) })}</p>` : null}
      <${Tabs} label=${t("Parts of this owner")} tabs=${tabs} current=${tab} />
      ${tab === "keys" ? html`<${Keys} owner=${known} params=${params} />` : tab === "requests" ? html`<${Requests} owner=${known} params=${params} />` : tab === "sessions" ? html`<${Sessions} owner=${known} params=${params} />` : html`<${Plan} owner=${known} plans=${plans} />`}
      ${asks === "edit" ? html`<${Edit} owner=${known} plans=${plans} onClose=${done} onDone=${loaded.reload} />` : null}
      ${asks === "password" ? html`<${Password} owner=${known} onClose=${() => { done(); loaded.reload(); }} />` : null}
      ${asks === "disable" ? html`<${Disable} owner=${known} onClose=${done} onDone=${loaded.reload} />` : null}
      ${asks === "erase" ? html`<${Erase} owner=${known} onClose=${done} onDone=${leave} />` : null}</div>`}<//>`;
}

/** @param {{params: Params}} props */
function All({ params }) {
  const { search = "", page, order = "desc" } = params;
  const users = useLoad(async (signal) => get(`/users${query({ search, page, order, limit: 20 })}`, { signal }), [search, page, order], search);
  const plans = useLoad(async (signal) => (await get("/plans", { signal })).data, []);
  const open = () => goWith({ new: 1 });
  return html`<${PageHead} title=${t("Owners")} text=${t("Everybody who has farms here, with their plan, keys and sessions.")}><${Button} kind="primary" icon="plus" id="new-owner" onClick=${open}>${t("New owner")}<//><//>
    <section class="card"><div class="body filters"><${Typed} need label=${t("Find")} name="search" type="search" placeholder=${t("name, email or user_…")} autocomplete="off" value=${search} onChange=${(/** @type {any} */ event) => goWith({ search: event.currentTarget.value.trim(), page: null })} /></div>
    <${Loading} from=${users} lines=${8}>${(/** @type {any} */ { data, pagination }) => html`<${Table} label=${t("Owners")} rows=${data} sort="createdAt" order=${order} onSort=${(/** @type {string} */ _, /** @type {string} */ next) => goWith({ order: next, page: null })}
        empty=${search ? html`<${Empty} icon="people" title=${t("No user matches")} text=${t("A part of the name or of the email is enough.")} />` : html`<${Empty} icon="people" title=${t("There is no owner yet")} text=${t("An owner has farms, keys and a plan.")}><${Button} kind="primary" onClick=${open}>${t("Create the first owner")}<//><//>`} columns=${[
      { name: "name", label: t("Owner"), cell: (/** @type {Owner} */ row) => html`<a href=${linkTo(["owners", row.id])}><${Said} text=${nameOf(row)} /></a>${row.name ? html`<div class="muted small weight"><${Said} text=${row.email} /></div>` : null}` },
      { name: "plan", label: t("Plan"), cell: (/** @type {Owner} */ row) => html`<${Badge} tone=${row.plan === "expired" ? "warn" : "info"}>${row.plan}<//> ${disabled(row) ? html`<${Badge} tone="bad">${t("Disabled")}<//>` : null}` },
      { name: "id", label: t("Id"), cell: (/** @type {Owner} */ row) => html`<span class="code">${row.id}</span>` },
      { name: "created", label: t("Since"), sort: "createdAt", cell: (/** @type {Owner} */ row) => html`<${Time} instant=${row.createdAt} />` }]} />
      ${pagination.total ? html`<${Pager} label=${t("Pages of {kind}", { kind: t("Owners") })} pagination=${pagination} onPage=${(/** @type {number} */ next) => goWith({ page: next })} />` : null}`}<//></section>
    ${params.new && plans.value ? html`<${NewOwner} plans=${plans.value} onClose=${() => goWith({ new: null })} />` : null}`;
}

/** @param {{path: string[], params: Params}} props */
export default function Owners({ path: [id], params }) {
  return id ? html`<${One} key=${id} id=${id} params=${params} />` : html`<${All} params=${params} />`;
}
