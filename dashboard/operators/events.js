// Events: the history as a browser, by owner, type, time and position; one event with what belongs to it; and what comes now.

import { Refusal, get, query } from "../core/api.js";
import { Time, browserZone, fromLocalInput, number, plain, toLocalInput } from "../core/format.js";
import { t, tn } from "../core/i18n.js";
import { useLoad, useWhileThere } from "../core/load.js";
import { currentRoute, goWith, linkTo } from "../core/route.js";
import { Typed } from "../core/typed.js";
import { Badge, Button, Empty, Loading, PageHead, SelectField, Skeleton, Trouble, isUnfinished, say } from "../core/ui.js";
import { html, useEffect, useRef, useState } from "../core/view.js";
import { Json, Kind, Place, openEvent } from "./event-parts.js";
import { Backwards, chainOf, follow, readEnds, readOne } from "./history.js";

/** @typedef {import("./history.js").Happened} Happened */
/** @typedef {Record<string, string>} Params */

const PAGE = 50, MOST_LIVE = 500;
const TYPES = ["tilth.*.registered", "tilth.*.amended", "tilth.*.removed", "tilth.farm.*", "tilth.field.*", "tilth.crop.*", "tilth.block.*", "tilth.plant.*", "tilth.task.*", "tilth.recurring_task.*", "tilth.task_template.*", "tilth.irrigation.*",
  "tilth.fertigation.*", "tilth.soil_sample.*", "tilth.leaf_sample.*", "tilth.expense.*", "tilth.overhead.*", "tilth.sale.*", "tilth.price_report.*", "tilth.exchange_rate.*", "tilth.user.*", "tilth.api_key.*", "tilth.request.refused"];

const seconds = /** @type {const} */ ({ dateStyle: "medium", timeStyle: "medium" });

/** @param {Params} params @returns {import("./history.js").Filter} */
const filterOf = ({ owner, type, since, until, partition, has }) => ({ owner: owner || undefined, type: type || undefined, since: since || undefined, until: until || undefined, partition: partition ? Number(partition) : undefined, has: has || undefined });

/** An email stands for its owner. @param {string} text */
async function ownerOf(text) {
  if (!text.includes("@")) return text;
  const found = (await get(`/users${query({ email: text })}`)).data[0];
  if (!found) throw new Refusal(404, { message: t("No owner has that email.") });
  return found.id;
}

/** @param {{params: Params, partitions: number}} props */
function Filters({ params, partitions }) {
  const zone = browserZone();
  const set = (/** @type {Record<string, any>} */ changes) => goWith({ ...changes, more: null, event: null });
  const wanted = useRef("");
  const show = useWhileThere(set);
  const owner = async (/** @type {string} */ text) => {
    wanted.current = text.trim();
    try {
      const found = text.trim() ? await ownerOf(text.trim()) : null;
      if (wanted.current === text.trim()) show({ owner: found }); // else another one is looked for by now
    } catch (/** @type {any} */ refusal) {
      say(refusal.message);
    }
  };
  const instant = (/** @type {string} */ name, /** @type {string} */ label) => html`<${Typed} need label=${label} name=${name} type="datetime-local" value=${params[name] ? toLocalInput(params[name], zone) : ""}
    onChange=${(/** @type {any} */ { currentTarget }) => { if (!isUnfinished(currentTarget)) set({ [name]: currentTarget.value ? fromLocalInput(currentTarget.value, zone) : null }); }} />`;
  const text = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string} */ hint, /** @type {(text: string) => void} */ change) => html`<${Typed} need label=${label} name=${name} type="search" placeholder=${hint} value=${params[name] ?? ""}
    list=${name === "type" ? "event-types" : undefined} autocomplete="off" spellcheck="false" onChange=${(/** @type {any} */ { currentTarget }) => change(currentTarget.value)} />`;
  const any = ["owner", "type", "since", "until", "partition", "at", "has"].some((name) => params[name]);
  return html`<div class="body filters">
    ${text("owner", t("Owner"), t("email or user_…"), owner)}
    ${text("type", t("Type"), "tilth.task.*", (value) => set({ type: value.trim() || null }))}
    <datalist id="event-types">${TYPES.map((type) => html`<option value=${type}></option>`)}</datalist>
    ${instant("since", t("From"))}${instant("until", t("Before"))}
    ${partitions > 1 ? html`<${SelectField} need label=${t("Partition")} name="partition" value=${params.partition ?? ""} none=${t("All")} options=${Array.from({ length: partitions }, (_, at) => [String(at), String(at)])} onInput=${(/** @type {string} */ value) => set({ partition: value || null })} />` : null}
    <${Typed} need label=${t("Up to position")} name="at" type="number" min="0" inputmode="numeric" value=${params.at ?? ""} onChange=${(/** @type {any} */ { currentTarget }) => set({ at: currentTarget.value || null })} />
    ${text("has", t("Contains"), t("an id, or any text"), (value) => set({ has: value.trim() || null }))}
    ${any ? html`<${Button} kind="quiet" onClick=${() => set({ owner: null, type: null, since: null, until: null, partition: null, at: null, has: null })}>${t("Clear")}<//>` : null}</div>`;
}

