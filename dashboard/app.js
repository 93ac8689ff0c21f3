// The dashboard: who is signed in, and which section is shown.

import { get, post, Refusal } from "./api.js";
import { el, say, trouble } from "./dom.js";
import { showKeys } from "./keys.js";
import { showLand } from "./land.js";
import { showSignIn } from "./sign-in.js";
import { showUsage } from "./usage.js";

const SECTIONS = { usage: ["Usage", showUsage], keys: ["API keys", showKeys], land: ["Farms and tasks", showLand] };

const main = document.getElementById("main");
const sections = document.getElementById("sections");
const account = document.getElementById("account");
let user = null;

function section() {
  const name = location.hash.slice(1);
  return name in SECTIONS ? name : "usage";
}

async function show(focus) {
  const name = section();
  const [title, fill] = SECTIONS[name];
  for (const link of sections.querySelectorAll("a")) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${title} – Tilth`;
  const heading = el("h1", { tabindex: "-1" }, title);
  const content = el("div", {}, el("p", {}, "Loading…"));
  main.replaceChildren(heading, content);
  main.setAttribute("aria-busy", "true");
  if (focus) heading.focus();
  try {
    await fill(content, user);
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    if (user) content.replaceChildren(trouble(refusal.message));
  } finally {
    main.removeAttribute("aria-busy");
  }
}

async function signOut() {
  try {
    const { location: provider } = await post("/api/auth/sign-out");
    if (provider) return location.assign(provider);
  } catch (refusal) {
    return say(refusal.message);
  }
  signedOut();
  say("You are signed out.");
}

async function signedOut() {
  user = null;
  sections.hidden = true;
  account.replaceChildren();
  document.title = "Sign in – Tilth";
  await showSignIn(main, signedIn);
  main.removeAttribute("aria-busy");
}

function signedIn(who, focus = true) {
  user = who;
  sections.hidden = false;
  sections.replaceChildren(...Object.entries(SECTIONS).map(([name, [title]]) => el("a", { href: `#${name}` }, title)));
  account.replaceChildren(
    el("span", { class: "who" }, user.name ?? user.email),
    el("button", { type: "button", class: "quiet", onclick: signOut }, "Sign out"),
  );
  show(focus);
}

addEventListener("hashchange", () => {
  if (user && location.hash.slice(1) in SECTIONS) show(true);
});
document.addEventListener("signed-out", () => {
  if (user) signedOut();
});

try {
  signedIn((await get("/api/me")).user, false);
} catch (refusal) {
  if (refusal.status === 401) signedOut();
  else main.replaceChildren(el("h1", {}, "Tilth"), trouble(refusal.message));
}
