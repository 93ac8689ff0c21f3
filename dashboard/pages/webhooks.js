// Webhooks: addresses to which the owner's events are sent; what arrived there, and sending it again.

import { get, query, send } from "../core/api.js";
import { useDraft } from "../core/drafts.js";
import { Said, Time, browserZone, fromLocalInput, number, plain } from "../core/format.js";
import { t, tn } from "../core/i18n.js";
import { Live, useLive } from "../core/live.js";
import { CarriedOut, useAction, useChanges, useLoad, useWhileThere } from "../core/load.js";
import { Once, useUnkept } from "../core/once.js";
import { go, goWith, linkTo } from "../core/route.js";
import { Badge, Button, Confirm, Dialog, Empty, FormTrouble, Loading, PageHead, Pager, SelectField, Status, Table, TextField, faultOf, isUnfinished, say, useFaultFocus } from "../core/ui.js";
import { html, useRef, useState } from "../core/view.js";

/** @typedef {{id: string, url: string, description: string | null, types: string[], isActive: boolean, disabledReason: string | null, lastSuccessAt: string | null, lastFailureAt: string | null, createdAt: string, secret?: string}} Webhook */
/** @typedef {Record<string, string>} Params */

const SECONDS = 3;
const PRESETS = /** @type {() => [string, string, string[]][]} */ (() => [["all", t("Everything"), ["*"]], ["tasks", t("Tasks"), ["tilth.task.*", "tilth.recurring_task.*"]], ["land", t("Land and crops"), ["tilth.farm.*", "tilth.field.*", "tilth.block.*", "tilth.plant.*", "tilth.crop.*"]],
  ["money", t("Money"), ["tilth.expense.*", "tilth.overhead.*", "tilth.sale.*"]]]);

const list = (/** @type {string} */ text) => text.split(/[\s,]+/).filter(Boolean);
const pathOf = (/** @type {string} */ id, rest = "") => `/webhooks/${encodeURIComponent(id)}${rest}`;

/** @param {{of: Webhook}} props */
const State = ({ of }) => (of.isActive ? html`<${Badge} tone="good">${t("Active")}<//>` : of.disabledReason ? html`<${Badge} tone="bad">${t("Turned off by itself")}<//>` : html`<${Badge}>${t("Off")}<//>`);

/** @param {{types: string[]}} props */
function Types({ types }) {
  if (types.length === 1 && types[0] === "*") return t("Everything");
  return html`<span title=${types.join(", ")}>${types.slice(0, 2).map((type, at) => html`${at ? ", " : ""}<code>${plain(type)}</code>`)}${types.length > 2 ? ` ${t("and {n} more", { n: types.length - 2 })}` : ""}</span>`;
}

