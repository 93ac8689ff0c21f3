// The components that every page is built of: see #/design.

import { OUTDATED } from "./api.js";
import { placeOf, returnTo } from "./focus.js";
import { t, tn } from "./i18n.js";
import { Icon } from "./icons.js";
import { goWith } from "./route.js";
import { number, plain, word } from "./format.js";
import { html, useEffect, useId, useLayoutEffect, useRef } from "./view.js";

/** @typedef {import("./view.js").View} View */

/** @param {any} props kind: "primary", "quiet", "danger" or a list of them; busy: it works, and ignores clicks; off: it ignores them for now */
export function Button({ kind = "", busy = false, off = false, icon, children, onClick, type = "button", ...rest }) {
  // aria-disabled keeps the focus, which disabled would drop
  const click = (/** @type {Event} */ event) => {
    if (!busy && !off) return onClick?.(event);
    event.preventDefault();
  };
  return html`<button type=${type} class="button ${kind}" aria-disabled=${busy || off ? "true" : undefined} onClick=${click} ...${rest}>
    ${busy ? html`<span class="spinner"></span>` : icon ? html`<${Icon} name=${icon} />` : null}${children}
  </button>`;
}

const TONES = {
  active: "good", alive: "good", growing: "good", planted: "good", established: "good", mature: "good", completed: "good", harvested: "info", in_progress: "info",
  delivered: "good", replaced: "info", preparing: "info", pending: "plain", planned: "plain", fallow: "warn", draft: "plain", inactive: "plain", archived: "plain", cancelled: "plain", removed: "plain",
  declined: "warn", sick: "warn", overdue: "bad", dead: "bad", failed: "bad", urgent: "bad", high: "warn", medium: "plain", low: "plain",
  excellent: "good", good: "good", fair: "warn", poor: "bad", critical: "bad",
};

/** A status or a priority: its word, coloured. @param {{value: string | null | undefined}} props */
export const Status = ({ value }) => (value ? html`<${Badge} tone=${Object.hasOwn(TONES, value) ? TONES[/** @type {keyof typeof TONES} */ (value)] : "plain"}>${word(value)}<//>` : "–");

/** `count`: it is a number or a remark, no state. @param {any} props */
export const Badge = ({ tone = "plain", count = false, children }) => html`<span class="badge ${tone} ${count ? "count" : ""}">${children}</span>`;

/** A labelled control with a hint and its fault. `control` gets the attributes that tie them together. @param {any} props */
export function Field({ label, hint, fault, need, whole, control }) {
  const id = useId();
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(" ");
  return html`<div class="field ${whole ? "whole" : ""}">
    <label for=${id}>${label} ${need ? null : html`<span class="need">${t("(optional)")}</span>`}</label>
    ${control({ id, "aria-describedby": described || undefined, "aria-invalid": fault ? "true" : undefined })}
    ${hint ? html`<p class="hint" id="${id}-hint">${hint}</p>` : null}
    ${fault ? html`<p class="fault" id="${id}-fault">${fault}</p>` : null}
  </div>`;
}

// Without them, a year may have six digits, or one.
const BOUNDS = new Map([["date", { min: "1000-01-01", max: "9999-12-31" }], ["datetime-local", { min: "1000-01-01T00:00", max: "9999-12-31T23:59" }]]);

/** Whether a date or a time is half filled, which reads as empty, or out of its bounds. @param {HTMLInputElement | null | undefined} input */
export const isUnfinished = (input) => Boolean(input && (input.validity.badInput || input.validity.rangeUnderflow || input.validity.rangeOverflow));

/** @param {any} props */
export function TextField({ name, value, onInput, type = "text", unit, ...rest }) {
  const { label, hint, fault, need, whole, ...attributes } = rest;
  const change = (/** @type {any} */ event) => onInput(event.currentTarget.value, event.currentTarget);
  return html`<${Field} label=${label} hint=${hint} fault=${fault} need=${need} whole=${whole} control=${(/** @type {any} */ tied) => {
    if (type === "area") return html`<textarea name=${name} value=${value} onInput=${change} dir="auto" ...${tied} ...${attributes}></textarea>`;
    const input = html`<input name=${name} type=${type} value=${value} onInput=${change} dir=${type === "text" ? "auto" : undefined} ...${BOUNDS.get(type) ?? {}} ...${tied} ...${attributes} />`;
    return unit ? html`<div class="unit">${input}<span>${unit}</span></div>` : input;
  }} />`;
}

