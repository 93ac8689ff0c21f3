// Numbers, dates and names as people read them.

import { html } from "./view.js";
import { locale, t } from "./i18n.js";

export const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** @type {Map<string, string>} */
const zones = new Map();

/** The zone, or UTC where the browser does not know it: the service may have a newer tz database. @param {string} zone */
export function knownZone(zone) {
  let known = zones.get(zone);
  if (!known) {
    try {
      known = new Intl.DateTimeFormat("en", { timeZone: zone }) && zone;
    } catch {
      known = "UTC";
    }
    zones.set(zone, known);
  }
  return known;
}

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** @param {Intl.DateTimeFormatOptions} options */
function format(options) {
  const key = locale() + JSON.stringify(options);
  let found = formats.get(key);
  if (!found) formats.set(key, (found = new Intl.DateTimeFormat(locale(), options)));
  return found;
}

/** @param {string | number | Date} instant @param {string} [zone] @param {Intl.DateTimeFormatOptions} [options] */
export function timeText(instant, zone, options = { dateStyle: "medium", timeStyle: "short" }) {
  return format({ ...options, timeZone: zone ?? browserZone() }).format(new Date(instant));
}

/** A calendar date, which has no zone. @param {string} date */
export const dateText = (date) => format({ dateStyle: "medium", timeZone: "UTC" }).format(new Date(date.slice(0, 10)));

/** @param {{instant: string | null | undefined, zone?: string, none?: string, options?: Intl.DateTimeFormatOptions}} props */
export function Time({ instant, zone, none = "–", options }) {
  return instant ? html`<time datetime=${instant} title=${zone ?? browserZone()}>${timeText(instant, zone, options)}</time>` : none;
}

/** @param {{date: string | null | undefined, none?: string}} props */
export const Day = ({ date, none = "–" }) => (date ? html`<time datetime=${date}>${dateText(date)}</time>` : none);

/** @param {number | string | null | undefined} value @param {number} [digits] */
export function number(value, digits = 3) {
  if (value === null || value === undefined || value === "") return "–";
  return new Intl.NumberFormat(locale(), { maximumFractionDigits: digits }).format(/** @type {any} */ (value)); // exact, if it is text
}

const DAY = 86_400_000;

/** "today", "tomorrow" or "3 days ago" by the calendar of the zone. @param {string} instant @param {string} zone @param {number} now */
export function daysAway(instant, zone, now) {
  const days = Math.round((Date.parse(dayOf(instant, zone)) - Date.parse(dayOf(now, zone))) / DAY);
  return new Intl.RelativeTimeFormat(locale(), { numeric: "auto" }).format(days, "day");
}