/** A webhook's form: of a new one, or of `of`. @param {{of?: Webhook, onClose: () => void, onDone: (made: Webhook) => void}} props */
function Form({ of, onClose, onDone }) {
  const [{ url, description, types }, setEntries] = useDraft(`webhook ${of?.id ?? "new"}`, () => ({ url: of?.url ?? "", description: of?.description ?? "", types: (of?.types ?? ["*"]).join(" ") }));
  const enter = (/** @type {string} */ name) => (/** @type {string} */ text) => setEntries((now) => ({ ...now, [name]: text }));
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const change = useChanges(), leave = useWhileThere(() => goWith({ new: null, edit: null }, { replace: true }));
  const save = useAction(async () => {
    try {
      return (await change(of ? "PUT" : "POST", of ? pathOf(of.id) : "/webhooks", { body: { url: url.trim(), description: description.trim() || null, types: list(types) } })).json.data;
    } catch (refusal) {
      if (refusal instanceof CarriedOut && !of) onDone(refusal.answer.json.data); // its secret is shown once this is closed
      throw refusal;
    }
  });
  useFaultFocus(form, save.error);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const made = await save.run(undefined);
    if (!made) return;
    leave();
    onDone(made);
  };
  return html`<${Dialog} title=${of ? t("Change the webhook") : t("New webhook")} onClose=${onClose}><form class="stack" novalidate ref=${form} onSubmit=${submit}>
    <${TextField} need label=${t("Address")} name="url" type="url" inputmode="url" placeholder="https://" autocomplete="off" spellcheck="false" value=${url} onInput=${enter("url")} hint=${t("An https address that your program listens at. Each event is sent there as a signed POST.")} fault=${faultOf(save.error, "url")} />
    <${TextField} label=${t("Description")} name="description" maxlength="200" value=${description} onInput=${enter("description")} fault=${faultOf(save.error, "description")} />
    <div class="stack-small"><${TextField} need label=${t("Events")} name="types" autocomplete="off" spellcheck="false" value=${types} onInput=${enter("types")} hint=${t("Types, separated by spaces or commas; * stands for any letters.")} fault=${faultOf(save.error, "types")} />
      <div class="buttons">${PRESETS().map(([id, words, set]) => html`<${Button} kind="small" data-preset=${id} aria-pressed=${set.join(" ") === list(types).join(" ") ? "true" : "false"} onClick=${() => enter("types")(set.join(" "))}>${words}<//>`)}</div></div>
    <${FormTrouble} error=${save.error} fields=${["url", "description", "types"]} />
    <div class="buttons"><${Button} type="submit" kind="primary" busy=${save.busy}>${of ? t("Save") : t("Create the webhook")}<//><${Button} onClick=${onClose}>${t("Cancel")}<//></div></form><//>`;
}

/** @param {{made: Webhook, onClose: () => void}} props */
const Secret = ({ made, onClose }) => html`<${Once} title=${t("The secret of this webhook")} label=${t("Secret")} secret=${made.secret ?? ""} copied=${t("The secret is copied.")} warning=${t("Once this is closed, the secret cannot be shown again. A new one can be made.")} onClose=${onClose}>
  <p><span class="wrap"><${Said} text=${made.url} /></span></p><p>${t("Your program verifies with it that a delivery comes from here, as Standard Webhooks says.")}</p><//>`;

/** What the receiver answered. @param {{tested: {status: number | null, milliseconds: number, error?: string | null, body: string | null}}} props */
function Tested({ tested: { status, milliseconds, error, body } }) {
  const fine = status !== null && status >= 200 && status < 300;
  return html`<section class="card" role="status"><header><h2>${t("The test")}</h2><${Badge} tone=${fine ? "good" : "bad"}>${status ?? t("No answer")}<//><span class="muted small push">${t("{n} ms", { n: number(milliseconds) })}</span></header>
    <div class="body stack"><p>${fine ? t("The receiver took it.") : html`<${Said} text=${error ?? t("Only an answer from 200 to 299 counts as received.")} />`}</p>${body ? html`<pre class="sample" tabindex="0" aria-label=${t("What it answered")}><${Said} text=${body} /></pre>` : null}</div></section>`;
}

