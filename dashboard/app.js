// The pages: who is signed in, the frame around a page, and which page an address shows.

import { Refusal, actFor, get, send } from "./core/api.js";
import { forgetDrafts, keepDrafts, openDrafts } from "./core/drafts.js";
import { Frame, Language, Page, start } from "./core/frame.js";
import { currentLanguage, t } from "./core/i18n.js";
import { Icon } from "./core/icons.js";
import { loadModule, useAction, useLoad } from "./core/load.js";
import { linkTo, useRoute } from "./core/route.js";
import { tabs } from "./core/tabs.js";
import { Button, Skeleton, Trouble, say } from "./core/ui.js";
import { html, useEffect, useRef, useState } from "./core/view.js";
import { plain } from "./core/format.js";

/** @typedef {import("./core/api.js").User} User */

// Each page's module is loaded when it is first shown.
const PAGES = new Map(Object.entries({
  today: () => import("./pages/today.js"),
  tasks: () => import("./pages/tasks.js"),
  farms: () => import("./pages/farms.js"),
  planning: () => import("./pages/planning.js"),
  crops: () => import("./pages/crops.js"),
  import: () => import("./pages/import.js"),
  history: () => import("./pages/history.js"),
  keys: () => import("./pages/keys.js"),
  requests: () => import("./pages/requests.js"),
  usage: () => import("./pages/usage.js"),
  webhooks: () => import("./pages/webhooks.js"),
  account: () => import("./pages/account.js"),
  design: () => import("./pages/design.js"),
}));
const RENAMED = new Map([["land", "farms"]]);

/** @type {() => import("./core/frame.js").Sections} */
const sections = () => [
  [t("Work"), [["today", t("Today"), "today"], ["tasks", t("Tasks"), "tasks"], ["farms", t("Farms"), "farm"], ["crops", t("Crops"), "crop"], ["planning", t("Planning"), "repeat"], ["import", t("Import"), "upload"], ["history", t("History"), "history"]]],
  [t("For programs"), [["keys", t("API keys"), "key"], ["requests", t("Requests"), "requests"], ["usage", t("Usage"), "usage"], ["webhooks", t("Webhooks"), "webhook"]]],
];

/** @param {{user: User, onSignedOut: () => void, onLanguage: () => void}} props */
function Signed({ user, onSignedOut, onLanguage }) {
  const route = useRoute();
  const current = RENAMED.get(route.path[0]) ?? route.path[0] ?? "today";
  const signOut = useAction(async () => {
    const { location: provider } = await send("POST", "/auth/sign-out");
    if (!provider) return onSignedOut();
    forgetDrafts();
    tabs.postMessage("left");
    location.assign(provider);
  });
  useEffect(() => { if (signOut.error) say(signOut.error.message); }, [signOut.error]);
  const name = plain(user.name ?? user.email);
  return html`<${Frame} current=${current} sections=${sections()} more=${{ [t("For programs")]: html`<li><a href="/docs"><${Icon} name="book" />${t("API reference")}</a></li>` }}
      brand=${html`<a class="brand" href=${linkTo(["today"])}><img src="/assets/icon.svg" alt="" width="26" height="26" />Tilth</a>`}
      below=${html`<a class="who" href=${linkTo(["account"])} aria-current=${current === "account" ? "page" : undefined} title=${t("Your account")}><span class="avatar" aria-hidden="true">${[...name][0]?.toUpperCase()}</span><bdi>${name}</bdi></a>
        <${Language} onDone=${onLanguage} /><${Button} busy=${signOut.busy} onClick=${() => signOut.run(undefined)}>${t("Sign out")}<//>`}>
    <${Page} pages=${PAGES} name=${current} user=${user} missing=${{ home: "today", words: t("Go to Today"), icon: "farm" }} /><//>`;
}

function App() {
  const [user, setUser] = useState(/** @type {User | null | undefined} */ (undefined));
  const [note, setNote] = useState("");
  const [language, setLanguage] = useState(currentLanguage());
  const known = useRef(user), left = useRef(false); // another tab signed out

  /** @param {User | null} who @param {string} [why] @param {boolean} [leaves] */
  const settle = (who, why = "", leaves = left.current) => {
    const before = known.current;
    if (before?.id !== who?.id) tabs.postMessage(who ? "in" : leaves ? "left" : "out");
    if (who) openDrafts(who.id);
    else if (leaves) forgetDrafts();
    else if (before) keepDrafts(before.id);
    known.current = who;
    left.current = false;
    actFor(who?.id ?? null);
    setNote(why);
    // the way to a provider and back loses what stands after #
    const place = who && sessionStorage.getItem("tilth-place");
    if (who) sessionStorage.removeItem("tilth-place");
    if (place && !location.hash) history.replaceState(null, "", place);
    setUser(who);
  };
  /** @param {AbortSignal} [signal] */
  const check = async (signal) => {
    const before = known.current;
    let who = null;
    try {
      who = (await get("/me", { anyone: true, signal })).user;
    } catch (refusal) {
      if (!(refusal instanceof Refusal) || refusal.status !== 401) throw refusal;
    }
    if (known.current !== before) return true; // someone signed in or out meanwhile, which is newer
    if (before?.id === who?.id && before !== undefined) {
      left.current = false;
      return true;
    }
    settle(who, before && !who ? t("Your session has ended. Sign in to go on where you were.") : "");
    // once the other user's dialogs are gone, above which it would be said
    if (before && who) setTimeout(say, 100, t("{name} is signed in here now.", { name: plain(who.name ?? who.email) }));
    return true;
  };
  const first = useLoad(check, []);
  useEffect(() => {
    const look = () => { if (!document.hidden) check().catch(() => {}); };
    document.addEventListener("session-ended", look);
    document.addEventListener("visibilitychange", look);
    addEventListener("focus", look);
    tabs.addEventListener("message", ({ data }) => {
      left.current = data === "left";
      if (left.current && !known.current) forgetDrafts();
      check().catch(() => {});
    });
  }, []);

  const onLanguage = () => setLanguage(currentLanguage());
  if (user === undefined) {
    return html`<main>${first.error ? html`<div class="stack"><h1>Tilth</h1><${Trouble} error=${first.error} retry=${first.reload} /></div>` : html`<${Skeleton} />`}</main>`;
  }
  if (user) {
    const signedOut = () => settle(null, t("You are signed out."), true);
    return html`<${Signed} key=${user.id + language} user=${user} onSignedOut=${signedOut} onLanguage=${onLanguage} />`;
  }
  return html`<${Door} key=${language} note=${note} onDone=${settle} language=${html`<${Language} onDone=${onLanguage} />`} />`;
}

/** The sign-in page, loaded when it is needed. @param {any} props */
function Door(props) {
  const page = useLoad(() => loadModule(() => import("./pages/sign-in.js")), []);
  if (page.error) return html`<main><${Trouble} error=${page.error} retry=${page.reload} /></main>`;
  return page.value ? html`<${page.value.SignIn} ...${props} />` : html`<main><${Skeleton} /></main>`;
}

await start(App);
