// The account: its password, the browsers in which it is signed in, and its end.

import { get, send } from "../core/api.js";
import { Said, Time, browserText, browserZone, plain, word } from "../core/format.js";
import { t } from "../core/i18n.js";
import { useAction, useLoad, useWhileThere } from "../core/load.js";
import { tabs } from "../core/tabs.js";
import { Badge, Button, Confirm, FormTrouble, Loading, PageHead, Table, TextField, faultOf, say, useFaultFocus } from "../core/ui.js";
import { html, useRef, useState } from "../core/view.js";
import { rememberPlace, takeFailure } from "./provider.js";

/** @param {{email: string, onDone: () => void}} props */
function Password({ email, onDone }) {
  const [old, setOld] = useState(""), [fresh, setFresh] = useState("");
  const form = useRef(/** @type {HTMLElement | null} */ (null));
  const change = useAction(async () => {
    await send("POST", "/auth/password", { body: { oldPassword: old || undefined, newPassword: fresh } });
    setOld("");
    setFresh("");
    say(t("The password is changed. Other browsers are signed out."));
    onDone();
  });
  useFaultFocus(form, change.error);
  return html`<section class="card"><header><h2>${t("Password")}</h2></header><form class="body stack" ref=${form} novalidate onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); change.run(undefined); }}>
    <input hidden name="username" autocomplete="username" value=${email} readonly />
    <div class="form-grid">
      <${TextField} need label=${t("Present password")} name="oldPassword" type="password" autocomplete="current-password" value=${old} onInput=${setOld} hint=${t("Empty if the account has none yet.")} fault=${faultOf(change.error, "oldPassword")} />
      <${TextField} need label=${t("New password")} name="newPassword" type="password" autocomplete="new-password" value=${fresh} onInput=${setFresh} hint=${t("8 to 200 characters.")} fault=${faultOf(change.error, "newPassword")} /></div>
    <${FormTrouble} error=${change.error} fields=${["oldPassword", "newPassword"]} />
    <div class="buttons"><${Button} type="submit" kind="primary" busy=${change.busy}>${t("Change the password")}<//></div></form></section>`;
}

