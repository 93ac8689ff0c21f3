// The operators' pages: the token of this tab, the frame around a page, and which page an address shows.

import { Refusal, connectTo, get } from "../core/api.js";
import { browserZone } from "../core/format.js";
import { Frame, Language, Page, start } from "../core/frame.js";
import { addArabic, currentLanguage, t } from "../core/i18n.js";
import { Icon } from "../core/icons.js";
import { useAction, useLoad } from "../core/load.js";
import { forgetUnkept } from "../core/once.js";
import { linkTo, useRoute } from "../core/route.js";
import { Button, TextField } from "../core/ui.js";
import { html, useEffect, useRef, useState } from "../core/view.js";

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

/** @type {() => import("../core/frame.js").Sections} */
const sections = () => [
  [t("This node"), [["overview", t("Overview"), "usage"], ["projections", t("Projections"), "block"], ["runbook", t("Runbook"), "warn"]]],
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

const Brand = () => html`<a class="brand" href=${linkTo(["overview"])}><img src="/assets/icon.svg" alt="" width="26" height="26" />Tilth <span class="for">${t("operators")}</span></a>`;

/** @param {{onSignOut: () => void, onLanguage: () => void}} props */
function Signed({ onSignOut, onLanguage }) {
  const current = useRoute().path[0] ?? "overview";
  const node = useLoad(async (signal) => (await get("/status", { signal })).data.node, []);
  const me = useLoad(async (signal) => (await get("/me", { signal })).data, []);
  return html`<${Frame} current=${current} sections=${sections()} brand=${html`<${Brand} />`} below=${html`
      ${node.value ? html`<div class="who"><span class="avatar" aria-hidden="true"><${Icon} name="node" /></span><bdi>${node.value}</bdi></div>` : null}
      ${me.value ? html`<div class="who" id="me"><span class="avatar" aria-hidden="true"><${Icon} name="people" /></span><span><bdi>${me.value.name}</bdi> <span class="muted small">${me.value.role}</span></span></div>` : null}
      <p class="tiny muted">${t("Times are in {zone}.", { zone: browserZone() })}</p>
      <${Language} onDone=${onLanguage} /><${Button} onClick=${onSignOut}>${t("Sign out")}<//>`}>
    <${Page} pages=${PAGES} name=${current} missing=${{ home: "overview", words: t("Go to the overview"), icon: "warn" }} /><//>`;
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
    forgetUnkept();
    setNote(why);
    setSignedIn(false);
  };
  useEffect(() => {
    const ended = () => leave(t("The token is no longer taken. Sign in to go on where you were."));
    document.addEventListener("session-ended", ended);
    return () => document.removeEventListener("session-ended", ended);
  }, []);
  const onLanguage = () => setLanguage(currentLanguage());
  if (signedIn) return html`<${Signed} key=${language} onSignOut=${() => leave(t("You are signed out."))} onLanguage=${onLanguage} />`;
  return html`<${Door} key=${language} note=${note} onDone=${() => setSignedIn(true)} language=${html`<${Language} onDone=${onLanguage} />`} />`;
}

addArabic(() => import("./ar.js"));
await start(App);