/** @param {{event: Happened, link: boolean}} props */
const Owner = ({ event, link }) => (link && event.subject.startsWith("user_") ? html`<a class="code" href=${linkTo(["owners", event.subject])}>${plain(event.subject)}</a>` : html`<span class="code">${plain(event.subject)}</span>`);

/** @param {{events: Happened[], fresh: Set<string>, chosen: string | undefined}} props */
function List({ events, fresh, chosen }) {
  const key = (/** @type {Happened} */ event) => `${event.partition}-${event.offset}`;
  return html`<div class="table events" role="region" aria-label=${t("Events")} tabindex="0"><table role="table">
    <thead role="rowgroup"><tr role="row">${[t("Type"), t("Time"), t("Owner"), t("Version"), t("Position")].map((label, at) => html`<th role="columnheader" scope="col" class="${at > 2 ? "num" : ""} ${at === 2 || at === 3 ? "when-wide" : ""}">${label}</th>`)}</tr></thead>
    <tbody role="rowgroup">${events.map((event) => html`<tr role="row" key=${key(event)} class="${key(event) === chosen ? "chosen" : ""} ${fresh.has(event.id) ? "new" : ""}">
      <th role="rowheader" scope="row"><a href=${linkTo(["events"], { ...currentRoute().params, event: key(event) })} aria-current=${key(event) === chosen ? "true" : undefined}><${Kind} type=${event.type} /></a>${event.accepted ? null : html` <${Badge} tone="warn">${t("Does not count")}<//>`}</th>
      <td role="cell" data-label=${t("Time")}><${Time} instant=${event.time} options=${seconds} /></td>
      <td role="cell" class="when-wide" data-label=${t("Owner")}><${Owner} event=${event} link=${false} /></td>
      <td role="cell" data-label=${t("Version")} class="num when-wide">${number(event.streamversion)}</td>
      <td role="cell" data-label=${t("Position")} class="num"><${Place} event=${event} /></td></tr>`)}</tbody></table></div>`;
}

/** What the request did, as a tree of causes. @param {{event: Happened}} props */
function Chain({ event }) {
  const chain = useLoad((signal) => chainOf(event, signal), [event.id], event.id);
  return html`<${Loading} from=${chain} lines=${3}>${(/** @type {Happened[]} */ events) => {
    const byId = new Map(events.map((each) => [each.id, each]));
    /** @type {(each: Happened, seen?: number) => number} */
    const depth = (each, seen = 0) => { const cause = byId.get(each.causationid ?? ""); return cause && seen < 20 ? 1 + depth(cause, seen + 1) : 1; };
    return html`<ol class="chain"><li class="request"><span>${t("Request")} <span class="code">${plain(event.correlationid ?? "")}</span></span></li>
      ${events.map((each) => html`<li class=${each.id === event.id ? "this" : ""} style=${{ "--depth": depth(each) }}><span>${each.id === event.id ? html`<strong><${Kind} type=${each.type} /></strong>`
        : html`<a href=${linkTo(["events"], { ...currentRoute().params, event: `${each.partition}-${each.offset}` })}><${Kind} type=${each.type} /></a>`} <span class="muted num">${each.partition}/${number(each.offset)}</span></span></li>`)}</ol>`;
  }}<//>`;
}

/** The ids in what an event says: of the records that it is about. @param {any} data @returns {[string, string][]} */
const idsIn = (data) => Object.entries(data ?? {}).filter(([name, value]) => /Id$/.test(name) && typeof value === "string" && value !== "").map(([name, value]) => [name, /** @type {string} */ (value)]);

