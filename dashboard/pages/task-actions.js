// What is done with a task: start it, complete it with evidence, reschedule it.

import { Refusal, all, send } from "../core/api.js";
import { daysLater } from "../core/days.js";
import { useDraft } from "../core/drafts.js";
import { Said, Time, browserZone, dayOf, daysAway, fromLocalInput, knownZone, plain, toLocalInput, word } from "../core/format.js";
import { t } from "../core/i18n.js";
import { useAction, useChanges, useWhileThere } from "../core/load.js";
import { linkTo } from "../core/route.js";
import { Button, Dialog, FormTrouble, Status, TextField, faultOf, isUnfinished, say, useFaultFocus } from "../core/ui.js";
import { html, useEffect, useRef, useState } from "../core/view.js";

/** Every farm, by id. @param {AbortSignal} signal @param {string | null} [asOf] @returns {Promise<Map<string, any>>} */
export const allFarms = async (signal, asOf) => new Map((await all("/farms?sort=name&order=asc", signal, asOf)).map((farm) => [farm.id, farm]));

/** What an empty page offers to somebody who has no farm yet. */
export const firstFarm = () => html`<a class="button primary" href=${linkTo(["farms"], { new: 1 })}>${t("Add your first farm")}</a>`;

/** @param {any} farm */
export const zoneOf = (farm) => (farm ? knownZone(farm.timezone) : browserZone());

/** @param {any} task */
export const isOpen = (task) => ["pending", "in_progress", "overdue"].includes(task.status);

/** @param {{task: any, farm: any, onClose: () => void, onDone: () => void}} props */
export function Complete({ task, farm, onClose, onDone }) {
  const [notes, setNotes] = useDraft(`notes ${task.id}`, () => "");
  const [photoUrl, setPhotoUrl] = useDraft(`photo ${task.id}`, () => "");
  const form = useRef(/** @type {HTMLElement | null} */ (null));
  const change = useChanges(), close = useWhileThere(onClose);
  const complete = useAction(async () => {
    await change("POST", `/tasks/${task.id}/complete`, { body: { ...(notes && { notes }), ...(photoUrl && { photoUrl: photoUrl.trim() }) } });
    say(t("{name} is done.", { name: plain(task.title) }));
    close();
    onDone();
  });
  useFaultFocus(form, complete.error);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    complete.run(undefined);
  };
  return html`<${Dialog} title=${t("Complete this task")} onClose=${onClose}><form class="stack" novalidate ref=${form} onSubmit=${submit}>
    <p><strong><${Said} text=${task.title} /></strong>${farm ? html` · <${Said} text=${farm.name} />` : null}</p>
    <${TextField} label=${t("How it went")} name="notes" type="area" maxlength="2000" value=${notes} onInput=${setNotes} fault=${faultOf(complete.error, "notes")} />
    <${TextField} label=${t("Link to a photo")} name="photoUrl" type="url" placeholder="https://" value=${photoUrl} onInput=${setPhotoUrl} fault=${faultOf(complete.error, "photoUrl")} />
    <${FormTrouble} error=${complete.error} fields=${["notes", "photoUrl"]} />
    <div class="buttons"><${Button} type="submit" kind="primary" icon="check" busy=${complete.busy}>${t("Mark as done")}<//><${Button} onClick=${onClose}>${t("Cancel")}<//></div>
  </form><//>`;
}

/** @param {{task: any, farm: any, onClose: () => void, onDone: () => void}} props */
export function Reschedule({ task, farm, onClose, onDone }) {
  const zone = zoneOf(farm);
  // A day after today, at the hour that it was due.
  const proposed = (/** @type {number} */ days) => {
    const hour = task.dueDate ? toLocalInput(task.dueDate, zone).slice(11) : "08:00";
    return `${daysLater(dayOf(Date.now(), zone), days)}T${hour}`;
  };
  const [due, setDue] = useDraft(`due ${task.id}`, () => (task.dueDate && Date.parse(task.dueDate) > Date.now() ? toLocalInput(task.dueDate, zone) : proposed(1)));
  const [fault, setFault] = useState("");
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const change = useChanges(), close = useWhileThere(onClose);
  const move = useAction(async () => {
    await change("PUT", `/tasks/${task.id}/reschedule`, { body: { dueDate: fromLocalInput(due, zone) } });
    say(t("{name} has a new date.", { name: plain(task.title) }));
    close();
    onDone();
  });
  useFaultFocus(form, move.error ?? fault);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const input = form.current?.querySelector("input");
    if (!due || isUnfinished(input)) return setFault(t("Finish the date and the time."));
    setFault("");
    move.run(undefined);
  };
  return html`<${Dialog} title=${t("Reschedule this task")} onClose=${onClose}><form class="stack" novalidate ref=${form} onSubmit=${submit}>
    <p><strong><${Said} text=${task.title} /></strong> · ${task.dueDate ? html`${t("due")} <${Time} instant=${task.dueDate} zone=${zone} />` : t("without a date")}</p>
    <div class="buttons">${/** @type {[string, number][]} */ ([[t("Tomorrow"), 1], [t("In 3 days"), 3], [t("In a week"), 7]]).map(([words, days]) =>
      html`<${Button} kind="small" aria-pressed=${due === proposed(days) ? "true" : "false"} onClick=${() => setDue(proposed(days))}>${words}<//>`)}</div>
    <${TextField} label=${t("Due")} name="dueDate" type="datetime-local" need data-first value=${due} onInput=${setDue} hint=${t("In {zone}.", { zone })} fault=${fault || faultOf(move.error, "dueDate")} />
    <${FormTrouble} error=${move.error} fields=${["dueDate"]} />
    <div class="buttons"><${Button} type="submit" kind="primary" busy=${move.busy}>${t("Save the date")}<//><${Button} onClick=${onClose}>${t("Cancel")}<//></div>
  </form><//>`;
}

