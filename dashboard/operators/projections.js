// Projections: rebuild, compare, switch, pause, and let one pass over an event that cannot be read.

import { Refusal, get, send } from "../core/api.js";
import { Said, Time, number, plain } from "../core/format.js";
import { t, tn } from "../core/i18n.js";
import { useAction, useLoad, useWhileThere } from "../core/load.js";
import { goWith, linkTo } from "../core/route.js";
import { Badge, Button, Confirm, Dialog, FormTrouble, Meter, PageHead, Skeleton, Table, say } from "../core/ui.js";
import { html, useState } from "../core/view.js";
import { Json, Kind } from "./event-parts.js";
import { readOne } from "./history.js";
import { Live, useLive } from "../core/live.js";
import { State, ago, duration, perSecond, progressOf, size, lastOf } from "./status.js";

const SECONDS = 2, COMPARE_SECONDS = 3_600;

/** What each holds, for people. @type {() => Record<string, string>} */
const purposes = () => ({ access: t("Users and API keys"), registry: t("Farms and their records"), finance: t("Financial summaries"), market: t("Regional prices") });

/** @param {string} name @param {string} deed @param {{body?: any, seconds?: number}} [options] */
const order = (name, deed, options = {}) => send("POST", `/projections/${encodeURIComponent(name)}/${deed}`, { body: {}, ...options });

/** @typedef {{at: string, rows: number, found: number, differences: any[]}} Compared */

const keptAs = (/** @type {string} */ name) => `tilth-compared-${name}`;

/** What the last comparison in this tab said. @param {string} name @returns {Compared | null} */
function lastComparison(name) {
  try {
    return JSON.parse(sessionStorage.getItem(keptAs(name)) ?? "null");
  } catch {
    return null;
  }
}

/** @param {{compared: Compared}} props */
function Comparison({ compared: { at, rows, found, differences } }) {
  if (found === 0) return html`<p class="notice good"><span>${tn("{n} row compared: all are the same.", "{n} rows compared: all are the same.", rows)} <span class="muted">${ago(at)}</span></span></p>`;
  return html`<div class="notice bad" role="status"><div><strong>${tn("{n} difference", "{n} differences", found)}</strong> ${t("in {rows} rows", { rows: number(rows) })}, ${ago(at)}
    <ul class="result">${differences.slice(0, 20).map((each) => html`<li><${Said} text=${typeof each === "string" ? each : JSON.stringify(each)} /></li>`)}</ul></div></div>`;
}

/** The generation that is being built, or waits. @param {{of: any, log: any, act: (deed: string) => void, busy: boolean}} props */
function Building({ of: { name, building, generation }, log, act, busy }) {
  const share = progressOf(building, log), waits = building.state === "running", percent = Math.floor(share * 100);
  return html`<div class="building"><div class="row"><strong>${t("Generation {n}", { n: building.generation })}</strong>
      ${waits ? html`<${Badge} tone="good">${t("Ready")}<//>` : html`<${State} state=${building.state} />`}<span class="push num">${waits ? t("same position as generation {n}", { n: generation }) : `${percent} %`}</span></div>
    <${Meter} plain label=${t("Progress of {name}", { name })} value=${percent} most=${100} />
    <p class="small muted" role="status">${waits ? t("It follows the log until you switch to it.") : html`${tn("{n} event left", "{n} events left", building.lagEvents)} · ${perSecond(building.eventsPerSecond)} · ${building.etaSeconds === null ? t("time left is not known yet") : t("{time} left", { time: duration(building.etaSeconds) })}`}</p>
    <div class="buttons">${waits ? html`<${Button} kind="primary small" busy=${busy} onClick=${() => act("switch")}>${t("Switch to it")}<//>` : null}
      ${building.state === "paused" ? html`<${Button} kind="small" busy=${busy} onClick=${() => act("resume")}>${t("Go on")}<//>` : waits ? null : html`<${Button} kind="small" busy=${busy} onClick=${() => act("pause")}>${t("Pause the rebuild")}<//>`}</div></div>`;
}

/** The event at which it is faulted, and the way past it. @param {{of: any, onSkip: () => void}} props */
function Poison({ of: { name, faultedAt }, onSkip }) {
  const event = useLoad((signal) => readOne(faultedAt.partition, faultedAt.offset, signal), [faultedAt.partition, faultedAt.offset]);
  return html`<div class="stack"><h3>${t("The event at which it is faulted")}</h3>
    ${event.value ? html`<dl class="facts narrow"><div><dt>${t("Type")}</dt><dd><${Kind} type=${event.value.type} /></dd></div><div><dt>${t("Time")}</dt><dd class="small"><${Time} instant=${event.value.time} /></dd></div>
      <div><dt>${t("Position")}</dt><dd><a href=${linkTo(["events"], { event: `${faultedAt.partition}-${faultedAt.offset}` })}>${faultedAt.partition}/${number(faultedAt.offset)}</a></dd></div></dl>
      <${Json} label=${t("What the event says")} value=${event.value.data} />`
    : event.loading ? html`<${Skeleton} lines=${3} />` : html`<p class="hint">${t("The record at {place} is no event of Tilth, or cannot be shown.", { place: `${faultedAt.partition}/${faultedAt.offset}` })}</p>`}
    <div class="buttons"><${Button} kind="quiet danger" onClick=${onSkip}>${t("Pass over this event…")}<//></div></div>`;
}