/** @param {{place: string}} props */
function Detail({ place }) {
  const [partition, offset] = place.split("-").map(Number);
  const heading = useRef(/** @type {HTMLElement | null} */ (null)), said = useRef(/** @type {HTMLElement | null} */ (null));
  const loaded = useLoad(async (signal) => {
    const [event, status] = await Promise.all([readOne(partition, offset, signal), get("/status", { signal })]);
    if (!event) throw new Refusal(404, { message: t("There is no event at this position.") });
    const read = status.data.projections.map((/** @type {any} */ each) => [each.name, (each.positions.find((/** @type {any} */ at) => at.partition === partition)?.offset ?? 0) > offset]);
    return { event, read };
  }, [place], place);
  useEffect(() => {
    if (loaded.value && !document.activeElement?.matches("input")) heading.current?.focus({ preventScroll: innerWidth > 1152 }); // who types a filter is not moved
  }, [loaded.value?.event.id]);
  const link = (/** @type {number} */ to) => linkTo(["events"], { ...currentRoute().params, event: `${partition}-${to}` });
  const copy = async (/** @type {Happened} */ event) => {
    try {
      await navigator.clipboard.writeText(JSON.stringify(event, null, 2));
      say(t("The event is copied."));
    } catch {
      const shown = said.current?.querySelector("pre");
      if (shown) getSelection()?.selectAllChildren(shown);
      say(t("Copy the selected text yourself."));
    }
  };
  return html`<section class="card detail" aria-label=${t("One event")}><header><h2 tabindex="-1" ref=${heading}>${loaded.value ? html`<${Kind} type=${loaded.value.event.type} />` : place.replace("-", "/")}</h2>
      <div class="push buttons">${offset > 0 ? html`<a class="button quiet small" href=${link(offset - 1)}>${t("Earlier")}</a>` : null}<a class="button quiet small" href=${link(offset + 1)}>${t("Later")}</a>
        <${Button} kind="quiet small" icon="close" aria-label=${t("Close")} onClick=${() => openEvent(null)} /></div></header>
    <div class="body"><${Loading} from=${loaded}>${(/** @type {{event: Happened, read: [string, boolean][]}} */ { event, read }) => html`
      ${event.accepted ? null : html`<p class="notice warn">${t("It does not count: its stream had moved on when it was stored.")}</p>`}
      <dl class="facts narrow"><div><dt>${t("Time")}</dt><dd class="small"><${Time} instant=${event.time} options=${seconds} /></dd></div>
        <div><dt>${t("Position")}</dt><dd class="small"><${Place} event=${event} /></dd></div>
        <div><dt>${t("Version of its stream")}</dt><dd class="small">${number(event.streamversion)}</dd></div>
        <div><dt>${t("Stream")}</dt><dd class="small"><${Owner} event=${event} link /></dd></div>
        <div><dt>${t("Who")}</dt><dd class="small"><span class="code">${plain(event.actor ?? "–")}</span></dd></div>
        <div><dt>${t("Node")}</dt><dd class="small"><span class="code">${plain(event.source)}</span></dd></div>
        <div class="whole"><dt>${t("Id")}</dt><dd class="small"><span class="code">${plain(event.id)}</span></dd></div></dl>
      <div ref=${said}><div class="row"><h3>${t("What it says")}</h3><${Button} kind="quiet small push" onClick=${() => copy(event)}>${t("Copy as JSON")}<//></div><${Json} label=${t("What the event says")} value=${event.data} /></div>
      <div><h3>${t("What it changed")}</h3><ul class="chain">${idsIn(event.data).map(([name, id]) => html`<li><span><span class="muted">${plain(name)}</span> <a href=${id.startsWith("user_") ? linkTo(["owners", id]) : linkTo(["events"], { owner: event.subject, has: id })}><span class="code">${plain(id)}</span></a></span></li>`)}
          ${event.subject.startsWith("user_") ? html`<li><span><a href=${linkTo(["events"], { owner: event.subject })}>${t("All events of this owner")}</a></span></li>` : null}</ul>
        <p class="row-tight small">${read.map(([name, known]) => html`<a href=${linkTo(["projections", name])}><${Badge} tone=${known ? "good" : "warn"}>${known ? t("{name} has read it", { name }) : t("{name} has not read it yet", { name })}<//></a>`)}</p></div>
      <div><h3>${t("What it came of")}</h3><${Chain} event=${event} /></div>`}<//></div></section>`;
}