/** How far clocks in the zone are ahead of UTC. @param {number} instant @param {string} zone */
function offsetOf(instant, zone) {
  const clock = new Intl.DateTimeFormat("en-CA", { timeZone: zone, era: "short", year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
  const at = Object.fromEntries(clock.formatToParts(instant).map((part) => [part.type, part.value]));
  const year = at.era.startsWith("B") ? 1 - Number(at.year) : Number(at.year); // before 1 CE, years are counted backwards
  const shown = new Date(0); // Date.UTC() takes a year before 100 for one of the last century
  shown.setUTCFullYear(year, Number(at.month) - 1, Number(at.day));
  shown.setUTCHours(Number(at.hour), Number(at.minute), Number(at.second));
  return shown.getTime() - Math.floor(instant / 1_000) * 1_000;
}

/** What clocks in the zone show at an instant, as if they showed UTC. @param {string | number | Date} instant @param {string} zone */
function localOf(instant, zone) {
  const at = new Date(instant).getTime();
  return new Date(at + offsetOf(at, zone)).toISOString();
}

/** The day of an instant in a zone, as 2026-03-01. @param {string | number | Date} instant @param {string} zone */
export const dayOf = (instant, zone) => localOf(instant, zone).split("T")[0];

/** What a datetime-local input shows for an instant in a zone. @param {string | number} instant @param {string} zone */
export const toLocalInput = (instant, zone) => localOf(instant, zone).replace(/^\+0*/, "").split(":", 2).join(":");

/**
 * The instant at which clocks in the zone first show that local time; in the west, that of the last hours of the year 9999 is in the year 10000.
 * A time that a change of the clocks skips has the offset before the change, as that of a recurring task.
 * @param {string} local @param {string} zone
 */
export function fromLocalInput(local, zone) {
  const wanted = Date.parse(`${local}Z`);
  const [before, after] = [wanted - DAY, wanted + DAY].map((near) => wanted - offsetOf(near, zone));
  return new Date([before, after].find((instant) => instant + offsetOf(instant, zone) === wanted) ?? before).toISOString();
}

/** What a browser calls itself, in short: "Firefox 140, Linux". @param {string | null | undefined} said */
export function browserText(said) {
  if (!said) return "–";
  const [, name, version] = said.match(/(Edg|OPR|Firefox|FxiOS|CriOS|HeadlessChrome|Chrome|Version)[\w]*\/(\d+)/) ?? [];
  const known = { Edg: "Edge", OPR: "Opera", FxiOS: "Firefox", CriOS: "Chrome", HeadlessChrome: "Chrome", Version: "Safari" };
  const edge = said.match(/(Edg|OPR)\w*\/(\d+)/);
  const system = said.match(/Android|iPhone|iPad|Windows|Mac OS X|CrOS|Linux/)?.[0]?.replace("Mac OS X", "macOS");
  if (!name) return plain(said);
  return [`${edge ? known[/** @type {keyof typeof known} */ (edge[1])] : known[/** @type {keyof typeof known} */ (name)] ?? name} ${edge ? edge[2] : version}`, system].filter(Boolean).join(", ");
}

// Characters that change the direction of the text around them, or that cannot be seen.
const CONTROLS = String.raw`[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]`;

// A letter or mark of a script that is written otherwise next to a joiner. Next to other letters, a joiner would only hide.
const JOINED = `[[\\p{L}\\p{M}]&&[${["Arab", "Syrc", "Mand", "Nkoo", "Mong", "Deva", "Beng", "Guru", "Gujr", "Orya", "Taml", "Telu", "Knda", "Mlym", "Sinh", "Khmr", "Mymr", "Tibt", "Java", "Bali"]
  .map((script) => `\\p{scx=${script}}`).join("")}]]`;

// Of these characters, those that are how a word, an emoji or a flag is written: as UAX #31 has joiners, less narrowly. The joiner after
// U+0D4D makes the letters at the end of words in Malayalam.
const WRITTEN = String.raw`(?<=${JOINED})[\u200c\u200d](?=${JOINED})|(?<=\u0d4d)\u200d|(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d(?=\p{Extended_Pictographic})|\p{RGI_Emoji_Tag_Sequence}`;

const PIECES = new RegExp(`(${WRITTEN})|(${CONTROLS})`, "gv");

/** @param {string} character */
const codePoint = (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** The text, with controls spelled out: for attributes and titles. @param {string} text */
export const plain = (text) => text.replace(PIECES, (found, written) => written ?? (found === "\n" ? " " : codePoint(found)));

/** A text that somebody wrote: it can neither reverse its surroundings nor hide a character. @param {{text: string | null | undefined}} props */
export function Said({ text }) {
  if (!text) return "–";
  const pieces = text.split(PIECES); // in turn: text, what is written so, a control
  const isControl = (/** @type {string | undefined} */ piece, /** @type {number} */ at) => at % 3 === 2 && piece !== undefined && piece !== "\n";
  if (!pieces.some(isControl)) return html`<bdi>${text}</bdi>`;
  return html`<bdi>${pieces.map((piece, at) => (isControl(piece, at) ? html`<span class="control">${codePoint(piece)}</span>` : piece))}</bdi>`;
}

const UNITS = new Map([["m3", "m³"], ["kg", "kg"], ["lb", "lb"], ["ton", "ton"], ["liter", "liter"], ["gram", "g"]]);

/** snake_case words of the API in the person's language. @param {string | null | undefined} value */
export function word(value) {
  if (!value) return "–";
  if (UNITS.has(value)) return t(UNITS.get(value) ?? "");
  const text = value.replaceAll("_", " ");
  return t(text[0].toUpperCase() + text.slice(1));
}
