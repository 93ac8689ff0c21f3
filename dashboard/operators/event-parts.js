// How an event is shown: its type, its JSON with links, and its place.

import { Said, number, plain } from "../core/format.js";
import { goWith, linkTo } from "../core/route.js";
import { html } from "../core/view.js";

/** tilth.task.completed with its resource set off. @param {{type: string}} props */
export function Kind({ type }) {
  const [, resource, ...what] = type.split(".");
  return html`<span class="kind"><b>${plain(resource ?? type)}</b>${what.length ? `.${plain(what.join("."))}` : ""}</span>`;
}

/** @param {{event: {partition: number, offset: number}}} props */
export const Place = ({ event }) => html`<span class="num" dir="ltr">${event.partition}/${number(event.offset, 0)}</span>`;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A text in JSON, a link where it is the id of something. @param {string} text @param {boolean} inPlace */
function textOf(text, inPlace) {
  const shown = html`<span class="text">"<${Said} text=${JSON.stringify(text).slice(1, -1)} />"</span>`;
  if (/^user_[\w-]{21}$/.test(text)) return html`<a href=${linkTo(["owners", text])}>${shown}</a>`;
  if (!UUID.test(text)) return shown;
  return inPlace ? html`<a href=${linkTo(["events"], { has: text })}>${shown}</a>` : shown;
}

/** @param {any} value @param {string} indent @param {boolean} links @returns {any} */
function shownJson(value, indent, links) {
  if (typeof value === "string") return value ? textOf(value, links) : html`<span class="text">""</span>`;
  if (value === null || typeof value !== "object") return html`<span class="value">${String(value)}</span>`;
  const deeper = `${indent}  `, entries = Array.isArray(value) ? value.map((each) => [null, each]) : Object.entries(value);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (entries.length === 0) return open + close;
  if (Array.isArray(value) && value.every((each) => typeof each === "number")) return html`[${value.map((each, at) => html`${at ? ", " : ""}<span class="value">${each}</span>`)}]`;
  // htm drops line breaks that stand in a template
  return [open, entries.map(([name, each], at) => [`\n${deeper}`, name === null ? null : html`<span class="key">"${plain(name)}"</span>`, name === null ? null : ": ", shownJson(each, deeper, links), at < entries.length - 1 ? "," : ""]), `\n${indent}`, close];
}

/** @param {{value: any, label: string, links?: boolean}} props */
export const Json = ({ value, label, links = true }) => html`<pre class="json" tabindex="0" role="region" aria-label=${label}>${shownJson(value, "", links)}</pre>`;

/** Opens the event next to the list. @param {{partition: number, offset: number} | null} event */
export const openEvent = (event) => goWith({ event: event ? `${event.partition}-${event.offset}` : null });
