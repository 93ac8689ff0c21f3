// Charts, drawn by uPlot when one is first shown. Each has the same figures as a table.

import { Refusal } from "./api.js";
import { t } from "./i18n.js";
import { useLoad } from "./load.js";
import { Skeleton, Table, Trouble } from "./ui.js";
import { html, useEffect, useRef, useState } from "./view.js";

/** Colours that differ from one another and from both themes' surfaces. */
export const COLORS = ["#2f7d4f", "#b3592f", "#3a6fb0", "#b07d1c", "#7b5bb5", "#a8476b", "#23807f", "#6b7f2a"];

/**
 * values: one for each x, which may be the text of a decimal; null where there is none. kind: "bars" stand next to one another at a place and are stacked where they share a `stack`; "range" is a dashed line, "trace" one without points.
 * @typedef {{label: string, color: string, kind: "bars" | "line" | "points" | "range" | "trace", values: (number | string | null)[], stack?: string}} Series
 */

// a variable, so that the type check leaves the module alone
const MODULE = /** @type {string} */ ("/assets/vendor/uplot/uplot.mjs");
/** @type {Promise<any> | null} */
let loading = null;

function loadUPlot() {
  loading ??= import(MODULE).then((module) => {
    document.head.prepend(Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/assets/vendor/uplot/uplot.css" })); // before ours, which refines it
    return module.default;
  }, () => {
    loading = null;
    throw new Refusal(0, { message: t("The chart cannot be loaded.") });
  });
  return loading;
}

const HEIGHT = 240;

/** A series with values to draw. @typedef {Omit<Series, "values"> & {values: (number | null)[]}} Drawable */

/** What uPlot draws: stacked bars as their sums, the tallest first. @param {any} UPlot @param {Drawable[]} series */
function drawn(UPlot, series) {
  const stacks = [...new Set(series.filter((each) => each.kind === "bars").map((each) => each.stack ?? each.label))];
  const width = stacks.length > 1 ? 0.8 / stacks.length : 0.6;
  const drawings = series.map((each) => {
    const points = { show: each.kind === "points" || each.kind === "line", size: each.kind === "points" ? 9 : 6, fill: each.color, stroke: each.color };
    if (each.kind !== "bars") {
      return { values: each.values, options: { stroke: each.kind === "points" ? "transparent" : each.color, width: 2, points: each.kind === "range" || each.kind === "trace" ? { show: false } : points, spanGaps: each.kind !== "trace",
        ...(each.kind === "range" && { dash: [6, 5] }) } };
    }
    const name = each.stack ?? each.label, at = stacks.indexOf(name);
    const below = series.slice(0, series.indexOf(each)).filter((other) => other.kind === "bars" && (other.stack ?? other.label) === name);
    const values = each.values.map((value, x) => (value === null ? null : below.reduce((sum, other) => sum + (other.values[x] ?? 0), value)));
    return { values, options: { fill: each.color, stroke: each.color, width: 0, points: { show: false }, paths: UPlot.paths.bars({ size: [width, 48], align: stacks.length === 2 ? (at ? 1 : -1) : 0, gap: stacks.length > 1 ? 1 : 0 }) } };
  });
  const bars = drawings.filter((_, at) => series[at].kind === "bars").reverse(); // the sums that include the others come first
  return [...bars, ...drawings.filter((_, at) => series[at].kind !== "bars")];
}

const LONGEST = 130; // pixels of a name along an axis

/** The name, cut to what an axis has room for. @param {CanvasRenderingContext2D | null} pen @param {string} name */
function brief(pen, name) {
  if (!pen || pen.measureText(name).width <= LONGEST) return name;
  let end = name.length;
  while (end > 1 && pen.measureText(`${name.slice(0, end)}…`).width > LONGEST) --end;
  return `${name.slice(0, end).trimEnd()}…`;
}

/**
 * xs: names of places, or instants as milliseconds with `time`. say: a value in words; nameOf: a place in words; top: what the scale reaches at least.
 * @param {{label: string, xs: any[], series: Series[], say: (value: any) => string, short?: (value: number) => string, nameOf?: (x: any) => string, time?: boolean, place: string, top?: number}} props
 */
export function Chart({ label, xs, series, say, short = say, nameOf = String, time = false, place, top = 1e-9 }) {
  const uPlot = useLoad(loadUPlot, []);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const [at, setAt] = useState(/** @type {number | null} */ (null));
  const [theme, setTheme] = useState(0);
  const UPlot = uPlot.value;
  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)"), turn = () => setTheme((count) => count + 1);
    dark.addEventListener("change", turn);
    return () => dark.removeEventListener("change", turn);
  }, []);
  useEffect(() => {
    const element = box.current;
    if (!UPlot || !element) return undefined;
    const style = getComputedStyle(element), [text, line] = ["--muted", "--line"].map((name) => style.getPropertyValue(name).trim());
    const font = `12px ${style.fontFamily}`, axis = { stroke: text, font, grid: { stroke: line, width: 1 }, ticks: { show: false } };
    const drawable = series.map((each) => ({ ...each, values: each.values.map((value) => (value === null ? null : Number(value))) }));
    const drawings = drawn(UPlot, drawable);
    const measure = document.createElement("canvas").getContext("2d");
    if (measure) measure.font = font;
    // what a place's name takes up with its distance to the next
    const room = 16 + Math.max(...(time ? xs.slice(-1) : xs).map((x) => measure?.measureText(brief(measure, nameOf(x))).width ?? 40));
    const positions = time ? xs.map((x) => x / 1_000) : xs.map((_, position) => position);
    const span = positions[positions.length - 1] - positions[0], beyond = time ? Math.max(span * 0.05, span ? 86_400 : 864_000) : 0; // seconds on either side
    const values = drawable.flatMap((each) => each.values).filter((value) => value !== null), lowest = Math.min(0, ...values);
    const chart = new UPlot({
      width: element.clientWidth, height: HEIGHT, legend: { show: false }, padding: [12, Math.max(12, room / 2), 0, 4],
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      scales: { x: { time: false, range: () => (time ? [positions[0] - beyond, positions[positions.length - 1] + beyond] : [-0.6, xs.length - 0.4]) },
        y: { range: (/** @type {any} */ _, /** @type {number} */ from, /** @type {number} */ to) => UPlot.rangeNum(Math.min(lowest, from), Math.max(to, top), 0.1, true) } },
      axes: [{ ...axis, size: 32, grid: { show: false }, ...(time ? { space: room } : { splits: () => positions, incrs: [1], space: 1 }),
        values: (/** @type {any} */ self, /** @type {number[]} */ splits) => { const each = Math.ceil((splits.length * room) / Math.max(self.width - 76 - Math.max(12, room / 2), room)); return splits.map((split, nth) => (time ? nameOf(split * 1_000) : nth % each ? "" : brief(measure, nameOf(xs[split])))); } },
      { ...axis, size: 72, values: (/** @type {any} */ _, /** @type {number[]} */ splits) => splits.map((split) => short(split)) }],
      series: [{}, ...drawings.map((each) => each.options)],
      hooks: { setCursor: [(/** @type {any} */ self) => setAt(self.cursor.left >= 0 ? self.cursor.idx : null)] },
    }, [positions, ...drawings.map((each) => each.values)], element);
    const sized = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    sized.observe(element);
    return () => {
      sized.disconnect();
      chart.destroy();
    };
  }, [UPlot, theme, JSON.stringify([xs, series])]);
  const shown = at !== null && at < xs.length ? at : null;
  const value = (/** @type {number | string | null} */ each) => (each === null ? "–" : say(each));
  return html`<figure class="chart"><figcaption class="unseen">${label}</figcaption>
    <div class="legend"><ul class="row">${series.map((each) => html`<li><span class="swatch ${each.kind}" style=${{ background: each.kind === "bars" || each.kind === "points" ? each.color : undefined, color: each.color }}></span><bdi>${each.label}</bdi>
      ${shown === null ? null : html`<strong class="num">${value(each.values[shown])}</strong>`}</li>`)}</ul><bdi class="muted push">${shown === null ? null : nameOf(xs[shown])}</bdi></div>
    ${uPlot.error ? html`<${Trouble} error=${uPlot.error} retry=${uPlot.reload} />` : UPlot ? html`<div class="plot" dir="ltr" ref=${box} aria-hidden="true"></div>` : html`<${Skeleton} />`}
    <details class="more"><summary>${t("As a table")}</summary><${Table} label=${label} rows=${xs.map((x, position) => ({ id: position, x, position }))} columns=${[{ name: "x", label: place, cell: (/** @type {any} */ row) => html`<bdi>${nameOf(row.x)}</bdi>` },
      ...series.map((each, nth) => ({ name: String(nth), label: each.label, num: true, cell: (/** @type {any} */ row) => value(each.values[row.position]) }))]} /></details></figure>`;
}
