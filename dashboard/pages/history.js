// History: everything that happened, by record and type, and the slider to an earlier time.

import { get, query } from "../core/api.js";
import { Said, Time, browserZone, dateText, dayOf, number, plain, timeText, word } from "../core/format.js";
import { t, tn } from "../core/i18n.js";
import { useAction, useLoad } from "../core/load.js";
import { resources } from "../core/resources.js";
import { goWith, linkTo } from "../core/route.js";
import { BackToNow, Button, Empty, Loading, PageHead, SelectField } from "../core/ui.js";
import { html, useEffect, useRef, useState } from "../core/view.js";
import { allFarms, zoneOf } from "./task-actions.js";

const DAY = 86_400_000, HOUR = 3_600_000, MINUTE = 60_000, SECOND = 1_000, PAGE = 10_000, MOST_PAGES = 10, SHOWN = 300, FEW = 3, LONGEST_DAYS = 3_650;
const KINDS = ["farm", "field", "crop", "block", "plant", "task", "recurring_task", "task_template", "irrigation", "fertigation", "soil_sample", "leaf_sample", "expense", "overhead", "sale", "price_report", "user_crop"];

/** @typedef {{position: string, type: string, time: string, actor: string, data: any, kind: string, verb: string, id: string | null, name: string | null, farmId: string | null}} Happening */

/** The id that an event is about, by its type. @param {string} kind @param {any} data */
const idOf = (kind, data) => data[`${kind.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()).replace(/^taskTemplate$/, "template")}Id`] ?? null;

/** @param {any} data */
const nameIn = (data) => data.name ?? data.title ?? data.label ?? data.cropType ?? data.cropName ?? null;

/** Of each record its latest name and its farm. @typedef {{names: Map<string, string>, farms: Map<string, string>}} Known */

/** Events from JSON lines, oldest first, each with the name and the farm of its record as far as these and earlier events tell. @param {string[]} lines @param {Known} [known] @returns {Happening[]} */
export function readHappenings(lines, { names, farms } = { names: new Map(), farms: new Map() }) {
  return lines.map((line) => {
    const event = JSON.parse(line);
    const [, kind, verb] = event.type.split(".");
    const id = idOf(kind, event.data);
    const name = nameIn(event.data) ?? names.get(id) ?? null;
    const farmId = event.data.farmId ?? farms.get(id) ?? null;
    if (id && name) names.set(id, name);
    if (id && farmId) farms.set(id, farmId);
    return { ...event, kind, verb, id, name, farmId };
  }).filter(({ kind }) => KINDS.includes(kind));
}

const HIDDEN = /(Id|At)$|^(boundaries|geometry|metadata|customizations|adminCrop|name|title|label)$/;

// Members whose values are words of the API.
const WORDS = new Set(["status", "priority", "category", "pattern", "unit", "volumeUnit", "areaUnit", "yieldUnit", "period", "tissue", "method", "texture", "farmType", "primaryUse", "source"]);

const RESOURCES = new Map([["recurring_task", "recurring"], ["task_template", "template"], ["soil_sample", "soilSample"], ["leaf_sample", "leafSample"], ["price_report", "price"], ["user_crop", "userCrop"]]);

/** The members of a kind, as its form has them. @param {string} kind @returns {Map<string, import("../core/resources.js").Member>} */
const membersOf = (kind) => new Map((/** @type {Record<string, import("../core/resources.js").Resource>} */ (resources())[RESOURCES.get(kind) ?? kind]?.members ?? []).map((member) => [member.name, member]));