/** @param {{name: string, onClose: () => void, onDone: () => void}} props */
function Rebuild({ name, onClose, onDone }) {
  const [manual, setManual] = useState(false);
  const close = useWhileThere(onClose);
  const rebuild = useAction(async () => {
    await order(name, `rebuild${manual ? "?switch=manual" : ""}`);
    say(name === "all" ? t("All projections are being rebuilt.") : t("{name} is being rebuilt.", { name }));
    onDone();
    close();
  });
  const choice = (/** @type {boolean} */ value, /** @type {string} */ words, /** @type {string} */ hint) => html`<label class="check"><input type="radio" name="switch" checked=${manual === value} onChange=${() => setManual(value)} />
    <span>${words}<span class="hint block">${hint}</span></span></label>`;
  return html`<${Dialog} title=${name === "all" ? t("Rebuild all projections") : t("Rebuild {name}", { name })} onClose=${onClose}>
    <p>${t("The log is folded again next to what is read now. Reads and writes go on meanwhile.")}</p>
    <fieldset><legend>${t("When it has caught up")}</legend>${choice(false, t("Compare, and switch if both are the same"), t("A difference is named, and nothing is switched."))}
      ${choice(true, t("Wait until I switch"), t("The new generation follows the log until then."))}</fieldset>
    ${rebuild.error ? html`<${FormTrouble} error=${rebuild.error} />` : null}
    <div class="buttons"><${Button} kind="primary" busy=${rebuild.busy} onClick=${() => rebuild.run(undefined)}>${t("Rebuild")}<//><${Button} onClick=${onClose}>${t("Cancel")}<//></div><//>`;
}

/** @param {{of: any, onClose: () => void, onDone: () => void}} props */
function Skip({ of, onClose, onDone }) {
  const [{ name, faultedAt, reason }] = useState(of); // it may be faulted at another event by now
  const close = useWhileThere(onClose);
  const skip = useAction(async () => {
    await order(name, "skip", { body: faultedAt });
    say(t("{name} passes over that event and goes on.", { name }));
    onDone();
    close();
  });
  const event = useLoad((signal) => readOne(faultedAt.partition, faultedAt.offset, signal), [faultedAt.partition, faultedAt.offset]);
  return html`<${Confirm} title=${t("Pass over this event?")} text=${t("It stays in the log, and changes no row of this projection, now and in every later generation. This cannot be undone.")} act=${{ ...skip, run: () => skip.run(undefined) }}
      verb=${t("Pass over it")} onClose=${onClose}>
    <p class="notice bad"><bdi>${plain(reason ?? "")}</bdi></p>
    ${event.value ? html`<p><${Kind} type=${event.value.type} /> <span class="muted num">${faultedAt.partition}/${number(faultedAt.offset)}</span></p><${Json} label=${t("What the event says")} value=${event.value.data} links=${false} />` : null}<//>`;
}