/** options: [value, words]. @param {any} props */
export function SelectField({ name, value, onInput, options, none, ...rest }) {
  const { label, hint, fault, need, whole, ...attributes } = rest;
  return html`<${Field} label=${label} hint=${hint} fault=${fault} need=${need} whole=${whole} control=${(/** @type {any} */ tied) => html`
    <select name=${name} onChange=${(/** @type {any} */ event) => onInput(event.currentTarget.value)} ...${tied} ...${attributes}>
      ${none === undefined ? null : html`<option value="" selected=${!value}>${none}</option>`}
      ${options.map((/** @type {[string, string]} */ [each, words]) => html`<option value=${each} selected=${each === value}>${words}</option>`)}
    </select>`} />`;
}

/** The faults of a refusal that no field shows. @param {{error: import("./api.js").Refusal | null, fields?: string[]}} props */
export function FormTrouble({ error, fields = [] }) {
  if (!error) return null;
  const placed = Object.keys(error.details).map((path) => path.split(".")[0]).filter((name) => fields.includes(name));
  const others = Object.entries(error.details).filter(([path, told]) => Array.isArray(told) && !fields.includes(path.split(".")[0]));
  if (placed.length && others.length === 0) return html`<p class="notice bad" role="alert">${t("Some entries need another look.")}</p>`;
  return html`<div class="notice bad" role="alert"><div>${error.message} ${others.map(([path, told]) => html`<div>${path}: ${told.join("; ")}</div>`)}
    ${error.status === 0 ? html`<div>${t("Nothing is lost: send it again when the service is back.")}</div>` : null}</div></div>`;
}

/** What a refusal says of one member. @param {import("./api.js").Refusal | null} error @param {string} name */
export function faultOf(error, name) {
  const told = Object.entries(error?.details ?? {}).filter(([path, said]) => path.split(".")[0] === name && Array.isArray(said)).flatMap(([, said]) => said);
  return told.length ? told.join(t("; ")) : undefined;
}

/** Moves the focus to the first faulty input once it is there. @param {{current: HTMLElement | null}} form @param {any} error */
export function useFaultFocus(form, error) {
  useEffect(() => {
    if (error) /** @type {HTMLElement | null | undefined} */ (form.current?.querySelector("[aria-invalid=true]"))?.focus();
  }, [error]);
}

/** Whether the time of the page, in its address, has not come yet: by the service's clock. @param {import("./api.js").Refusal} error */
export const isOfTheFuture = (error) => "Tilth-As-Of" in error.details;

export const BackToNow = ({ kind = "" }) => html`<${Button} kind=${kind} onClick=${() => goWith({ "as-of": null })}>${t("Back to now")}<//>`;