/** A member's value as people read it. @param {string} name @param {any} value @param {string} zone @param {import("../core/resources.js").Member | undefined} member */
function valueText(name, value, zone, member) {
  if (typeof value === "number" || (member?.type === "number" && Number.isFinite(Number(value)))) return `${number(value, 8)} ${member?.unit?.({}) ?? ""}`.trim();
  if (typeof value === "boolean") return value ? t("Yes") : t("No");
  if (WORDS.has(name) && /^[a-z0-9_]+$/.test(value)) return word(value);
  // A note may look like a date and be none, such as 2026-13-45.
  const isTime = !Number.isNaN(Date.parse(value));
  if (isTime && /^\d{4}-\d\d-\d\d$/.test(value)) return dateText(value);
  if (isTime && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return timeText(value, zone);
  const said = plain(value);
  return said.length > 80 ? `${said.slice(0, 80)}…` : said;
}

/** What an event says of its record, in short. @param {{happening: Happening, zone: string}} props */
function Change({ happening: { kind, verb, data, name: own }, zone }) {
  if (verb === "removed") return null;
  const told = Object.entries(data).filter(([name, value]) => !HIDDEN.test(name) && value !== null && typeof value !== "object" && (verb === "amended" || value !== own)).slice(0, verb === "amended" ? 6 : 3);
  const drawn = ["boundaries", "geometry"].some((name) => data[name]);
  if (told.length === 0 && !drawn) return null;
  const members = membersOf(kind), spaced = (/** @type {string} */ name) => members.get(name)?.label ?? word(name.replace(/([A-Z])/g, "_$1").toLowerCase());
  return html`<span class="muted"> – ${told.map(([name, value], at) => html`${at ? t(", ") : ""}${spaced(name)}: <bdi>${valueText(name, value, zone, members.get(name))}</bdi>`)}${drawn ? `${told.length ? t(", ") : ""}${t("boundary drawn")}` : ""}</span>`;
}

/** The same done to many records in a row. @param {{run: Happening[], zone: string}} props */
function Run({ run, zone }) {
  const [last, first] = [run[0], run[run.length - 1]];
  const said = word(`${last.kind}_${last.verb}`);
  const time = html`<${Time} instant=${last.time} zone=${zone} options=${{ hour: "2-digit", minute: "2-digit" }} />`;
  if (run.length <= FEW) {
    return run.map((happening) => html`<li key=${happening.position} class=${happening.verb}><${Time} instant=${happening.time} zone=${zone} options=${{ hour: "2-digit", minute: "2-digit" }} />
      <span class="said">${said}${happening.name ? html`: <strong><${Said} text=${happening.name} /></strong>` : null}<${Change} happening=${happening} zone=${zone} /></span></li>`);
  }
  return html`<li key=${last.position} class=${last.verb}>${time}<details class="said"><summary>${said} <strong>× ${number(run.length)}</strong>
      ${first.name && last.name ? html`<span class="muted"> <${Said} text=${first.name} /> … <${Said} text=${last.name} /></span>` : null}</summary>
    <ul>${run.map((happening) => html`<li key=${happening.position}><span class="said"><${Said} text=${happening.name} /><${Change} happening=${happening} zone=${zone} /></span></li>`)}</ul></details></li>`;
}

/** Happenings, newest first, under the days of the zone. @param {{happenings: Happening[], zone: string}} props */
export function Timeline({ happenings, zone }) {
  const [shown, setShown] = useState(SHOWN);
  const newest = happenings.slice(-shown).reverse();
  /** @type {[string, Happening[][]][]} */
  const days = [];
  for (const happening of newest) {
    const day = dayOf(happening.time, zone);
    if (days.at(-1)?.[0] !== day) days.push([day, []]);
    const runs = days[days.length - 1][1], run = runs.at(-1);
    if (run?.[0].type === happening.type) run.push(happening);
    else runs.push([happening]);
  }
  return html`<div class="timeline">${days.map(([day, all]) => html`<section key=${day}><h3>${timeText(`${day}T12:00:00Z`, "UTC", { weekday: "long", day: "numeric", month: "long", year: "numeric" })}</h3>
      <ol>${all.map((run) => html`<${Run} run=${run} zone=${zone} />`)}</ol></section>`)}
    ${happenings.length > shown ? html`<${Button} kind="small" onClick=${() => setShown(shown * 2)}>${t("Show earlier ones")}<//>` : null}</div>`;
}

/** The first instant that is not shown as of a time: that time itself is. As `since` it begins after what was shown, as `until` it ends with it. @param {string} asOf */
export const afterShown = (asOf) => new Date(Date.parse(asOf) + 1).toISOString();

/** Whether something else follows, so that a hundred plants in a row are one step. @param {Happening} event @param {number} at @param {Happening[]} all */
const endsRun = ({ type, time, id }, at, all) => all[at + 1]?.type !== type || all[at + 1]?.id === id || Date.parse(all[at + 1].time) - Date.parse(time) > MINUTE;

/** @param {Happening[]} changes */
const timesOf = (changes) => [...new Set(changes.map(({ time }) => time))];

/**
 * The changes next to a time, before it or after it: two, unless there are no more up to `end`. For a history that is too long to be read as a whole.
 * @param {(event: Happening) => boolean} isOurs @param {-1 | 1} direction @param {number} at @param {number} end
 */
async function changesNear(isOurs, direction, at, end) {
  const { signal } = new AbortController();
  /** @type {Happening[]} */
  let events = [];
  for (let edge = at, width = HOUR; (end - edge) * direction > 0 && timesOf(events.filter(endsRun)).length < 2;) {
    const next = direction < 0 ? Math.max(edge - width, end) : Math.min(edge + width, end);
    const [since, until] = [edge, next].sort((a, b) => a - b).map((instant) => new Date(instant).toISOString());
    const { happenings, isWhole } = await loadHappenings(signal, since, until);
    if (!isWhole && width > SECOND) {
      width /= 8; // what is missing is the end of this time
      continue;
    }
    const ours = happenings.filter(isOurs);
    events = direction < 0 ? [...ours, ...events] : [...events, ...ours];
    edge = next;
    width *= 8; // where little happens, look through more at once
  }
  return events.filter(endsRun);
}

/** A slider from the beginning to now, at whose end is the present, and steps from one change of the farm, or of all farms, to the next. Once
 * the changes are known, each has a place of its own on the slider, however close together they were made: in between, nothing differs. Of a history
 * that is too long for that, the places are times, and only the changes next to the shown time are read. @param {{from: string, asOf: string | null, zone: string, farmId?: string}} props */
export function AsOfBar({ from, asOf, zone, farmId }) {
  const [changes, setChanges] = useState(/** @type {Happening[] | null} */ (null));
  const [isTooLong, setIsTooLong] = useState(false);
  const [walked, setWalked] = useState(/** @type {{to: string, change: Happening | undefined} | null} */ (null)); // the last one in a history that is
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const forget = () => { setChanges(null); setNow(Date.now()); };
    document.addEventListener("changed", forget);
    return () => document.removeEventListener("changed", forget);
  }, []);
  const isOurs = (/** @type {Happening} */ event) => !farmId || event.farmId === farmId;
  /** All changes; null where they are too many. */
  const find = async () => {
    if (changes || isTooLong) return changes;
    const { happenings, isWhole: all } = await loadHappenings(new AbortController().signal, from);
    const known = all ? happenings.filter(isOurs).filter(endsRun) : null;
    setChanges(known);
    setIsTooLong(!all);
    return known;
  };
  const walk = useAction(async (/** @type {-1 | 1} */ direction) => {
    const before = location.hash, known = await find();
    const shownAt = asOf ? Date.parse(asOf) : Date.now(), end = direction < 0 ? start : Math.max(Date.now(), shownAt) + MINUTE; // the clocks may differ
    const near = known ?? await changesNear(isOurs, direction, asOf ? shownAt + 1 : Date.now() + MINUTE, end);
    if (location.hash !== before || document.querySelector("dialog[open]")) return; // to read it took long, and the person has gone on
    const times = timesOf(near), at = !known && direction > 0 ? -1 : asOf ? times.findLastIndex((time) => Date.parse(time) <= shownAt) : times.length - 1;
    const next = Math.max(at + direction, 0), isLast = next >= times.length - 1 && (known !== null || direction > 0);
    if (!known && !isLast) setWalked({ to: times[next], change: near.findLast(({ time }) => time === times[next]) });
    if (times.length || isLast) goWith({ "as-of": isLast ? null : times[next] }, { replace: asOf !== null });
  });
  const look = useAction(find);
  const shown = asOf && changes ? changes.findLast(({ time }) => Date.parse(time) <= Date.parse(asOf)) : asOf && walked?.to === asOf ? walked.change : null;
  const start = Date.parse(from), span = Math.max(now - start, 1);
  const times = changes ? timesOf(changes) : null;  // the last one is the present
  const steps = times ? Math.max(times.length - 1, 1) : 1000;
  const placeOf = (/** @type {string} */ instant) => (times ? times.findLastIndex((time) => Date.parse(time) <= Date.parse(instant)) : Math.round(((Date.parse(instant) - start) / span) * steps));
  const stepOf = (/** @type {string | null} */ instant) => (instant ? Math.max(placeOf(instant), 0) : steps);
  const [step, setStep] = useState(stepOf(asOf));
  const dragged = useRef(/** @type {string | null} */ (null)); // where it is held when the changes become known
  useEffect(() => { dragged.current = null; }, [asOf]);
  useEffect(() => setStep(stepOf(dragged.current ?? asOf)), [asOf, steps]);
  const instantOf = (/** @type {number} */ place) => times?.[place] ?? new Date(start + (span * place) / steps).toISOString();
  const at = instantOf(step);
  const isNow = step >= steps;
  const words = asOf && stepOf(asOf) === step ? timeText(asOf, zone) : isNow ? t("now") : timeText(at, zone);
  return html`<div class="as-of ${asOf ? "past" : ""}"><label for="as-of">${asOf && Date.parse(asOf) <= Date.now() ? t("As it was") : t("Show as of")}: <strong>${words}</strong> <bdi class="small">${zone}</bdi></label>
    <input id="as-of" type="range" min="0" max=${steps} value=${step} aria-valuetext=${words} onPointerEnter=${() => look.run(null)} onFocus=${() => look.run(null)} onInput=${(/** @type {any} */ event) => { const place = Number(event.currentTarget.value); setStep(place); dragged.current = instantOf(place); }}
      onChange=${() => goWith({ "as-of": isNow ? null : at })} />
    <span class="buttons"><${Button} kind="small" icon="earlier" busy=${walk.busy} aria-label=${t("Earlier change")} title=${t("Earlier change")} onClick=${() => walk.run(-1)} />
      ${asOf ? html`<${Button} kind="small" icon="later" busy=${walk.busy} aria-label=${t("Later change")} title=${t("Later change")} onClick=${() => walk.run(1)} />` : null}
      ${asOf ? html`<a class="button small" href=${linkTo(["history"], { since: afterShown(asOf) })}>${t("What changed since")}</a><${BackToNow} kind="small" />` : null}</span>
    ${shown ? html`<p class="change" role="status">${t("After")}: <strong>${word(`${shown.kind}_${shown.verb}`)}</strong>${shown.name ? html` <${Said} text=${shown.name} />` : null}<${Change} happening=${shown} zone=${zone} /></p>` : null}
    ${walk.error ? html`<p class="change" role="alert">${walk.error.message}</p>` : null}</div>`;
}