/** @param {{of: any, log: any, free: number | null, chosen: boolean, onChanged: () => void}} props */
function Projection({ of, log, free, chosen, onChanged }) {
  const { name, state, reason, generation, previous, building, skipped, faultedAt } = of;
  const [asks, setAsks] = useState("");
  const [compared, setCompared] = useState(() => lastComparison(name));
  const act = useAction(async (/** @type {string} */ deed) => {
    await order(name, deed);
    onChanged();
  });
  const compare = useAction(async () => {
    const { json } = await order(name, "verify", { seconds: COMPARE_SECONDS });
    const result = { at: new Date().toISOString(), ...json.data };
    sessionStorage.setItem(keptAs(name), JSON.stringify(result));
    setCompared(result);
  });
  const error = act.error ?? compare.error;
  const facts = [[t("Generation"), number(generation)], [t("Former generation"), previous === null ? "–" : number(previous)], [t("Lag"), of.lagEvents ? html`${number(of.lagEvents)} (${duration(of.lagSeconds)})` : "0"],
    [t("Rate"), perSecond(of.eventsPerSecond)], ...(state === "catching_up" && of.etaSeconds !== null ? [[t("Time left"), duration(of.etaSeconds)]] : [])];
  return html`<section class="card projection" id="projection-${name}" aria-label=${name} data-chosen=${chosen ? "" : undefined}><header><h2>${name}</h2><span class="muted small">${purposes()[name] ?? ""}</span><div class="push"><${State} state=${state} /></div></header>
    <div class="body stack">
      ${reason ? html`<p class="notice ${state === "faulted" ? "bad" : "warn"}"><bdi>${plain(reason)}</bdi></p>` : null}
      <dl class="facts narrow">${facts.map(([label, value]) => html`<div><dt>${label}</dt><dd class="num-start">${value}</dd></div>`)}</dl>
      ${faultedAt ? html`<${Poison} of=${of} onSkip=${() => setAsks("skip")} />` : null}
      ${building ? html`<${Building} of=${of} log=${log} busy=${act.busy} act=${act.run} />` : null}
      ${compare.busy ? html`<p class="notice" role="status"><span>${t("Comparing with the log. Reads go on; leave this page open.")}</span></p>` : compared ? html`<${Comparison} compared=${compared} />` : null}
      ${error ? html`<${FormTrouble} error=${error} />` : null}
      <div class="buttons"><${Button} kind="small" off=${Boolean(building && building.state !== "faulted")} onClick=${() => setAsks("rebuild")}>${t("Rebuild")}<span class="unseen"> ${name}</span><//>
        <${Button} kind="small" busy=${compare.busy} onClick=${() => compare.run(undefined)}>${t("Compare")}<span class="unseen"> ${name}</span><//>
        ${state === "paused" ? html`<${Button} kind="small" busy=${act.busy} onClick=${() => act.run("resume")}>${t("Resume")}<span class="unseen"> ${name}</span><//>` : html`<${Button} kind="quiet small" onClick=${() => setAsks("pause")}>${t("Pause")}<span class="unseen"> ${name}</span><//>`}
        ${previous === null ? null : html`<${Button} kind="quiet small" onClick=${() => setAsks("back")}>${t("Switch back")}<span class="unseen"> ${name}</span><//><${Button} kind="quiet small danger" onClick=${() => setAsks("release")}>${t("Release the former")}<span class="unseen"> ${name}</span><//>`}</div>
      ${skipped.length ? html`<div><h3>${t("Events that it passes over")}</h3><${Table} label=${t("Events that {name} passes over", { name })} rows=${skipped.map((/** @type {any} */ each) => ({ id: `${each.partition}-${each.offset}`, ...each }))} columns=${[
        { name: "place", label: t("Position"), cell: (/** @type {any} */ row) => html`<a href=${linkTo(["events"], { event: row.id })}>${row.partition}/${number(row.offset)}</a>` },
        { name: "reason", label: t("Reason"), cell: (/** @type {any} */ row) => html`<${Said} text=${row.reason} />` },
        { name: "since", label: t("Since"), cell: (/** @type {any} */ row) => html`<${Time} instant=${row.skippedAt} />` }]} /></div>` : null}
    </div>
    ${asks === "rebuild" ? html`<${Rebuild} name=${name} onClose=${() => setAsks("")} onDone=${onChanged} />` : null}
    ${asks === "skip" && faultedAt ? html`<${Skip} of=${of} onClose=${() => setAsks("")} onDone=${onChanged} />` : null}
    ${asks === "pause" ? html`<${Ask} name=${name} deed="pause" title=${t("Pause {name}?", { name })} verb=${t("Pause")} text=${t("It stops reading the log until you resume it, also after a restart. The node is not ready meanwhile, and requests that need newer rows are refused.")} onClose=${() => setAsks("")} onDone=${onChanged} />` : null}
    ${asks === "back" ? html`<${Ask} name=${name} deed="switch?to=previous" title=${t("Switch back to generation {n}?", { n: previous })} verb=${t("Switch back")} text=${t("It is read once it has caught up with the log. What is read now stays as the former one.")} onClose=${() => setAsks("")} onDone=${onChanged} />` : null}
    ${asks === "release" ? html`<${Ask} name=${name} deed="release" title=${t("Release generation {n}?", { n: previous })} verb=${t("Release it")} text=${free === null ? t("Its rows are removed from the disk. There is no way back to them.") : t("Its rows are removed from the disk, where {free} are free. There is no way back to them.", { free: size(free) })} onClose=${() => setAsks("")} onDone=${onChanged} />` : null}
  </section>`;
}

/** Asks before a deed. @param {{name: string, deed: string, title: string, verb: string, text: string, onClose: () => void, onDone: () => void}} props */
function Ask({ name, deed, title, verb, text, onClose, onDone }) {
  const close = useWhileThere(onClose);
  const act = useAction(async () => {
    await order(name, deed);
    onDone();
    close();
  });
  return html`<${Confirm} title=${title} text=${text} verb=${verb} act=${{ ...act, run: () => act.run(undefined) }} onClose=${onClose} />`;
}

/** @param {{path: string[], params: Record<string, string>}} props */
export default function Projections({ path: [chosen], params }) {
  const state = useLive(async (signal) => {
    const [status, trends] = await Promise.all([get("/status", { signal }), get("/trends", { signal })]);
    return { status: status.data, free: lastOf(trends.data, "diskFreeBytes") };
  }, [], SECONDS);
  const known = state.value?.status.projections.map((/** @type {any} */ each) => each.name) ?? [];
  const shown = known.includes(chosen) ? chosen : null;
  if (chosen && state.value && !shown && !state.error) state.error = new Refusal(404, { message: t("There is no such projection.") });
  const rebuilding = state.value?.status.projections.some((/** @type {any} */ each) => each.building && each.building.state !== "faulted");
  return html`<${PageHead} title=${shown ?? t("Projections")} crumbs=${shown ? [[t("Projections"), linkTo(["projections"])], [shown, undefined]] : undefined}
      text=${t("Each folds the log into rows that are read. Rows can always be made again from the log.")}>
      ${shown || !state.value ? null : html`<${Button} icon="repeat" off=${rebuilding} onClick=${() => goWith({ rebuild: "all" })}>${t("Rebuild all")}<//>`}<//>
    <${Live} from=${state} lines=${12}>${(/** @type {any} */ { status, free }) => html`<div class=${shown ? "stack" : "halves"}>
      ${status.projections.filter((/** @type {any} */ each) => !shown || each.name === shown).map((/** @type {any} */ each) => html`<${Projection} key=${each.name} of=${each} log=${status.log} free=${free} chosen=${each.name === chosen} onChanged=${state.reload} />`)}</div>`}<//>
    ${params.rebuild === "all" ? html`<${Rebuild} name="all" onClose=${() => goWith({ rebuild: null }, { replace: true })} onDone=${state.reload} />` : null}`;
}
