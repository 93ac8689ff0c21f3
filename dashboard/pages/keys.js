// The user's API keys: list, create, replace and revoke.

import { get, send } from "../core/api.js";
import { useDraft } from "../core/drafts.js";
import { Said, Time, browserZone, number, plain, timeText } from "../core/format.js";
import { t, tn } from "../core/i18n.js";
import { useAction, useLoad, useWhileThere } from "../core/load.js";
import { numeral } from "../core/numeral.js";
import { Once, makeKey, useUnkept } from "../core/once.js";
import { currentRoute, goWith } from "../core/route.js";
import { scopePresets } from "../core/scopes.js";
import { Badge, Button, Confirm, Dialog, Empty, FormTrouble, Loading, PageHead, SelectField, Table, TextField, faultOf, isUnfinished, say, useFaultFocus } from "../core/ui.js";
import { html, useRef, useState } from "../core/view.js";

/** What a scope lets a program do. @returns {Record<string, string>} */
const meanings = () => ({
  "farms:read": t("See farms"), "farms:write": t("Create, change and remove farms"),
  "fields:read": t("See fields, blocks, plants, irrigation and samples"), "fields:write": t("Change fields, blocks, plants, irrigation and samples"),
  "crops:read": t("See crops"), "crops:write": t("Change crops"), "tasks:read": t("See tasks and templates"), "tasks:write": t("Change and complete tasks"),
  "library:read": t("See the crop library"), "library:write": t("Change the crop shortlist"), "market:read": t("See regional prices"), "market:write": t("Report prices"),
  "analytics:read": t("See health scores and yield predictions"), "finance:read": t("See income and costs"), "finance:write": t("Record income and costs"),
  "billing:read": t("See usage of the plan"), "events:read": t("Read the whole history"), "webhooks:read": t("See webhooks and their deliveries"), "webhooks:write": t("Change webhooks"), all: t("Everything, also what is added later"),
});

/** @param {any} key */
function state(key) {
  if (key.expiresAt !== null && new Date(key.expiresAt) <= new Date()) return html`<${Badge} tone="warn">${t("Expired")}<//>`;
  return key.environment === "test" ? html`<${Badge} tone="info">${t("Test")}<//>` : html`<${Badge} tone="good">${t("Live")}<//>`;
}

/** @param {{scopes: string[]}} props */
function Scopes({ scopes }) {
  if (scopes.includes("all")) return t("Everything");
  return html`<span title=${scopes.join(", ")}>${scopes.slice(0, 2).map((scope, at) => html`${at ? ", " : ""}<code>${scope}</code>`)}
    ${scopes.length > 2 ? ` ${t("and {n} more", { n: scopes.length - 2 })}` : ""}</span>`;
}