/** Sends past events again. @param {{of: Webhook, onClose: () => void}} props */
function Replay({ of, onClose }) {
  const zone = browserZone();
  const [since, setSince] = useState(""), [until, setUntil] = useState(""), [types, setTypes] = useState("");
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const close = useWhileThere(onClose);
  const replay = useAction(async () => {
    await send("POST", pathOf(of.id, "/replay"), { body: { since: since ? fromLocalInput(since, zone) : undefined, until: until ? fromLocalInput(until, zone) : undefined, types: list(types).length ? list(types) : undefined } });
    say(t("The events are being sent again."));
    close();
  });
  useFaultFocus(form, replay.error);
  const [half, setHalf] = useState(/** @type {Record<string, boolean>} */ ({}));
  const moment = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string} */ value, /** @type {(value: string) => void} */ set) => html`<${TextField} need=${name === "since"} label=${label} name=${name} type="datetime-local" value=${value}
    onInput=${(/** @type {string} */ text) => { set(text); setHalf({}); }} fault=${half[name] ? t("Finish the date and the time.") : faultOf(replay.error, name)} />`;
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    // A half-filled date reads as empty: it must not send everything again.
    const unfinished = ["since", "until"].filter((name) => isUnfinished(/** @type {HTMLInputElement | null | undefined} */ (form.current?.elements.namedItem(name))));
    setHalf(Object.fromEntries(unfinished.map((name) => [name, true])));
    if (unfinished.length === 0) replay.run(undefined);
  };
  return html`<${Dialog} title=${t("Send past events again")} onClose=${onClose}><form class="stack" novalidate ref=${form} onSubmit=${submit}>
    <p>${t("Also events that have arrived are sent again, with the same id each.")}</p>
    <div class="form-grid">${moment("since", t("From"), since, setSince)}${moment("until", t("Before"), until, setUntil)}</div>
    <${TextField} label=${t("Events")} name="types" placeholder="tilth.task.*" autocomplete="off" spellcheck="false" value=${types} onInput=${setTypes} hint=${t("Empty: all that this webhook gets.")} fault=${faultOf(replay.error, "types")} />
    <p class="hint">${t("Times are in {zone}.", { zone })}</p><${FormTrouble} error=${replay.error} fields=${["since", "until", "types"]} />
    <div class="buttons"><${Button} type="submit" kind="primary" busy=${replay.busy}>${t("Send them again")}<//><${Button} onClick=${onClose}>${t("Cancel")}<//></div></form><//>`;
}

/** @param {{of: Webhook, params: Params, again: number}} props */
function Deliveries({ of, params, again }) {
  const { status = "", page } = params;
  const found = useLive((signal) => get(pathOf(of.id, `/deliveries${query({ status, page, limit: 20 })}`), { signal }), [of.id, status, page, again], SECONDS, `${of.id} ${status} ${page}`);
  const resend = useAction(async (/** @type {string} */ id) => {
    await send("POST", pathOf(of.id, `/deliveries/${encodeURIComponent(id)}/resend`), { body: {} });
    say(t("It is being sent again."));
    found.reload();
  });
  return html`<section class="card"><header><h2>${t("Deliveries")}</h2><div class="push"><${SelectField} need label=${t("Status")} name="status" value=${status} none=${t("All")} options=${[["pending", t("Pending")], ["delivered", t("Delivered")], ["failed", t("Failed")]]} onInput=${(/** @type {string} */ value) => goWith({ status: value || null, page: null })} /></div></header>
    ${resend.error ? html`<div class="body"><${FormTrouble} error=${resend.error} /></div>` : null}
    <${Live} from=${found} lines=${6}>${(/** @type {any} */ { data, pagination }) => html`<${Table} label=${t("Deliveries")} rows=${data} empty=${html`<${Empty} icon="webhook" title=${status ? t("None has this status") : t("Nothing has been sent yet")} text=${status ? null : t("Events that happen from now on are sent within moments. A test shows whether they would arrive.")} />`} columns=${[
      { name: "type", label: t("Event"), cell: (/** @type {any} */ row) => html`<span class="code wrap">${plain(row.type)}</span><div class="muted tiny code wrap">${plain(row.eventId)}</div>` },
      { name: "status", label: t("Status"), cell: (/** @type {any} */ row) => html`<${Status} value=${row.status} />` },
      { name: "answer", label: t("Answer"), cell: (/** @type {any} */ row) => (row.error ? html`<${Said} text=${row.error} />` : row.httpStatus ?? "–") },
      { name: "attempt", label: t("Attempts"), num: true, cell: (/** @type {any} */ row) => number(row.attempt) },
      { name: "took", label: t("Took"), num: true, cell: (/** @type {any} */ row) => (row.durationMs === null ? "–" : t("{n} ms", { n: number(row.durationMs) })) },
      { name: "at", label: t("Last attempt"), cell: (/** @type {any} */ row) => html`<${Time} instant=${row.at} options=${{ dateStyle: "medium", timeStyle: "medium" }} />` },
      { name: "next", label: t("Next attempt"), cell: (/** @type {any} */ row) => html`<${Time} instant=${row.nextAttemptAt} />` },
      { name: "actions", label: "", cell: (/** @type {any} */ row) => html`<${Button} kind="quiet small" busy=${resend.busy} aria-label=${t("Send again: {type}", { type: plain(row.type) })} onClick=${() => resend.run(row.id)}>${t("Send again")}<//>` }]} />
      ${pagination.total ? html`<${Pager} label=${t("Pages of {kind}", { kind: t("Deliveries") })} pagination=${pagination} onPage=${(/** @type {number} */ next) => goWith({ page: next })} />` : null}`}<//></section>`;
}

