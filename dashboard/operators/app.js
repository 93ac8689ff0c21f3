// The operators' pages: the token of this tab, the frame around a page, and which page an address shows.

import { Refusal, connectTo, get } from "../core/api.js";
import { browserZone } from "../core/format.js";
import { LANGUAGES, addArabic, chooseLanguage, currentLanguage, loadLanguage, t } from "../core/i18n.js";
import { Icon } from "../core/icons.js";
import { useAction, useLoad } from "../core/load.js";
import { linkTo, useRoute } from "../core/route.js";
import { Button, Empty, PageHead, Skeleton, TextField, Trouble } from "../core/ui.js";
import { html, render, useEffect, useRef, useState } from "../core/view.js";

/** The status of this node. @typedef {any} Status */

// Each page's module is loaded when it is first shown.
const PAGES = new Map(Object.entries({
  overview: () => import("./overview.js"),
  projections: () => import("./projections.js"),
  events: () => import("./events.js"),
  owners: () => import("./owners.js"),
  reference: () => import("./reference.js"),
  audit: () => import("./audit.js"),
  runbook: () => import("./runbook.js"),
}));

/** @type {() => [string, [string, string, import("../core/icons.js").Name][]][]} */
const sections = () => [
  [t("This node"), [["overview", t("Overview"), "usage"], ["projections", t("Projections"), "block"]]],
  [t("All nodes"), [["events", t("Events"), "history"], ["owners", t("Owners"), "people"], ["reference", t("Reference data"), "book"], ["audit", t("Audit"), "check"]]],
];

const KEPT = "tilth-operator-token"; // in this tab only: sessionStorage
let token = sessionStorage.getItem(KEPT) ?? "";
connectTo({ base: "/operator/v1", headers: () => /** @type {Record<string, string>} */ (token ? { Authorization: `Bearer ${token}` } : {}) });

/** @param {string} shown */
function keep(shown) {
  token = shown;
  if (shown) sessionStorage.setItem(KEPT, shown);
  else sessionStorage.removeItem(KEPT);
}

function Missing() {
  return html`<${PageHead} title=${t("No such page")} /><div class="card"><${Empty} icon="warn" title=${t("There is nothing at this address.")}
    text=${t("It may have been removed, or the link is incomplete.")}><a class="button primary" href=${linkTo(["overview"])}>${t("Go to the overview")}</a><//></div>`;
}

/** Shows the page of the address, once its module is there. */
function Page() {
  const route = useRoute();
  const name = route.path[0] ?? "overview";
  const open = PAGES.get(name);
  const page = useLoad(async () => {
    if (!open) return { of: name, Shown: Missing };
    try {
      return { of: name, Shown: (await open()).default };
    } catch {
      throw new Refusal(0, { message: t("The service cannot be reached.") });
    }
  }, [name], name);
  if (page.error) return html`<${PageHead} title="Tilth" /><${Trouble} error=${page.error} retry=${page.reload} />`;
  if (!page.value) return html`<${Skeleton} />`;
  return html`<${page.value.Shown} key=${name} path=${route.path.slice(1)} params=${route.params} />`;
}

/** @param {{onDone: () => void}} props */
function Language({ onDone }) {
  return html`<select aria-label=${t("Language")} onChange=${async (/** @type {any} */ event) => { await chooseLanguage(event.currentTarget.value); onDone(); }}>
    ${Object.entries(LANGUAGES).map(([name, words]) => html`<option value=${name} selected=${name === currentLanguage()} lang=${name}>${words}</option>`)}</select>`;
}

const Brand = () => html`<a class="brand" href=${linkTo(["overview"])}><img src="/assets/icon.svg" alt="" width="26" height="26" />Tilth <span class="for">${t("operators")}</span></a>`;