/** @param {{sessions: import("../core/load.js").Loaded<any[]>}} props */
function Sessions({ sessions }) {
  const [asks, setAsks] = useState(false);
  const end = useAction(async (/** @type {string} */ id) => {
    await send("DELETE", `/auth/sessions/${encodeURIComponent(id)}`).catch((refusal) => { if (refusal.status !== 404) throw refusal; }); // it has ended by itself
    say(t("The session has ended."));
    sessions.reload();
  });
  const endOthers = useAction(async () => {
    await send("DELETE", "/auth/sessions");
    setAsks(false);
    say(t("All other sessions have ended."));
    sessions.reload();
  });
  const others = (sessions.value ?? []).some((each) => !each.current);
  return html`<section class="card"><header><h2>${t("Where you are signed in")}</h2>${others ? html`<div class="push"><${Button} kind="quiet danger small" onClick=${() => setAsks(true)}>${t("End all others")}<//></div>` : null}</header>
    ${end.error ? html`<div class="body"><${FormTrouble} error=${end.error} /></div>` : null}
    <${Loading} from=${sessions} lines=${3}>${(/** @type {any[]} */ rows) => html`<${Table} label=${t("Sessions")} rows=${rows} columns=${[
      { name: "browser", label: t("Browser"), cell: (/** @type {any} */ row) => html`<bdi title=${plain(row.browser ?? "")}>${browserText(row.browser)}</bdi>${row.current ? html` <${Badge} tone="good">${t("this browser")}<//>` : null}` },
      { name: "address", label: t("Address"), cell: (/** @type {any} */ row) => html`<span class="code">${plain(row.address ?? "–")}</span>` },
      { name: "since", label: t("Since"), cell: (/** @type {any} */ row) => html`<${Time} instant=${row.createdAt} />` },
      { name: "seen", label: t("Last seen"), cell: (/** @type {any} */ row) => html`<${Time} instant=${row.lastSeenAt} />` },
      { name: "ends", label: t("Ends"), cell: (/** @type {any} */ row) => html`<${Time} instant=${row.expiresAt} />` },
      { name: "actions", label: "", cell: (/** @type {any} */ row) => (row.current ? null : html`<${Button} kind="quiet danger small" busy=${end.busy} onClick=${() => end.run(row.id)}>${t("End it")}<//>`) }]} />`}<//>
    ${asks ? html`<${Confirm} title=${t("End all other sessions?")} verb=${t("End them")} text=${t("Every browser but this one is signed out, and can sign in again.")} act=${{ ...endOthers, run: () => endOthers.run(undefined) }} onClose=${() => setAsks(false)} />` : null}</section>`;
}

const ADDING = "tilth-adding";

/** What became of adding the provider, once the browser is back from it. @param {string} provider */
function addedOrWhyNot(provider) {
  if (!sessionStorage.getItem(ADDING)) return null;
  sessionStorage.removeItem(ADDING);
  const failed = takeFailure();
  if (!failed) setTimeout(say, 0, t("From now on {provider} opens this account, too.", { provider }));
  if (failed === "access_denied") return t("You stopped signing in at the provider.");
  if (failed === "taken") return t("Somebody else signs in here with that account of {provider}.", { provider });
  return failed && t("{provider} was not added. Try again, or tell the operator of this service.", { provider });
}

/** Adds the identity provider to an account with a password: both are proved. @param {{email: string, provider: string, by: string | undefined}} props */
function Provider({ email, provider, by }) {
  const [password, setPassword] = useState("");
  const [failure] = useState(() => addedOrWhyNot(provider));
  const form = useRef(/** @type {HTMLElement | null} */ (null));
  const leave = useWhileThere((/** @type {string} */ url) => {
    rememberPlace();
    sessionStorage.setItem(ADDING, "1");
    location.assign(url);
  });
  const add = useAction(async () => leave((await send("POST", "/auth/provider", { body: { password: password || undefined } })).json.url));
  useFaultFocus(form, add.error);
  return html`<section class="card"><header><h2>${t("Sign in with {provider}", { provider })}</h2></header>
    ${by === "provider" ? html`<p class="body">${t("You signed in with {provider}. Once you set a password, that opens the account, too.", { provider })}</p>`
      : html`<form class="body stack" ref=${form} novalidate onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); add.run(undefined); }}>
        <p>${t("Add your account at {provider}: then either opens this one. Confirm it with your password here, then sign in there.", { provider })}</p>
        ${failure && !add.error ? html`<p class="notice bad" role="alert">${failure}</p>` : null}
        <input hidden name="username" autocomplete="username" value=${email} readonly />
        <div class="form-grid"><${TextField} need label=${t("Password")} name="password" type="password" autocomplete="current-password" value=${password} onInput=${setPassword} fault=${faultOf(add.error, "password")} /></div>
        <${FormTrouble} error=${add.error} fields=${["password"]} />
        <div class="buttons"><${Button} type="submit" busy=${add.busy}>${t("Add {provider}", { provider })}<//></div></form>`}</section>`;
}

/** @param {{email: string}} props */
function Erasure({ email }) {
  const [password, setPassword] = useState(""), [asks, setAsks] = useState(false);
  const erase = useAction(async () => {
    await send("POST", "/auth/erase", { body: { password: password || undefined } });
    tabs.postMessage("left");
    location.assign("/");
  });
  return html`<section class="card"><header><h2>${t("Erase the account")}</h2></header><form class="body stack" novalidate onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); erase.setError(null); setAsks(true); }}>
    <p>${t("Farms and all records are removed, and what names you in the history can no longer be read. Prices and counts that name no person stay.")}</p>
    <input hidden name="username" autocomplete="username" value=${email} readonly />
    <div class="form-grid"><${TextField} label=${t("Password")} name="password" type="password" autocomplete="current-password" value=${password} onInput=${setPassword} hint=${t("Empty if the account has none yet.")} fault=${faultOf(erase.error, "password")} /></div>
    <div class="buttons"><${Button} type="submit" kind="quiet danger">${t("Erase the account")}<//></div></form>
    ${asks ? html`<${Confirm} title=${t("Erase the account for good?")} verb=${t("Erase it")} text=${t("This cannot be undone.")} act=${{ ...erase, run: () => erase.run(undefined) }} onClose=${() => setAsks(false)} />` : null}</section>`;
}

/** @param {{user: import("../core/api.js").User}} props */
export default function Account({ user }) {
  const sessions = useLoad(async (signal) => (await get("/auth/sessions", { signal })).data, []);
  const ways = useLoad((signal) => get("/auth", { anyone: true, signal }), []);
  const by = sessions.value?.find((/** @type {any} */ each) => each.current)?.method;
  return html`<${PageHead} title=${t("Your account")} text=${html`<${Said} text=${user.email} /> · ${word(user.plan)}`} />
    <div class="stack-large"><${Password} email=${user.email} onDone=${sessions.reload} />
      ${ways.value?.provider && sessions.value ? html`<${Provider} email=${user.email} provider=${ways.value.provider} by=${by} />` : null}<${Sessions} sessions=${sessions} /><${Erasure} email=${user.email} />
      <p class="hint">${t("Times are in {zone}.", { zone: browserZone() })}</p></div>`;
}
