// Sign-in with an email and a password, or at the configured identity provider.

import { get, post } from "./api.js";
import { el, field, showFaults, trouble } from "./dom.js";

const FAILED = Object.assign(Object.create(null), {
  "sign-in": "Signing in at the provider did not work. Try again.",
  taken: "There is an account with this email. Sign in to it with its password, then add the provider.",
});

export async function showSignIn(main, done) {
  const { password, provider } = await get("/api/auth").catch(() => ({ password: true, provider: null }));
  const problem = el("div");
  const button = el("button", { type: "submit" }, "Sign in");
  const form = el(
    "form",
    { novalidate: true },
    field("Email", el("input", { name: "email", type: "email", autocomplete: "username", required: true })),
    field("Password", el("input", { name: "password", type: "password", autocomplete: "current-password", required: true })),
    problem,
    button,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    problem.replaceChildren();
    showFaults(form, {});
    try {
      const answer = await post("/api/auth/sign-in", Object.fromEntries(new FormData(form)));
      done(answer.user);
    } catch (refusal) {
      showFaults(form, refusal.details);
      const wait = refusal.retryAfter ? ` Try again in ${minutes(refusal.retryAfter)}.` : "";
      problem.replaceChildren(trouble(refusal.message + wait));
    } finally {
      button.disabled = false;
    }
  });
  const failed = new URLSearchParams(location.search).get("error");
  if (failed) history.replaceState(null, "", "/");
  main.replaceChildren(
    el(
      "section",
      { class: "card narrow", "aria-labelledby": "sign-in" },
      el("h1", { id: "sign-in" }, "Sign in"),
      failed ? trouble(FAILED[failed] ?? FAILED["sign-in"]) : null,
      provider ? el("p", {}, el("a", { class: "button", href: "/api/auth/sign-in" }, `Sign in with ${provider}`)) : null,
      password ? form : null,
    ),
  );
  (main.querySelector("input") ?? main.querySelector("a"))?.focus();
}

function minutes(seconds) {
  return seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}