/** @param {{id: string, params: Params}} props */
function One({ id, params }) {
  const loaded = useLoad(async (signal) => /** @type {Webhook} */ ((await get(pathOf(id), { signal })).data), [id], id);
  const [asks, setAsks] = useState("");
  const [again, setAgain] = useState(0);
  const { made, add, keep } = useUnkept(`secret of ${id}`, () => {});
  const [tested, setTested] = useState(/** @type {any} */ (null));
  const of = loaded.value;
  const done = () => setAsks(""), leave = useWhileThere(() => go(linkTo(["webhooks"])));
  const test = useAction(async () => {
    setTested(null);
    setTested((await send("POST", pathOf(id, "/test"), { body: {} })).json.data);
  });
  const turn = useAction(async (/** @type {boolean} */ isActive) => {
    await send("PUT", pathOf(id), { body: { isActive } });
    loaded.reload();
  });
  const remove = useAction(async () => {
    await send("DELETE", pathOf(id)).catch((refusal) => { if (refusal.status !== 404) throw refusal; }); // it is gone
    leave();
  });
  const rotate = useAction(async () => {
    add((await send("POST", pathOf(id, "/rotate"), { body: {} })).json.data);
    setAsks((now) => (now === "rotate" ? "" : now)); // it may ask something else by now
  });
  const facts = of ? [[t("Events"), html`<${Types} types=${of.types} />`], [t("Last success"), html`<${Time} instant=${of.lastSuccessAt} none=${t("never")} />`], [t("Last failure"), html`<${Time} instant=${of.lastFailureAt} none=${t("never")} />`], [t("Created"), html`<${Time} instant=${of.createdAt} />`]] : [];
  return html`<${PageHead} title=${of?.url ?? ""} crumbs=${[[t("Webhooks"), linkTo(["webhooks"])], [of ? html`<${Said} text=${of.description ?? of.url} />` : "…", undefined]]}>
      ${of ? html`<${Button} kind="primary" busy=${test.busy} onClick=${() => test.run(undefined)}>${t("Send a test")}<//><${Button} onClick=${() => goWith({ edit: 1 })}>${t("Change")}<//><${Button} onClick=${() => goWith({ replay: 1 })}>${t("Send past events again")}<//>
        <${Button} onClick=${() => setAsks("rotate")}>${t("New secret")}<//>${of.isActive ? html`<${Button} kind="quiet" busy=${turn.busy} onClick=${() => turn.run(false)}>${t("Turn off")}<//>` : html`<${Button} busy=${turn.busy} onClick=${() => turn.run(true)}>${t("Turn on")}<//>`}
        <${Button} kind="quiet danger" onClick=${() => setAsks("remove")}>${t("Remove")}<//>` : null}<//>
    <${Loading} from=${loaded}>${(/** @type {Webhook} */ known) => html`
      ${known.disabledReason && !known.isActive ? html`<p class="notice bad"><bdi>${t("It was turned off by itself: {reason}", { reason: plain(known.disabledReason) })}</bdi></p>` : null}
      ${test.error ?? turn.error ? html`<${FormTrouble} error=${test.error ?? turn.error} />` : null}
      ${tested ? html`<${Tested} tested=${tested} />` : null}
      <section class="card padded"><dl class="facts"><div><dt>${t("State")}</dt><dd><${State} of=${known} /></dd></div>${facts.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl></section>
      <${Deliveries} of=${known} params=${params} again=${again} />
      ${params.edit ? html`<${Form} of=${known} onClose=${() => goWith({ edit: null })} onDone=${loaded.reload} />` : null}
      ${params.replay ? html`<${Replay} of=${known} onClose=${() => { goWith({ replay: null }, { replace: true }); setAgain(again + 1); }} />` : null}
      ${asks === "rotate" ? html`<${Confirm} title=${t("Make a new secret?")} verb=${t("Make it")} text=${t("For 24 hours deliveries are signed with both, so that your program can change over.")} act=${{ ...rotate, run: () => rotate.run(undefined) }} onClose=${done} />` : null}
      ${asks === "remove" ? html`<${Confirm} title=${t("Remove this webhook?")} verb=${t("Remove")} text=${t("Nothing is sent there any more, and its deliveries are forgotten.")} act=${{ ...remove, run: () => remove.run(undefined) }} onClose=${done} />` : null}
      ${made ? html`<${Secret} made=${made} onClose=${keep} />` : null}`}<//>`;
}