/** @param {{onSignOut: () => void, onLanguage: () => void}} props */
function Frame({ onSignOut, onLanguage }) {
  const route = useRoute();
  const current = route.path[0] ?? "overview";
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(false), [location.hash]);
  const main = useRef(/** @type {HTMLElement | null} */ (null));
  const node = useLoad(async (signal) => (await get("/status", { signal })).data.node, []);
  const me = useLoad(async (signal) => (await get("/me", { signal })).data, []);
  return html`
    <button type="button" class="button primary skip" onClick=${() => main.current?.focus()}>${t("Skip to the content")}</button>
    <div class="frame">
      <header class="top"><${Brand} /><${Button} kind="quiet push" icon="menu" aria-expanded=${open ? "true" : "false"} aria-controls="side" onClick=${() => setOpen(!open)}>${t("Menu")}<//></header>
      <aside class="side ${open ? "open" : ""}" id="side" aria-label=${t("Menu")}><${Brand} />
        <nav id="sections" aria-label=${t("Pages")}>${sections().map(([title, pages]) => html`<div><h2>${title}</h2><ul>
          ${pages.map(([page, words, icon]) => html`<li><a href=${linkTo([page])} aria-current=${page === current ? "page" : undefined}><${Icon} name=${icon} />${words}</a></li>`)}</ul></div>`)}</nav>
        <div class="account">${node.value ? html`<div class="who"><span class="avatar" aria-hidden="true"><${Icon} name="node" /></span><bdi>${node.value}</bdi></div>` : null}
          ${me.value ? html`<div class="who" id="me"><span class="avatar" aria-hidden="true"><${Icon} name="people" /></span><span><bdi>${me.value.name}</bdi> <span class="muted small">${me.value.role}</span></span></div>` : null}
          <p class="tiny muted">${t("Times are in {zone}.", { zone: browserZone() })}</p>
          <${Language} onDone=${onLanguage} /><${Button} onClick=${onSignOut}>${t("Sign out")}<//></div>
      </aside>
      <main id="main" tabindex="-1" ref=${main}><${Page} /></main>
    </div>`;
}

/** @param {{note: string, language: any, onDone: () => void}} props */
function Door({ note, language, onDone }) {
  const [shown, setShown] = useState("");
  const field = useRef(/** @type {HTMLElement | null} */ (null));
  const signIn = useAction(async () => {
    keep(shown.trim());
    try {
      return await get("/addresses", { anyone: true });
    } catch (refusal) {
      keep("");
      if (refusal instanceof Refusal && refusal.status === 401) throw new Refusal(401, { message: t("This is not the token of this service.") });
      throw refusal;
    }
  });
  useEffect(() => { document.title = `${t("Sign in")} – Tilth`; }, []);
  useEffect(() => { field.current?.querySelector("input")?.focus(); }, [signIn.error]);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (shown.trim() && (await signIn.run(undefined))) onDone();
  };
  return html`<div class="door">
    <aside><p class="brand"><img src="/assets/icon.svg" alt="" width="28" height="28" />Tilth</p><p>${t("See how the service is, what happened in it, and put it right.")}</p></aside>
    <main id="main"><div>
      <div class="stack"><h1>${t("Operators")}</h1>${note ? html`<p class="notice" role="status">${note}</p>` : null}
        ${signIn.error ? html`<p class="notice bad trouble" role="alert">${signIn.error.message}</p>` : null}</div>
      <form ref=${field} novalidate onSubmit=${submit}>
        <${TextField} label=${t("Operator token")} name="token" type="password" autocomplete="off" spellcheck="false" need value=${shown} onInput=${setShown}
          hint=${html`${t("Your own, or the one in the data directory of the service:")} <code>operator.token</code>`} />
        <${Button} type="submit" kind="primary wide" busy=${signIn.busy}>${t("Sign in")}<//></form>
      <p class="hint">${t("This tab alone keeps the token, until it is closed.")}</p>
      <div class="row small">${language}</div>
    </div></main></div>`;
}

function App() {
  const [signedIn, setSignedIn] = useState(Boolean(token));
  const [note, setNote] = useState("");
  const [language, setLanguage] = useState(currentLanguage());
  const leave = (/** @type {string} */ why) => {
    keep("");
    setNote(why);
    setSignedIn(false);
  };
  useEffect(() => {
    const ended = () => leave(t("The token is no longer taken. Sign in to go on where you were."));
    document.addEventListener("session-ended", ended);
    return () => document.removeEventListener("session-ended", ended);
  }, []);
  const onLanguage = () => setLanguage(currentLanguage());
  if (signedIn) return html`<${Frame} key=${language} onSignOut=${() => leave(t("You are signed out."))} onLanguage=${onLanguage} />`;
  return html`<${Door} key=${language} note=${note} onDone=${() => setSignedIn(true)} language=${html`<${Language} onDone=${onLanguage} />`} />`;
}

addArabic(() => import("./ar.js"));
await loadLanguage();
const place = /** @type {HTMLElement} */ (document.getElementById("app"));
place.replaceChildren();
render(html`<${App} />`, place);