/** What could not be loaded, and a way to try again if that may help. @param {{error: import("./api.js").Refusal, retry: () => void}} props */
export function Trouble({ error, retry }) {
  if (isOfTheFuture(error)) return html`<div class="notice warn" role="alert"><${Icon} name="warn" /><div>${t("That time lies in the future.")}</div><${BackToNow} kind="small" /></div>`;
  return html`<div class="notice bad" role="alert"><${Icon} name="warn" />
    <div>${error.message} ${error.passes ? t("This page tries again by itself.") : null}</div>
    ${error.code === OUTDATED ? html`<${Button} kind="small" onClick=${() => location.reload()}>${t("Load again")}<//>`
      : error.status === 400 ? null : html`<${Button} kind="small" onClick=${retry}>${t("Try again")}<//>`}</div>`;
}

/** @param {{lines?: number}} props */
export const Skeleton = ({ lines = 6 }) => html`<div class="skeleton" role="status" aria-label=${t("Loading")}>${Array.from({ length: lines }, () => html`<div></div>`)}</div>`;

/** What is loaded: a skeleton first, then what `children` draws of it; what failed is told above what was there. @param {any} props */
export function Loading({ from, lines, children }) {
  const { value, loading, reload } = from, hasEnded = from.error?.status === 401; // the session: forms stay as they are until that is told
  const error = hasEnded ? null : from.error;
  return html`${error ? html`<${Trouble} error=${error} retry=${reload} />` : null}
    ${value !== undefined ? html`<div class="stack ${loading ? "busy" : ""}" aria-busy=${loading ? "true" : undefined}>${children(value)}</div>`
      : error ? null : html`<${Skeleton} lines=${lines} />`}`;
}

/** An empty page says what to do first, and does it with one button. @param {any} props */
export const Empty = ({ icon, title, text, children }) => html`<div class="empty">
  <span class="picture"><${Icon} name=${icon} /></span><h2>${title}</h2>${text ? html`<p>${text}</p>` : null}${children}</div>`;

/** A page's heading takes the focus when the page is opened from another one. lang: of the title, if it is another than the page's. @param {any} props */
export function PageHead({ title, lang, crumbs, text, children }) {
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  const name = typeof title === "string" ? title : "";
  useLayoutEffect(() => {
    // A search goes on while its results are drawn, and a choice while the page comes.
    if (!document.querySelector("dialog[open]") && !document.activeElement?.matches("input, select, textarea")) heading.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => { if (name) document.title = `${plain(name)} – Tilth`; }, [name]);
  return html`<div class="page-head"><div>
    ${crumbs ? html`<nav aria-label=${t("Where you are")}><ol class="crumbs">${crumbs.map((/** @type {[any, string | undefined]} */ [words, link]) =>
      html`<li>${link ? html`<a href=${link}>${words}</a>` : words}</li>`)}</ol></nav>` : null}
    <h1 tabindex="-1" ref=${heading}><bdi lang=${lang}>${title ? plain(title) : "…"}</bdi></h1>
    ${text ? html`<p class="muted">${text}</p>` : null}</div>
    <div class="buttons push">${children}</div></div>`;
}

/** The part that an address asks for; the first one, if there is no such part. @param {[string, ...any[]][]} tabs @param {string | undefined} wanted */
export const partOf = (tabs, wanted) => (tabs.find(([name]) => name === wanted) ?? tabs[0])[0];

/** Parts of a page, as links. tabs: [name, words, link]. @param {{tabs: [string, string, string][], current: string, label: string}} props */
export const Tabs = ({ tabs, current, label }) => html`<nav class="tabs" aria-label=${label}>
  ${tabs.map(([name, words, link]) => html`<a href=${link} aria-current=${name === current ? "page" : undefined}>${words}</a>`)}</nav>`;

/**
 * columns: {name, label, cell(row), num, sort}. The first one names the row.
 * @param {any} props
 */
export function Table({ label, columns, rows, sort, order, onSort, empty }) {
  if (rows.length === 0) return empty;
  return html`<div class="table" role="region" aria-label=${label} tabindex="0"><table role="table">
    <thead role="rowgroup"><tr role="row">${columns.map((/** @type {any} */ column) => {
      const sorted = column.sort && column.sort === sort;
      const head = column.sort && onSort ? html`<button type="button" onClick=${() => onSort(column.sort, sorted && order === "asc" ? "desc" : "asc")}>
        ${column.label}<span aria-hidden="true">${sorted ? (order === "asc" ? "↑" : "↓") : ""}</span></button>` : column.label;
      return html`<th role="columnheader" scope="col" class=${column.num ? "num" : ""} aria-sort=${sorted ? (order === "asc" ? "ascending" : "descending") : undefined}>
        ${column.label === "" ? html`<span class="unseen">${t("Actions")}</span>` : head}</th>`;
    })}</tr></thead>
    <tbody role="rowgroup">${rows.map((/** @type {any} */ row) => html`<tr role="row" key=${row.id} data-row=${row.id}>${columns.map((/** @type {any} */ column, /** @type {number} */ at) => at === 0
      ? html`<th role="rowheader" scope="row">${column.cell(row)}</th>`
      : html`<td role="cell" data-label=${column.label || undefined} class=${column.num ? "num" : column.label ? "" : "actions"}>${column.cell(row)}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

/** @param {{pagination: {page: number, totalPages: number, total: number}, onPage: (page: number) => void, label: string}} props */
export function Pager({ pagination, onPage, label }) {
  const { page, totalPages, total } = pagination;
  return html`<nav class="pager" aria-label=${label}>
    <span>${tn("{n} record", "{n} records", total)}${totalPages > 1 ? html` · ${t("page {page} of {pages}", { page: number(page), pages: number(totalPages) })}` : null}</span>
    ${totalPages > 1 ? html`<span class="buttons push">
      <${Button} kind="small" off=${page <= 1} onClick=${() => onPage(page - 1)}>${t("Previous")}<//>
      <${Button} kind="small" off=${page >= totalPages} onClick=${() => onPage(page + 1)}>${t("Next")}<//></span>` : null}</nav>`;
}

/** A modal dialog; onClose is called when it should go, also by Esc unless `hold`. @param {any} props */
export function Dialog({ title, onClose, wide, hold, children }) {
  const id = useId();
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useLayoutEffect(() => {
    const before = placeOf(document.activeElement);
    dialog.current?.showModal();
    /** @type {HTMLElement | null | undefined} */ (dialog.current?.querySelector("[data-first], .body input, .body select, .body textarea, .body .button"))?.focus();
    return () => {
      dialog.current?.close();
      // What it said last goes on being said: above a dialog below this one, else on the page.
      const words = dialog.current?.querySelector(":scope > .toast")?.firstChild;
      if (words) placeOfToasts()?.append(words);
      setTimeout(() => { if (document.activeElement === document.body) returnTo(before); });
    };
  }, []);
  // Chrome closes a dialog at the second Esc whatever the first one's listener says, so the key itself is stopped.
  const key = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  return html`<dialog ref=${dialog} class=${wide ? "wide" : ""} aria-labelledby=${id} onKeyDown=${key}
      onCancel=${(/** @type {Event} */ event) => { event.preventDefault(); onClose(); }}>
    <header><h2 id=${id}>${title}</h2>${hold ? null : html`<${Button} kind="quiet small" aria-label=${t("Close")} icon="close" onClick=${onClose} />`}</header>
    <div class="body">${children}</div>
    <div class="toast" role="status" aria-live="polite"></div>
  </dialog>`;
}

/** Where words can be seen and heard: a modal dialog hides the rest of the page. */
const placeOfToasts = () => [...document.querySelectorAll("dialog[open] > .toast")].at(-1) ?? document.getElementById("status");

/** @type {ReturnType<typeof setTimeout> | undefined} */
let silence;

/** Says something for a few seconds; screen readers announce it, also above an open dialog. @param {string} text */
export function say(text) {
  clearTimeout(silence);
  const places = [...document.querySelectorAll(".toast")];
  for (const each of places) each.replaceChildren();
  const words = document.createElement("span");
  words.textContent = text;
  placeOfToasts()?.append(words);
  silence = setTimeout(() => words.remove(), 6_000);
}

/** A dialog that asks before something that cannot be undone. @param {any} props */
export function Confirm({ title, text, act, verb, onClose, children }) {
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <p>${text}</p>${children}
    ${act.error ? html`<${FormTrouble} error=${act.error} />` : null}
    <div class="buttons"><${Button} data-first onClick=${onClose}>${t("Keep it")}<//>
      <${Button} kind="danger" busy=${act.busy} onClick=${() => act.run()}>${verb}<//></div>
  <//>`;
}

/** How much is used; with `good`, how much is reached; with `plain`, neither is better. @param {{label: string, value: number, most: number, good?: boolean, plain?: boolean}} props */
export function Meter({ label, value, most, good = false, plain: neutral = false }) {
  const share = most > 0 ? value / most : 1;
  const tone = neutral ? "" : good ? (share < 0.4 ? "bad" : share < 0.7 ? "warn" : "") : share > 1 ? "bad" : share >= 0.9 ? "warn" : "";
  return html`<div class="meter ${tone}" role="meter" aria-label=${label} aria-valuemin="0" aria-valuemax=${most} aria-valuenow=${Math.min(value, most)}
    aria-valuetext="${number(value)} / ${number(most)}"><div style=${{ width: `${Math.min(share, 1) * 100}%` }}></div></div>`;
}
