// What this node says of itself, in words: states, durations, sizes, and what is wrong.

import { number, plain } from "../core/format.js";
import { locale, t, tn } from "../core/i18n.js";
import { Badge } from "../core/ui.js";
import { html } from "../core/view.js";

const TONES = { running: "good", catching_up: "info", rebuilding: "info", paused: "warn", faulted: "bad" };

/** @param {string} state */
export const stateWords = (state) => ({ running: t("Running"), catching_up: t("Catching up"), rebuilding: t("Rebuilding"), paused: t("Paused"), faulted: t("Faulted") })[state] ?? state;

/** @param {{state: string}} props */
export const State = ({ state }) => html`<${Badge} tone=${TONES[/** @type {keyof typeof TONES} */ (state)] ?? "plain"}>${stateWords(state)}<//>`;

/** How a node fares, in a word. @param {{node: any}} props */
export function NodeBadge({ node }) {
  const state = node.state === "live" && !node.ready && !node.stopped?.length ? "starting" : node.state;
  const tones = { live: node.warnings.length ? "warn" : "good", starting: "info", dead: "bad", unknown: "warn" };
  const words = { live: t("Heard"), starting: t("Starting"), left: t("Stopped"), dead: t("Vanished"), unknown: t("Unknown") };
  return html`<${Badge} tone=${tones[/** @type {keyof typeof tones} */ (state)] ?? "plain"}>${words[/** @type {keyof typeof words} */ (state)] ?? state}<//>`;
}

/** "3 min" or "1.5 h". @param {number | null | undefined} seconds */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const [value, unit] = seconds < 1 ? [seconds * 1_000, "millisecond"] : seconds < 90 ? [seconds, "second"] : seconds < 5_400 ? [seconds / 60, "minute"] : seconds < 129_600 ? [seconds / 3_600, "hour"] : [seconds / 86_400, "day"];
  return new Intl.NumberFormat(locale(), { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: value < 10 && unit !== "millisecond" ? 1 : 0 }).format(value);
}

/** "1.4 GB". @param {number | null | undefined} bytes */
export function size(bytes) {
  if (bytes === null || bytes === undefined) return "–";
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"], step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1), value = bytes / 1_000 ** step;
  return new Intl.NumberFormat(locale(), { style: "unit", unit: units[step], unitDisplay: "short", maximumFractionDigits: value < 10 && step ? 1 : 0 }).format(value);
}

/** @param {number | null | undefined} rate */
export const perSecond = (rate) => (rate === null || rate === undefined ? "–" : t("{n} events/s", { n: number(rate, rate < 10 ? 1 : 0) }));

/** "in 5 seconds", "3 minutes ago". @param {string} instant */
export function ago(instant) {
  const seconds = (Date.parse(instant) - Date.now()) / 1_000, size_ = Math.abs(seconds);
  const [value, unit] = size_ < 60 ? [seconds, "second"] : size_ < 3_600 ? [seconds / 60, "minute"] : size_ < 86_400 ? [seconds / 3_600, "hour"] : [seconds / 86_400, "day"];
  return new Intl.RelativeTimeFormat(locale(), { numeric: "auto" }).format(Math.round(value), /** @type {Intl.RelativeTimeFormatUnit} */ (unit));
}

/** How far a generation that is being built has come: from 0 to 1. @param {any} building @param {any} log */
export function progressOf(building, log) {
  const whole = log.partitions.reduce((/** @type {number} */ sum, /** @type {any} */ each) => sum + (each.end ?? 0) - each.first, 0);
  return whole > 0 ? Math.max(0, Math.min(1, 1 - building.lagEvents / whole)) : 1;
}

/** The series of trends with that name, by what they are of. @param {any} trends @param {string} name @returns {Map<string, (number | null)[]>} */
export const seriesOf = (trends, name) => new Map(trends.series.filter((/** @type {any} */ each) => each.name === name).map((/** @type {any} */ each) => [each.of, each.values]));

/** The last value that is known. @param {any} trends @param {string} name @param {string} [of] @returns {number | null} */
export const lastOf = (trends, name, of = "") => seriesOf(trends, name).get(of)?.at(-1) ?? null;