/** The events that fit, page by page; not all of a very long history. @param {Record<string, any>} wanted @param {AbortSignal} signal */
export async function readLines(wanted, signal, mostPages = MOST_PAGES) {
  /** @type {string[]} */
  const lines = [];
  let after = null;
  for (let page = 0; page < mostPages; ++page) {
    /** @type {string[]} */
    const more = (await get(`/events${query({ ...wanted, after, limit: PAGE })}`, { signal, text: true })).split("\n").filter(Boolean);
    for (const line of more) lines.push(line);
    if (more.length < PAGE) return { lines, isWhole: true };
    after = JSON.parse(more[more.length - 1]).position;
  }
  return { lines, isWhole: false };
}

const BEGINNINGS = new Set(["registered", "created", "recorded", "added", "imported"]);

/** What happened in a time, and whether that is all of it. @param {AbortSignal} signal @param {string} since @param {string | null} [until] @param {string} [kind] */
export async function loadHappenings(signal, since, until, kind) {
  const { lines, isWhole } = await readLines({ since, until, type: kind ? `tilth.${kind}.*` : null }, signal);
  const happenings = readHappenings(lines);
  const begun = new Set(happenings.filter(({ verb }) => BEGINNINGS.has(verb)).map(({ id }) => id));
  // An amendment names neither the farm nor, if it stays, the name: earlier events of these kinds do.
  const older = new Set(happenings.filter(({ id, farmId, name }) => id && !begun.has(id) && !(farmId && name)).map((event) => event.kind));
  if (older.size === 0) return { happenings, isWhole };
  const known = { names: new Map(), farms: new Map() };
  for (const each of older) readHappenings((await readLines({ until: since, type: `tilth.${each}.*` }, signal)).lines, known);
  return { happenings: readHappenings(lines, known), isWhole };
}

