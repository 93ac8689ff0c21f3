// The visual language: every scale, colour and component in every state, for anyone who adds a page.

import { Refusal } from "../core/api.js";
import { Said } from "../core/format.js";
import { t } from "../core/i18n.js";
import { useLoad } from "../core/load.js";
import { Badge, Button, Confirm, Dialog, Empty, FormTrouble, Meter, PageHead, Pager, SelectField, Skeleton, Status, Table, Tabs, TextField, Trouble, say } from "../core/ui.js";
import { html, useState } from "../core/view.js";

const TYPE = ["tiny", "small", "body", "large", "title", "figure"];
const SPACE = [1, 2, 3, 4, 5, 6, 7];
const COLORS = ["bg", "surface", "sunken", "line", "edge", "text", "muted", "accent", "accent-soft", "danger", "danger-soft", "warn", "warn-soft", "info", "info-soft", "plain-soft"];
const STATUSES = ["active", "planted", "in_progress", "pending", "fallow", "sick", "overdue", "dead", "urgent", "high", "medium", "low"];

/** @param {any} props */
const Part = ({ title, text, children }) => html`<section class="card"><header><h2>${title}</h2>${text ? html`<p class="hint">${text}</p>` : null}</header><div class="body stack">${children}</div></section>`;

export default function Design() {
  const [open, setOpen] = useState("");
  const [text, setText] = useState("Quba Oasis");
  const failed = useLoad(() => Promise.reject(new Refusal(400, { message: "The request is not valid.", details: { name: ["must have at least 1 character"] } })), []);
  const close = () => setOpen("");
  const rows = [{ id: "1", name: "Palm grove", status: "planted", area: "9.6" }, { id: "2", name: "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW", status: "fallow", area: "2.1" }, { id: "3", name: "a \u202Eevil name", status: "sick", area: "0.5" }];
  return html`<${PageHead} title="Design" text="One visual language: what is here is what pages are built of (dashboard/core/ui.js, dashboard/style.css)."><${Button} kind="primary">Primary<//><${Button}>Default<//><//>
  <div class="stack">
    <${Part} title="Type" text="Inter; Arabic in the system's font.">${TYPE.map((name) => html`<p style=${{ fontSize: `var(--t-${name})` }}>${name}: Know what every field needs today</p>`)}<//>
    <${Part} title="Space"><div class="scale">${SPACE.map((step) => html`<div class="tiny"><div style=${{ width: `var(--s${step})`, height: `var(--s${step})`, background: "var(--accent)" }}></div>s${step}</div>`)}</div><//>
    <${Part} title="Colours" text="Text on its background has a contrast of 4.5 or more, edges of controls 3, light and dark."><div class="scale">${COLORS.map((name) => html`<div class="tint"><div style=${{ background: `var(--${name})` }}></div>${name}</div>`)}</div><//>
    <${Part} title="Buttons" text="One primary button a page. What destroys is quiet until it asks."><div class="buttons"><${Button} kind="primary" icon="plus">New field<//><${Button}>Cancel<//><${Button} kind="quiet">Quiet<//>
      <${Button} kind="quiet danger">Remove<//><${Button} kind="danger">Remove it<//><${Button} kind="primary" busy>Saving<//><${Button} kind="small">Small<//></div><//>
    <${Part} title="Fields"><div class="form-grid"><${TextField} label="Name" name="name" need value=${text} onInput=${setText} hint="A hint says what is not obvious." />
      <${TextField} label="Area" name="area" value="9.6" unit="ha" inputmode="decimal" onInput=${() => {}} /><${TextField} label="Soil pH" name="ph" value="15" onInput=${() => {}} fault="must be at most 14" />
      <${SelectField} label="Status" name="status" need value="active" options=${[["active", "Active"], ["fallow", "Fallow"]]} onInput=${() => {}} /><${TextField} label="Notes" name="notes" type="area" value="" onInput=${() => {}} whole /></div>
      <${FormTrouble} error=${failed.error} /><//>
    <${Part} title="Badges and meters" text="A status is a word with a colour, never a colour alone."><p class="row-tight">${STATUSES.map((value) => html`<${Status} value=${value} />`)}<${Badge} count>3<//></p>
      <${Meter} label="Used" value=${30} most=${100} /><${Meter} label="Nearly used" value=${95} most=${100} /><${Meter} label="Over" value=${9} most=${1} /><//>
    <section class="card"><${Table} label="A table" rows=${rows} sort="name" order="asc" onSort=${() => {}} columns=${[{ name: "name", label: "Name", sort: "name", cell: (/** @type {any} */ row) => html`<${Said} text=${row.name} />` },
      { name: "area", label: "Area", num: true, cell: (/** @type {any} */ row) => `${row.area} ha` }, { name: "status", label: "Status", cell: (/** @type {any} */ row) => html`<${Status} value=${row.status} />` },
      { name: "actions", label: "", cell: () => html`<${Button} kind="quiet small">Edit<//>` }]} /><${Pager} label="Pages of a table" pagination=${{ page: 2, totalPages: 9, total: 173 }} onPage=${() => {}} /></section>
    <${Part} title="Tabs"><${Tabs} label="Example tabs" current="map" tabs=${[["map", "Map", "#/design"], ["fields", "Fields", "#/design"], ["history", "History", "#/design"]]} /><//>
    <${Part} title="Dialogs and toasts"><div class="buttons"><${Button} onClick=${() => setOpen("dialog")}>Open a dialog<//><${Button} onClick=${() => setOpen("confirm")}>Ask before removing<//><${Button} onClick=${() => say("The boundary is saved.")}>Say something<//></div>
      ${open === "dialog" ? html`<${Dialog} title="A dialog" onClose=${close}><p>Esc closes it, and the focus goes back.</p><div class="buttons"><${Button} kind="primary" onClick=${close}>${t("Save")}<//></div><//>` : null}
      ${open === "confirm" ? html`<${Confirm} title="Remove this field?" text="Its crops, blocks and plants go with it." act=${{ busy: false, error: null, run: close }} verb="Remove" onClose=${close} />` : null}<//>
    <${Part} title="Notices"><p class="notice">Your session has ended. Sign in to go on where you were.</p><p class="notice warn">Somebody changed this record while you were editing it.</p>
      <${Trouble} error=${new Refusal(0, { message: "The service cannot be reached." })} retry=${() => {}} /><//>
    <div class="cards"><section class="card" data-sample><${Skeleton} /></section><section class="card"><${Empty} icon="field" title="No field yet" text="An empty page says what to do first, and does it with one button."><${Button} kind="primary">Add the first field<//><//></section></div>
  </div>`;
}