/** How much a counter grew in the last `seconds`. @param {any} trends @param {string} name @param {string} of @param {number} seconds */
export function growth(trends, name, of, seconds) {
  const values = seriesOf(trends, name).get(of) ?? [];
  const from = trends.secondsAgo.findIndex((/** @type {number} */ age) => age <= seconds);
  return Math.max(0, (values.at(-1) ?? 0) - (values[from] ?? 0));
}

/** @typedef {{tone: "bad" | "warn", title: string, text: string, runbook: string, link?: string[]}} Problem */

const BEHIND_SECONDS = 5, CLOCKS_APART_SECONDS = 2, FULL = 0.1, ALMOST_FULL = 0.02, FILES = 0.8, WAITING = 5_000;

/** What is wrong, the worst first, each with its section of the runbook. @param {any} status @param {any} trends @returns {Problem[]} */
export function problemsOf(status, trends) {
  /** @type {Problem[]} */
  const found = [];
  /** @param {Problem["tone"]} tone @param {string} title @param {string} text @param {string} runbook @param {string[]} [link] */
  const tell = (tone, title, text, runbook, link) => found.push({ tone, title, text, runbook, link });
  if (status.log.reason) tell("bad", t("The log does not answer"), status.log.reason, "the-log-does-not-answer");
  for (const { node, state, silentSeconds, clockAheadSeconds } of status.nodes) {
    if (state === "dead") tell("bad", t("{name} has vanished", { name: plain(node) }), t("last heard {time} ago", { time: duration(silentSeconds) }), "a-node-has-vanished");
    else if (Math.abs(clockAheadSeconds) > CLOCKS_APART_SECONDS) tell("warn", t("The clock of {name} differs", { name: plain(node) }), duration(Math.abs(clockAheadSeconds)), "clocks-are-apart");
  }
  for (const each of status.projections) {
    const of = { name: each.name }, page = ["projections", each.name];
    if (each.state === "faulted") tell("bad", t("{name} is faulted", of), each.reason ?? "", "a-projection-is-faulted", page);
    else if (each.state === "paused") tell("warn", t("{name} is paused", of), each.reason ?? "", "a-projection-is-paused", page);
    else if (each.state !== "rebuilding" && each.lagSeconds > BEHIND_SECONDS) tell("bad", t("{name} is behind", of), t("{events} events, {time}", { events: number(each.lagEvents), time: duration(each.lagSeconds) }), "a-projection-is-behind", page);
    else if (each.state === "running" && each.reason) tell("warn", t("{name} needs a decision", of), each.reason, "a-rebuild-does-not-come-on", page);
    if (each.building?.state === "faulted") tell("warn", t("The rebuild of {name} has failed", of), each.reason ?? "", "a-rebuild-does-not-come-on", page);
    if (each.building?.state === "paused") tell("warn", t("The rebuild of {name} is paused", of), "", "a-rebuild-does-not-come-on", page);
    if (each.skipped.length) tell("warn", tn("{name} passes over {n} event", "{name} passes over {n} events", each.skipped.length, of), "", "a-projection-passes-over-an-event", page);
  }
  const errors = growth(trends, "requests", "5xx", 300);
  if (errors > 30) tell("bad", t("Requests are answered 5xx"), tn("{n} in the last five minutes", "{n} in the last five minutes", errors), "requests-are-answered-5xx");
  else if (errors > 0) tell("warn", t("Requests are answered 5xx"), tn("{n} in the last five minutes", "{n} in the last five minutes", errors), "requests-are-answered-5xx");
  const free = lastOf(trends, "diskFreeBytes"), disk = lastOf(trends, "diskBytes");
  if (free !== null && disk && free / disk < FULL) tell(free / disk < ALMOST_FULL ? "bad" : "warn", t("The disk is almost full"), t("{free} of {all} are free", { free: size(free), all: size(disk) }), "the-disk-fills");
  const open = lastOf(trends, "openFiles"), most = lastOf(trends, "mostFiles");
  if (open !== null && most && open / most > FILES) tell("warn", t("Files run out"), t("{open} of {most} are open", { open: number(open), most: number(most) }), "files-run-out");
  for (const [name, values] of seriesOf(trends, "commandsWaiting")) {
    if ((values.at(-1) ?? 0) > WAITING) tell("bad", t("Commands pile up"), t("{n} wait for {name}", { n: number(values.at(-1)), name }), "commands-pile-up");
  }
  return found.sort((a, b) => Number(a.tone === "warn") - Number(b.tone === "warn"));
}