/** @param {{params: Record<string, string>, user: {id: string}}} props */
export default function Keys({ params, user }) {
  const loaded = useLoad(async (signal) => {
    const [keys, gone, scopes, plan] = await Promise.all([get("/api-keys", { signal }), get("/api-keys?revoked=true", { signal }), get("/scopes", { signal }), get("/billing/plan", { signal })]);
    return { keys: keys.data, gone: gone.data, scopes: scopes.data, plan: plan.plan };
  }, []);
  const [revoking, setRevoking] = useState(/** @type {any} */ (null));
  const [rolling, setRolling] = useState(/** @type {any} */ (null));
  const { made, add, keep } = useUnkept(`keys of ${user.id}`, loaded.reload);
  const onMade = (/** @type {any} */ key) => {
    add(key);
    const { path, params: now } = currentRoute(); // the person may have gone on to another page, or to the form of the next key
    if (path[0] !== "keys" || now.new) say(t("The key {name} is made. It waits on the page of API keys.", { name: plain(key.name) }));
  };
  const mayMint = loaded.value?.plan.mayMintKeys;
  const open = () => goWith({ new: 1 });
  const columns = [
    { name: "name", label: t("Name"), cell: (/** @type {any} */ key) => html`<${Said} text=${key.name} /><div class="row-tight"><code class="muted">${key.keyPreview}</code>${state(key)}</div>` },
    { name: "scopes", label: t("May"), cell: (/** @type {any} */ key) => html`<${Scopes} scopes=${key.scopes} />` },
    { name: "created", label: t("Created"), cell: (/** @type {any} */ key) => html`<${Time} instant=${key.createdAt} options=${{ dateStyle: "medium" }} />` },
    { name: "used", label: t("Last used"), cell: (/** @type {any} */ key) => html`<${Time} instant=${key.lastUsedAt} none=${t("never")} />` },
    { name: "uses", label: t("Uses"), num: true, cell: (/** @type {any} */ key) => number(key.usageCount) },
    { name: "expires", label: t("Expires"), cell: (/** @type {any} */ key) => html`<${Time} instant=${key.expiresAt} none=${t("never")} />` },
    { name: "actions", label: "", cell: (/** @type {any} */ key) => html`${mayMint ? html`<${Button} kind="quiet small" aria-label=${t("Roll {name}", { name: plain(key.name) })} onClick=${() => setRolling(key)}>${t("Roll")}<//>` : null}<${Button} kind="quiet danger small" aria-label=${t("Revoke {name}", { name: plain(key.name) })}
      onClick=${() => setRevoking(key)}>${t("Revoke")}<//>` },
  ];
  return html`<${PageHead} title=${t("API keys")} text=${t("Programs call the API with a key. Anyone who has a key may do what its scopes say, in your name.")}>
      ${mayMint ? html`<${Button} kind="primary" icon="plus" id="new-key" onClick=${open}>${t("New key")}<//>` : null}<//>
    <${Loading} from=${loaded}>${(/** @type {any} */ { keys, gone, scopes, plan }) => html`
      ${plan.mayMintKeys ? null : html`<p class="notice">${t("Your plan does not include new API keys.")}</p>`}
      <section class="card"><${Table} label=${t("API keys")} columns=${columns} rows=${keys} empty=${html`<${Empty} icon="key" title=${t("You have no key yet")}
        text=${t("A key lets a sensor, a spreadsheet or another program read and change your farms.")}>
        ${plan.mayMintKeys ? html`<${Button} kind="primary" onClick=${open}>${t("Create the first key")}<//>` : null}<//>`} /></section>
      ${gone.length ? html`<details class="more"><summary>${tn("{n} revoked key", "{n} revoked keys", gone.length)}</summary><section class="card"><${Revoked} keys=${gone} /></section></details>` : null}
      <p class="hint">${t("Times are in {zone}.", { zone: browserZone() })}</p>
      ${params.new && plan.mayMintKeys ? html`<${NewKey} scopes=${scopes} onClose=${() => goWith({ new: null })} onMade=${onMade} onUnknown=${loaded.reload} />` : null}`}<//>
    ${made && !params.new ? html`<${MadeKey} key=${made.id} made=${made} onClose=${keep} />` : null}
    ${rolling ? html`<${Roll} of=${rolling} onClose=${() => setRolling(null)} onMade=${onMade} onUnknown=${loaded.reload} />` : null}
    ${revoking ? html`<${Revoke} of=${revoking} onClose=${() => setRevoking(null)} onDone=${loaded.reload} />` : null}`;
}

/** @param {{of: any, onClose: () => void, onDone: () => void}} props */
function Revoke({ of, onClose, onDone }) {
  const close = useWhileThere(onClose);
  const revoke = useAction(async () => {
    try {
      await send("DELETE", `/api-keys/${encodeURIComponent(of.id)}`);
    } catch (/** @type {any} */ refusal) {
      if (refusal.status !== 404) throw refusal; // somebody else revoked it
    }
    close();
    onDone();
    say(t("{name} no longer works.", { name: plain(of.name) }));
  });
  return html`<${Confirm} title=${html`${t("Revoke this key?")} <${Said} text=${of.name} />`} act=${revoke} verb=${t("Revoke it")} onClose=${onClose}
    text=${html`${t("Programs that use it are refused at once. This cannot be undone.")} <code>${of.keyPreview}</code>`} />`;
}

/** The keys that no longer work: who ended them, and when. @param {{keys: any[]}} props */
const Revoked = ({ keys }) => html`<${Table} label=${t("Revoked keys")} rows=${keys} columns=${[
  { name: "name", label: t("Name"), cell: (/** @type {any} */ key) => html`<${Said} text=${key.name} /> <code class="muted">${key.keyPreview}</code>` },
  { name: "created", label: t("Created"), cell: (/** @type {any} */ key) => html`<${Time} instant=${key.createdAt} options=${{ dateStyle: "medium" }} />` },
  { name: "revoked", label: t("Revoked"), cell: (/** @type {any} */ key) => html`<${Time} instant=${key.revokedAt} />` },
  { name: "by", label: t("By"), cell: (/** @type {any} */ key) => (key.revokedFrom ? html`${t("you")} <span class="code muted">${plain(key.revokedFrom)}</span>` : t("an operator")) }]} />`;

/** Makes a key that may do the same, while the old one goes on. @param {{of: any, onClose: () => void, onMade: (key: any) => void, onUnknown: () => void}} props */
function Roll({ of, onClose, onMade, onUnknown }) {
  const close = useWhileThere(onClose);
  const roll = useAction(async () => {
    const { name, environment, scopes, allowedIps, rateLimit, metadata, expiresAt, createdAt } = of;
    const lasts = expiresAt === null ? null : Date.parse(expiresAt) - Date.parse(createdAt);
    const body = { name, environment, scopes, metadata, allowedIps: allowedIps ?? undefined, rateLimit: rateLimit ?? undefined, expiresAt: lasts === null ? undefined : new Date(Date.now() + lasts).toISOString() };
    const key = await makeKey(async () => (await send("POST", "/api-keys", { body })).json.data, onUnknown);
    close();
    onMade(key);
  });
  return html`<${Dialog} title=${html`${t("Roll this key?")} <${Said} text=${of.name} />`} onClose=${onClose}>
    <p>${t("You get a new key with the same name, scopes, networks and rate. The old one goes on working until you revoke it, so that your programs can change over one by one.")} <code>${of.keyPreview}</code></p>
    ${of.expiresAt ? html`<p class="hint">${t("The new key lasts as long as the old one was made for.")}</p>` : null}
    <${FormTrouble} error=${roll.error} />
    <div class="buttons"><${Button} kind="primary" data-first busy=${roll.busy} onClick=${() => roll.run(undefined)}>${t("Create the new key")}<//><${Button} onClick=${onClose}>${t("Cancel")}<//></div><//>`;
}

const DAY = 86_400_000;

/** @param {{scopes: string[], onClose: () => void, onMade: (key: any) => void, onUnknown: () => void}} props onUnknown: one may be made */
function NewKey({ scopes, onClose, onMade, onUnknown }) {
  const [entries, setEntries] = useDraft("key", () => ({ name: "", environment: "live", chosen: /** @type {string[]} */ ([]), expiry: "never", expiresAt: "", networks: "", rate: "" }));
  const { name, environment, chosen, expiry, networks, rate } = entries;
  const enter = (/** @type {Partial<typeof entries>} */ some) => setEntries((now) => ({ ...now, ...some }));
  const [faults, setFaults] = useState(/** @type {Record<string, string>} */ ({}));
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const mint = useAction((/** @type {any} */ body) => makeKey(async () => (await send("POST", "/api-keys", { body })).json.data, onUnknown));
  const leave = useWhileThere(() => goWith({ new: null }, { replace: true }));
  useFaultFocus(form, mint.error ?? faults.rateLimit);
  const told = meanings();

  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const exact = /** @type {HTMLInputElement | undefined} */ (form.current?.elements.namedItem("expiresAt"));
    // A half-filled date reads as empty: it must not make a key without an end.
    if (expiry === "date" && (!exact?.value || isUnfinished(exact))) {
      setFaults({ expiresAt: t("Finish the date and the time, or choose another end.") });
      exact?.focus();
      return;
    }
    const most = numeral(rate);
    if (!/^\d*$/.test(most)) {
      setFaults({ rateLimit: t("Write a whole number, without a comma or a point.") });
      return;
    }
    setFaults({});
    const expiresAt = expiry === "never" ? undefined : expiry === "date" ? new Date(/** @type {HTMLInputElement} */ (exact).value).toISOString()
      : new Date(Date.now() + Number(expiry) * DAY).toISOString();
    const allowedIps = networks.split(/[\s,]+/).filter(Boolean);
    const key = await mint.run({ name, environment, scopes: chosen, expiresAt, allowedIps: allowedIps.length ? allowedIps : undefined, rateLimit: most === "" ? undefined : Number(most) });
    if (!key) return;
    leave();
    onMade(key);
  };
  const toggle = (/** @type {string} */ scope) => enter({ chosen: chosen.includes(scope) ? chosen.filter((each) => each !== scope) : [...chosen, scope] });
  const scopesFault = faultOf(mint.error, "scopes");
  return html`<${Dialog} wide title=${t("New API key")} onClose=${onClose}><form class="stack" novalidate ref=${form} onSubmit=${submit}>
    <div class="form-grid">
      <${TextField} label=${t("Name")} name="name" need maxlength="100" autocomplete="off" hint=${t("What uses it, for you to tell keys apart.")} value=${name} onInput=${(/** @type {string} */ text) => enter({ name: text })}
        fault=${faultOf(mint.error, "name")} />
      <${SelectField} label=${t("Environment")} name="environment" need value=${environment} onInput=${(/** @type {string} */ value) => enter({ environment: value })} options=${[["live", t("Live")], ["test", t("Test")]]}
        hint=${t("A mark in the key itself; both reach the same farms.")} /></div>
    <fieldset aria-describedby=${scopesFault ? "scopes-fault" : undefined}><legend>${t("What it may do")}</legend>
      <div class="buttons">${scopePresets(scopes).map(([id, words, set]) => html`<${Button} kind="small" data-preset=${id}
        aria-pressed=${set.length === chosen.length && set.every((each) => chosen.includes(each)) ? "true" : "false"} onClick=${() => enter({ chosen: set })}>${words}<//>`)}</div>
      <div class="choices pairs">${scopes.map((scope) => html`<label class="check"><input type="checkbox" value=${scope} checked=${chosen.includes(scope)} onChange=${() => toggle(scope)}
        aria-invalid=${scopesFault ? "true" : undefined} /><span>${told[scope] ?? scope} <code class="muted">${scope}</code></span></label>`)}</div>
      ${scopesFault ? html`<p class="fault" id="scopes-fault">${scopesFault}</p>` : null}</fieldset>
    <div class="form-grid">
      <${SelectField} label=${t("Ends")} name="expiry" need value=${expiry} onInput=${(/** @type {string} */ value) => enter({ expiry: value })} options=${[["never", t("Never, until it is revoked")],
        ["30", tn("After {n} day", "After {n} days", 30)], ["90", tn("After {n} day", "After {n} days", 90)], ["365", t("After a year")], ["date", t("At a date and time")]]} />
      ${expiry === "date" ? html`<${TextField} label=${t("Ends at")} name="expiresAt" type="datetime-local" need value=${entries.expiresAt} onInput=${(/** @type {string} */ text) => { enter({ expiresAt: text }); setFaults({}); }}
        hint=${t("In {zone}.", { zone: browserZone() })} fault=${faults.expiresAt ?? faultOf(mint.error, "expiresAt")} />` : null}</div>
    <details class="more" open=${Boolean(networks || rate || faultOf(mint.error, "allowedIps") || faultOf(mint.error, "rateLimit") || faults.rateLimit)}><summary>${t("Networks and rate")}</summary><div class="form-grid">
      <${TextField} label=${t("Allowed networks")} name="allowedIps" placeholder="203.0.113.0/24" autocomplete="off" value=${networks} onInput=${(/** @type {string} */ text) => enter({ networks: text })}
        hint=${t("Addresses or CIDRs, separated by spaces. Empty: from anywhere.")} fault=${faultOf(mint.error, "allowedIps")} />
      <${TextField} label=${t("Requests an hour")} name="rateLimit" inputmode="numeric" value=${rate} onInput=${(/** @type {string} */ text) => enter({ rate: text })} hint=${t("At most, below what the plan allows.")}
        fault=${faults.rateLimit ?? faultOf(mint.error, "rateLimit")} /></div></details>
    <${FormTrouble} error=${mint.error} fields=${["name", "scopes", "expiresAt", "allowedIps", "rateLimit", "environment"]} />
    <div class="buttons"><${Button} type="submit" kind="primary" busy=${mint.busy}>${t("Create the key")}<//><${Button} onClick=${onClose}>${t("Cancel")}<//></div>
  </form><//>`;
}

/** @param {{made: any, onClose: () => void}} props */
const MadeKey = ({ made, onClose }) => html`<${Once} title=${t("Your new key")} label=${t("Key")} secret=${made.key} copied=${t("The key is copied.")} warning=${t("Once this is closed, the key cannot be shown again.")} onClose=${onClose}>
  <p><strong><${Said} text=${made.name} /></strong> · ${made.expiresAt ? t("ends {time}", { time: timeText(made.expiresAt) }) : t("without an end")}</p><//>`;