/** @param {{params: Record<string, string>}} props */
export default function History({ params }) {
  const farms = useLoad(allFarms, []);
  const zones = [...new Set([...(farms.value?.values() ?? [])].map(zoneOf))];
  const chosen = params.farm ? farms.value?.get(params.farm) : null;
  const zone = chosen ? zoneOf(chosen) : zones.length === 1 ? zones[0] : browserZone();
  const days = Math.min(Math.max(Number(params.days) || 30, 1), LONGEST_DAYS);
  const [now] = useState(() => Date.now());
  const since = params.since ?? new Date(now - days * DAY).toISOString();
  const events = useLoad((signal) => loadHappenings(signal, since, null, params.kind), [since, params.kind]);
  const mine = (events.value?.happenings ?? []).filter((event) => !params.farm || event.farmId === params.farm);
  const choices = /** @type {[number, string][]} */ ([[1, t("since yesterday")], [7, tn("{n} day", "{n} days", 7)], [30, tn("{n} day", "{n} days", 30)], [365, t("a year")], [3650, t("ten years")]]);
  return html`<${PageHead} title=${t("History")} text=${t("Everything that happened on your farms. Nothing here can be changed.")} />
    <div class="stack"><div class="filters">
      <${SelectField} need label=${t("Kind of record")} name="kind" none=${t("All")} value=${params.kind ?? ""} options=${KINDS.map((kind) => [kind, word(kind)])} onInput=${(/** @type {string} */ kind) => goWith({ kind })} />
      <${SelectField} need label=${t("Farm")} name="farm" none=${t("All")} value=${params.farm ?? ""} options=${[...(farms.value?.values() ?? [])].map((farm) => [farm.id, plain(farm.name)])}
        onInput=${(/** @type {string} */ farm) => goWith({ farm })} />
      <${SelectField} need label=${t("Back to")} name="days" value=${params.since ? "" : String(days)} none=${params.since ? timeText(params.since, zone) : undefined} options=${choices.map(([value, words]) => [String(value), words])}
        onInput=${(/** @type {string} */ value) => goWith({ days: value, since: null })} /></div>
    <${Loading} from=${events} lines=${9}>${() => html`${events.value?.isWhole === false ? html`<p class="notice warn">${t("There is more than one page can show. Choose a kind of record or a shorter time.")}</p>` : null}
      <section class="card">${mine.length ? html`<header><h2>${tn("{n} event", "{n} events", mine.length)}</h2><span class="muted small push">${t("Times are in {zone}.", { zone })}</span></header>
        <${Timeline} happenings=${mine} zone=${zone} />` : html`<${Empty} icon="history" title=${t("Nothing happened in this time")} text=${t("Every change to a farm, a field or a task appears here at once.")}>
        ${days < 3650 || params.since ? html`<${Button} onClick=${() => goWith({ days: 3650, since: null, kind: null, farm: null })}>${t("Look further back")}<//>` : null}<//>`}</section>`}<//></div>`;
}
