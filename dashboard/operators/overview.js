// Overview: what is wrong, how the node fares, and how far each projection has read.

import { get } from "../core/api.js";
import { COLORS, Chart } from "../core/chart.js";
import { Said, number, plain, timeText } from "../core/format.js";
import { t, tn } from "../core/i18n.js";
import { Icon } from "../core/icons.js";
import { goWith, linkTo } from "../core/route.js";
import { Badge, Meter, PageHead, SelectField, Table } from "../core/ui.js";
import { html } from "../core/view.js";
import { Live, useLive } from "../core/live.js";
import { NodeBadge, State, duration, growth, lastOf, perSecond, problemsOf, seriesOf, size } from "./status.js";

const SECONDS = 5, MINUTE = 60_000, HOUR = 60;
const RED = "#b3261e", AMBER = "#b07d1c", GREEN = "#2f7d4f";

const clock = (/** @type {number} */ instant) => timeText(instant, undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/**
 * The last hour by the minute: for each, the values that fall into it.
 * @param {any} trends @param {number} now @returns {{xs: number[], of: (values: (number | null)[]) => (number | null)[][]}}
 */
function minutes(trends, now) {
  const last = Math.floor(now / MINUTE), xs = Array.from({ length: HOUR }, (_, at) => (last - HOUR + 1 + at) * MINUTE);
  const places = trends.secondsAgo.map((/** @type {number} */ age) => Math.floor((now - age * 1_000) / MINUTE) - last + HOUR - 1);
  return { xs, of: (values) => xs.map((_, minute) => values.filter((__, at) => places[at] === minute)) };
}

/** @param {(number | null)[]} values */
const highest = (values) => values.reduce((most, value) => (value === null ? most : Math.max(most ?? value, value)), /** @type {number | null} */ (null));

/** What a counter grew by in each minute. @param {(number | null)[]} values @param {(values: (number | null)[]) => (number | null)[][]} of */
function grown(values, of) {
  const steps = values.map((value, at) => (at === 0 || value === null ? null : Math.max(0, value - (values[at - 1] ?? 0))));
  return of(steps).map((each) => (each.every((step) => step === null) ? null : each.reduce((/** @type {number} */ sum, step) => sum + (step ?? 0), 0)));
}

/** @param {{problems: import("./status.js").Problem[]}} props */
function Problems({ problems }) {
  if (problems.length === 0) return html`<p class="notice good"><${Icon} name="check" /><span>${t("Everything is as it should be.")}</span></p>`;
  return html`<section class="card problems" aria-label=${t("What is wrong")}><header><h2>${t("What is wrong")}</h2><${Badge} count tone="bad">${number(problems.length)}<//></header>
    <ul>${problems.map(({ tone, title, text, runbook, link }) => html`<li key=${title}><span class="sign ${tone}"><${Icon} name="warn" /></span>
      <div><strong>${link ? html`<a href=${linkTo(link)}>${title}</a>` : title}</strong>${text ? html`<p class="muted"><${Said} text=${text} /></p>` : null}</div>
      <a class="button small push" href=${linkTo(["runbook", runbook])}>${t("What to do")}<span class="unseen">: ${title}</span></a></li>`)}</ul></section>`;
}

/** @param {any} props */
const Figure = ({ label, value, hint, children }) => html`<section class="card padded stack-small"><p class="muted small strong">${label}</p><p class="figure">${value}</p>${hint ? html`<p class="hint">${hint}</p>` : null}${children}</section>`;

/** @param {{status: any, trends: any}} props */
function Figures({ status, trends }) {
  const events = status.log.partitions.reduce((/** @type {number} */ sum, /** @type {any} */ each) => sum + (each.end ?? 0) - each.first, 0);
  const written = growth(trends, "logEnd", "", 300), classes = ["2xx", "3xx", "4xx", "5xx"];
  const requests = classes.reduce((sum, of) => sum + growth(trends, "requests", of, 300), 0), errors = growth(trends, "requests", "5xx", 3_600);
  const [free, disk] = [lastOf(trends, "diskFreeBytes"), lastOf(trends, "diskBytes")];
  const processor = growth(trends, "cpuSeconds", "", 300), span = Math.max(1, Math.min(300, trends.secondsAgo[0] ?? 1));
  return html`<div class="cards figures five">
    <${Figure} label=${t("Events in the log")} value=${number(events, 0)} hint=${t("{n} a minute", { n: number((written / span) * 60, 1) })} />
    <${Figure} label=${t("Requests a minute")} value=${number((requests / span) * 60, 1)} hint=${t("in the last five minutes")} />
    <${Figure} label=${t("Errors (5xx)")} value=${html`<span class=${errors ? "bad-text" : ""}>${number(errors)}</span>`} hint=${t("in the last hour")} />
    <${Figure} label=${t("Memory")} value=${size(lastOf(trends, "memoryBytes"))} hint=${t("processor: {n} %", { n: number((processor / span) * 100, 1) })} />
    <${Figure} label=${t("Free disk")} value=${size(free)} hint=${t("of {all}", { all: size(disk) })}>${disk ? html`<${Meter} label=${t("Disk in use")} value=${Math.round((disk - (free ?? 0)) / 1e6)} most=${Math.round(disk / 1e6)} />` : null}<//>
  </div>`;
}

/** One of the nodes that share a log on Kafka. @param {{node: any}} props */
function Node({ node }) {
  const { version, address, lagEvents } = node, silent = ["dead", "left", "unknown"].includes(node.state);
  const facts = [node.self ? t("This node, version {version}", { version }) : t("Version {version}", { version }), html`<${Said} text=${address} />`,
    silent ? t("last heard {time} ago", { time: duration(node.silentSeconds) }) : lagEvents ? tn("{n} event behind", "{n} events behind", lagEvents) : null];
  return html`<li><${Icon} name="node" /><div><strong><${Said} text=${node.node} /></strong><p class="muted small">${facts.filter(Boolean).map((fact, at) => html`${at ? " · " : ""}${fact}`)}</p>
      ${node.warnings.map((/** @type {string} */ warning) => html`<p class="small" lang="en"><${Said} text=${warning} /></p>`)}</div><${NodeBadge} node=${node} /></li>`;
}

/** @param {{status: any}} props */
function Nodes({ status }) {
  const { topic, brokers } = status.log;
  return html`<section class="card" id="nodes"><header><h2>${t("Nodes")}</h2><${Badge} count>${number(status.nodes.length)}<//></header><ul class="nodes">${status.nodes.map((/** @type {any} */ node) => html`<${Node} key=${node.node + node.startedAt + node.address} node=${node} />`)}</ul>
    <dl class="facts body"><div><dt>${t("Topic")}</dt><dd><${Said} text=${topic} /></dd></div><div><dt>${t("Brokers")}</dt><dd>${brokers.map((/** @type {string} */ broker) => html`<div><${Said} text=${broker} /></div>`)}</dd></div></dl></section>`;
}

/** @param {{trends: any, unit: string}} props */
function LagChart({ trends, unit }) {
  const now = Date.now(), { xs, of } = minutes(trends, now), inEvents = unit === "events";
  const series = [...seriesOf(trends, inEvents ? "lagEvents" : "lagSeconds")].map(([name, values], at) => ({ label: name, color: COLORS[at % COLORS.length], kind: /** @type {const} */ ("trace"), values: of(values).map(highest) }));
  return html`<section class="card" id="lag"><header><h2>${t("Lag in the last hour")}</h2><div class="push"><${SelectField} need label=${t("In")} name="lag" value=${unit} options=${[["seconds", t("seconds")], ["events", t("events")]]}
      onInput=${(/** @type {string} */ value) => goWith({ lag: value === "seconds" ? null : value }, { replace: true })} /></div></header>
    <div class="body"><${Chart} label=${t("Lag in the last hour")} xs=${xs} series=${series} nameOf=${clock} say=${inEvents ? (/** @type {number} */ value) => number(value, 0) : duration} top=${inEvents ? 10 : 1} place=${t("Minute")} /></div></section>`;
}

/** @param {{trends: any}} props */
function RequestChart({ trends }) {
  const { xs, of } = minutes(trends, Date.now()), counted = seriesOf(trends, "requests");
  const values = (/** @type {string[]} */ classes) => classes.map((each) => grown(counted.get(each) ?? [], of)).reduce((sum, each) => sum.map((value, at) => (value === null && each[at] === null ? null : (value ?? 0) + (each[at] ?? 0))));
  const series = [{ label: t("Carried out (2xx, 3xx)"), color: GREEN, classes: ["2xx", "3xx"] }, { label: t("Refused (4xx)"), color: AMBER, classes: ["4xx"] }, { label: t("Failed (5xx)"), color: RED, classes: ["5xx"] }]
    .map(({ label, color, classes }) => ({ label, color, kind: /** @type {const} */ ("bars"), stack: "requests", values: values(classes) }));
  return html`<section class="card" id="requests"><header><h2>${t("Requests in the last hour")}</h2></header>
    <div class="body"><${Chart} label=${t("Requests in the last hour")} xs=${xs} series=${series} nameOf=${clock} say=${(/** @type {number} */ value) => number(value, 0)} top=${5} place=${t("Minute")} /></div></section>`;
}

/** @param {{params: Record<string, string>}} props */
export default function Overview({ params }) {
  const state = useLive(async (signal) => {
    const [status, trends] = await Promise.all([get("/status", { signal }), get("/trends", { signal })]);
    return { status: status.data, trends: trends.data };
  }, [], SECONDS);
  const node = state.value?.status;
  return html`<${PageHead} title=${t("Overview")} text=${node ? t("Node {name}, version {version}", { name: plain(node.node), version: node.version }) : " "}>
      ${node ? html`<div class="row-tight">${node.roles.map((/** @type {string} */ role) => html`<${Badge}>${role}<//>`)}<${Badge} tone="info">${node.log.kind === "kafka" ? "Kafka" : t("Embedded log")}<//></div>` : null}<//>
    <${Live} from=${state} lines=${14}>${(/** @type {any} */ { status, trends }) => html`<div class="stack-large">
      <${Problems} problems=${problemsOf(status, trends)} />
      <${Figures} status=${status} trends=${trends} />
      <div class="halves"><${LagChart} trends=${trends} unit=${params.lag === "events" ? "events" : "seconds"} /><${RequestChart} trends=${trends} /></div>
      <div class="halves"><section class="card"><header><h2>${t("Projections")}</h2><a class="push small" href=${linkTo(["projections"])}>${t("Rebuild, compare, pause…")}</a></header>
        <${Table} label=${t("Projections")} rows=${status.projections.map((/** @type {any} */ each) => ({ id: each.name, ...each }))} columns=${[
          { name: "name", label: t("Projection"), cell: (/** @type {any} */ row) => html`<a href=${linkTo(["projections", row.name])}>${row.name}</a>` },
          { name: "state", label: t("State"), cell: (/** @type {any} */ row) => html`<${State} state=${row.state} />` },
          { name: "lag", label: t("Lag"), num: true, cell: (/** @type {any} */ row) => (row.lagEvents ? html`${number(row.lagEvents)} <span class="muted">(${duration(row.lagSeconds)})</span>` : "0") },
          { name: "rate", label: t("Rate"), num: true, cell: (/** @type {any} */ row) => perSecond(row.eventsPerSecond) }]} /></section>
      <div class="stack">${status.log.kind === "kafka" ? html`<${Nodes} status=${status} />` : null}<section class="card"><header><h2>${t("Log")}</h2></header>
        <${Table} label=${t("Log")} rows=${status.log.partitions.map((/** @type {any} */ each) => ({ id: each.partition, ...each }))} columns=${[
          { name: "partition", label: t("Partition"), cell: (/** @type {any} */ row) => number(row.partition) },
          { name: "first", label: t("Begins at"), num: true, cell: (/** @type {any} */ row) => number(row.first) },
          { name: "end", label: t("Ends at"), num: true, cell: (/** @type {any} */ row) => (row.end === null ? "–" : html`<a href=${linkTo(["events"], { partition: row.partition })}>${number(row.end)}</a>`) }]} /></section></div></div>
    </div>`}<//>`;
}