/** What comes after the ends of the log, the newest first, while `on`; it goes on where it was when the connection is back. @param {import("./history.js").Filter} filter @param {{partition: number, end: number}[] | undefined} ends @param {boolean} on */
function useFollow(filter, ends, on) {
  const [events, setEvents] = useState(/** @type {Happened[]} */ ([]));
  const [error, setError] = useState(/** @type {Refusal | null} */ (null));
  const [attempt, setAttempt] = useState(0);
  const next = useRef(/** @type {Map<number, number>} */ (new Map()));
  const key = JSON.stringify(filter);
  useEffect(() => {
    setEvents([]);
    next.current = new Map((ends ?? []).map(({ partition, end }) => [partition, end]));
  }, [key, on, ends]);
  useEffect(() => {
    if (!on || !ends) return undefined;
    const stop = new AbortController();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    setError(null);
    follow(filter, next.current, MOST_LIVE, (come) => setEvents((known) => [...come, ...known]), stop.signal).catch((refusal) => {
      setError(refusal);
      timer = setTimeout(() => setAttempt((count) => count + 1), 3_000);
    });
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [key, on, ends, attempt]);
  return { events, error, retry: () => setAttempt((count) => count + 1) };
}

/** @param {{params: Params}} props */
export default function Events({ params }) {
  const live = params.live === "1", filter = filterOf(params), key = JSON.stringify([filter, params.at]);
  const ends = useLoad(readEnds, [key, live], key);
  const wanted = Math.max(PAGE, Number(params.more) || 0);
  const reading = useRef(/** @type {{key: string, from: any, reader: Backwards, events: Happened[]} | null} */ (null));
  const found = useLoad(async (signal) => {
    if (!ends.value) return { events: /** @type {Happened[]} */ ([]), over: false, read: 0 };
    if (reading.current?.key !== key || reading.current.from !== ends.value) {
      const at = params.at ? Number(params.at) + 1 : Infinity;
      reading.current = { key, from: ends.value, reader: new Backwards(filter, ends.value.map((each) => ({ ...each, end: Math.min(each.end, at) }))), events: [] };
    }
    const now = reading.current;
    if (now.events.length < wanted) {
      const more = await now.reader.take(wanted - now.events.length, signal);
      now.events = [...now.events, ...more];
    }
    return { events: now.events, over: now.reader.over, read: now.reader.read };
  }, [ends.value, wanted, params.again], key);
  const come = useFollow({ ...filter, since: undefined, until: undefined }, ends.value, live);
  // Without gaps, no more than so many can be added to the list: it is read again from the end.
  const isFull = come.events.length > MOST_LIVE;
  useEffect(() => { if (isFull) ends.reload(); }, [isFull]);
  const known = new Set(come.events.map((event) => event.id));
  const partitions = ends.value?.length ?? 1;
  return html`<${PageHead} title=${t("Events")} text=${t("Everything that ever happened, newest first. Nothing here can be changed.")}>
      ${live ? html`<span class="live ${come.error ? "cut" : ""}" role="status">${come.error ? t("Interrupted") : t("Live")}</span>` : null}<${Button} onClick=${() => goWith({ live: live ? null : 1 })} aria-pressed=${live ? "true" : "false"}>${live ? t("Stop") : t("Follow live")}<//><//>
    <div class="browser ${params.event ? "open" : ""}"><section class="card"><${Filters} params=${params} partitions=${partitions} />
      ${live && come.error ? html`<div class="body"><${Trouble} error=${come.error} retry=${come.retry} /></div>` : null}
      ${ends.error ? html`<div class="body"><${Trouble} error=${ends.error} retry=${ends.reload} /></div>` : !ends.value ? html`<${Skeleton} />` : html`<${Loading} from=${found} lines=${10}>${(/** @type {{events: Happened[], over: boolean, read: number}} */ { events, over, read }) => {
        const all = [...come.events, ...events.filter((event) => !known.has(event.id))];
        return html`${all.length ? html`<${List} events=${all} fresh=${known} chosen=${params.event} />` : over ? html`<${Empty} icon="history" title=${live ? t("Nothing has happened yet that fits.") : t("No event fits.")} text=${t("Fewer conditions find more.")} />` : null}
          <div class="pager"><span>${tn("{n} event", "{n} events", all.length)}${over ? html` · ${t("from the beginning of the log on")}` : html` · ${tn("{n} looked through", "{n} looked through", read)}`}</span>
            ${over || found.loading ? null : html`<span class="buttons push"><${Button} kind="small" onClick=${() => goWith(events.length >= wanted ? { more: wanted + PAGE * 2 } : { again: (Number(params.again) || 0) + 1 }, { replace: true })}>${events.length >= wanted ? t("Show earlier ones") : t("Look further back")}<//></span>`}</div>`;
      }}<//>`}</section>
    ${params.event && /^\d+-\d+$/.test(params.event) ? html`<${Detail} place=${params.event} />` : null}</div>`;
}