/** Starts a task if it is still pending: what is shown of it may be old. onMoved: it is not. @param {string} id @param {() => void} onMoved */
export function useStart(id, onMoved) {
  const change = useChanges();
  return useAction(async () => {
    try {
      const { json, etag } = await send("GET", `/tasks/${id}`);
      if (json.data.status !== "pending") throw new Refusal(412, {});
      await change("PUT", `/tasks/${id}`, { body: { status: "in_progress" }, etag });
    } catch (/** @type {any} */ refusal) {
      if (![404, 412].includes(refusal.status)) throw refusal;
      onMoved();
      throw refusal.status === 404 ? refusal : new Refusal(412, { message: t("Somebody changed this task meanwhile. It was not started.") });
    }
    return true;
  });
}

/** @param {{task: any, onDone: () => void}} props */
function Start({ task, onDone }) {
  const start = useStart(task.id, onDone);
  useEffect(() => { if (start.error) say(start.error.message); }, [start.error]);
  const run = async () => {
    if (!await start.run(undefined)) return;
    say(t("{name} is under way.", { name: plain(task.title) }));
    onDone();
  };
  return html`<${Button} kind="small" busy=${start.busy} aria-label=${t("Start {name}", { name: plain(task.title) })} onClick=${run}>${t("Start")}<//>`;
}

/** A list of tasks with what can be done with each, unless it is as it was. now: the time of the list @param {{tasks: any[], farms: Map<string, any>, onDone: () => void, label: string, now: number, asOf: string | null}} props */
export function TaskList({ tasks, farms, onDone, label, now, asOf }) {
  const [doing, setDoing] = useDraft(`tasks ${label}`, () => /** @type {{act: "complete" | "reschedule", task: any} | null} */ (null));
  const Form = doing?.act === "complete" ? Complete : Reschedule;
  return html`<ul class="tasks" aria-label=${label}>${tasks.map((task) => {
    const farm = farms.get(task.farmId);
    const zone = zoneOf(farm);
    const name = plain(task.title);
    return html`<li key=${task.id} data-row=${task.id}><div class="what"><a href=${linkTo(["tasks"], { task: task.id, "as-of": asOf })}><${Said} text=${task.title} /></a>
        <span class="small">${farm ? html`<span><${Said} text=${farm.name} /></span>` : null}${task.fieldName ? html`<span><${Said} text=${task.fieldName} /></span>` : null}
          ${task.assignedTo ? html`<span><${Said} text=${task.assignedTo} /></span>` : null}<span>${word(task.category)}</span></span></div>
      <span class="row-tight">${task.status === "in_progress" ? html`<${Status} value=${task.status} />` : null}
        ${["high", "urgent"].includes(task.priority) ? html`<${Status} value=${task.priority} />` : null}</span>
      <span class="small muted">${task.dueDate ? html`<${Time} instant=${task.dueDate} zone=${zone} options=${{ weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }} /> · ${daysAway(task.dueDate, zone, now)}` : t("no date")}</span>
      ${asOf ? null : html`<span class="buttons">${task.status === "pending" ? html`<${Start} task=${task} onDone=${onDone} />` : null}
        <${Button} kind="small" aria-label=${t("Reschedule {name}", { name })} onClick=${() => setDoing({ act: "reschedule", task })}>${t("Reschedule")}<//>
        <${Button} kind="small" icon="check" aria-label=${t("Complete {name}", { name })} onClick=${() => setDoing({ act: "complete", task })}>${t("Complete")}<//></span>`}</li>`;
  })}</ul>
  ${doing ? html`<${Form} task=${doing.task} farm=${farms.get(doing.task.farmId)} onClose=${() => setDoing(null)} onDone=${onDone} />` : null}`;
}