/** @param {{user: {id: string}, params: Params}} props */
function All({ user, params }) {
  const loaded = useLoad((signal) => get("/webhooks?limit=100", { signal }), []);
  const { made, add, keep } = useUnkept(`webhooks of ${user.id}`, loaded.reload);
  const open = () => goWith({ new: 1 });
  return html`<${PageHead} title=${t("Webhooks")} text=${t("Your events, sent to your programs as they happen: signed, repeated until they arrive, and kept in a list.")}><${Button} kind="primary" icon="plus" id="new-webhook" onClick=${open}>${t("New webhook")}<//><//>
    <${Loading} from=${loaded}>${(/** @type {{data: Webhook[]}} */ { data }) => html`<section class="card"><${Table} label=${t("Webhooks")} rows=${data} empty=${html`<${Empty} icon="webhook" title=${t("You have no webhook yet")} text=${t("A webhook tells another program at once what happened: a task that is done, a harvest, a sale.")}><${Button} kind="primary" onClick=${open}>${t("Create the first webhook")}<//><//>`} columns=${[
      { name: "url", label: t("Address"), cell: (/** @type {Webhook} */ row) => html`<a class="wrap" href=${linkTo(["webhooks", row.id])}><${Said} text=${row.url} /></a>${row.description ? html`<div class="muted small weight"><${Said} text=${row.description} /></div>` : null}` },
      { name: "state", label: t("State"), cell: (/** @type {Webhook} */ row) => html`<${State} of=${row} />` },
      { name: "types", label: t("Events"), cell: (/** @type {Webhook} */ row) => html`<${Types} types=${row.types} />` },
      { name: "success", label: t("Last success"), cell: (/** @type {Webhook} */ row) => html`<${Time} instant=${row.lastSuccessAt} none=${t("never")} />` },
      { name: "failure", label: t("Last failure"), cell: (/** @type {Webhook} */ row) => html`<${Time} instant=${row.lastFailureAt} none=${t("never")} />` }]} /></section>
      <p class="hint">${tn("{n} of 20", "{n} of 20", data.length)} · ${t("Times are in {zone}.", { zone: browserZone() })}</p>`}<//>
    ${params.new ? html`<${Form} onClose=${() => goWith({ new: null })} onDone=${add} />` : null}
    ${made && !params.new ? html`<${Secret} key=${made.id} made=${made} onClose=${() => { keep(); go(linkTo(["webhooks", made.id])); }} />` : null}`;
}

/** @param {{path: string[], params: Params, user: {id: string}}} props */
export default function Webhooks({ path: [id], params, user }) {
  return id ? html`<${One} key=${id} id=${id} params=${params} />` : html`<${All} user=${user} params=${params} />`;
}
