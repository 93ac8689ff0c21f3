// The user's API keys: list, create and revoke.

import { get, post, remove } from "./api.js";
import { el, field, say, showFaults, time, trouble } from "./dom.js";

export async function showKeys(content) {
  const [{ data: keys }, { data: scopes }, { plan }] = await Promise.all([
    get("/api/api-keys"),
    get("/api/scopes"),
    get("/api/billing/plan"),
  ]);
  const refresh = () => showKeys(content);
  const mint = plan.mayMintKeys
    ? el("button", { type: "button", id: "new-key", onclick: () => openForm(scopes, refresh) }, "New key")
    : el("p", { class: "hint" }, "Your plan does not include new API keys.");
  content.replaceChildren(
    el("p", {}, "Programs call the API with a key. Anyone who has a key may do what its scopes say, in your name."),
    mint,
    keys.length === 0 ? el("p", {}, "You have no key.") : table(keys, refresh),
  );
}

function table(keys, refresh) {
  const heads = ["Name", "Key", "Scopes", "Last used", "Uses", "Expires", ""];
  return el(
    "div",
    { class: "table", role: "region", "aria-label": "API keys", tabindex: "0" },
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, heads.map((head) => (head ? el("th", { scope: "col" }, head) : el("td", {}))))),
      el("tbody", {}, keys.map((key) => row(key, refresh))),
    ),
  );
}

function row(key, refresh) {
  const expired = key.expiresAt !== null && new Date(key.expiresAt) <= new Date();
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, key.name),
    el("td", {}, el("code", {}, key.keyPreview)),
    el("td", { class: "scopes" }, key.scopes.join(", ")),
    el("td", {}, time(key.lastUsedAt, "never")),
    el("td", {}, key.usageCount.toLocaleString()),
    el("td", {}, expired ? "expired " : "", time(key.expiresAt, "never")),
    el("td", {}, el("button", { type: "button", class: "danger", "aria-label": `Revoke ${key.name}`,
      onclick: () => confirmRevocation(key, refresh) }, "Revoke")),
  );
}

// A dialog that is removed when it closes.
function openDialog(title, ...children) {
  const dialog = el("dialog", { "aria-labelledby": "dialog-title" }, el("h2", { id: "dialog-title" }, title), children);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

function confirmRevocation(key, refresh) {
  const problem = el("div");
  const revoke = el("button", { type: "button", class: "danger" }, "Revoke it");
  const keep = el("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Keep it");
  revoke.addEventListener("click", async () => {
    revoke.disabled = true;
    try {
      await remove(`/api/api-keys/${encodeURIComponent(key.id)}`);
      dialog.close();
      say(`${key.name} works no more.`);
      await refresh();
      document.getElementById("new-key")?.focus();
    } catch (refusal) {
      problem.replaceChildren(trouble(refusal.message));
      revoke.disabled = false;
    }
  });
  const dialog = openDialog(
    `Revoke ${key.name}?`,
    el("p", {}, "Programs that use ", el("code", {}, key.keyPreview), " are refused at once. This cannot be undone."),
    problem,
    el("div", { class: "buttons" }, revoke, keep),
  );
}

function openForm(scopes, refresh) {
  const problem = el("div");
  const boxes = scopes.map((scope) =>
    el("label", { class: "check" }, el("input", { type: "checkbox", name: "scope", value: scope }), el("code", {}, scope)));
  const form = el(
    "form",
    { novalidate: true },
    field("Name", el("input", { name: "name", required: true, maxlength: 100, autocomplete: "off" }), "What uses it, for you to tell keys apart."),
    field("Environment", el("select", { name: "environment" }, el("option", {}, "live"), el("option", {}, "test"))),
    el("fieldset", { id: "field-scopes", tabindex: "-1" }, el("legend", {}, "Scopes"),
      el("div", { class: "checks" }, boxes), el("p", { class: "fault", id: "field-scopes-fault" })),
    field("Expires", el("input", { name: "expiresAt", type: "datetime-local" }), "Left empty, it works until it is revoked."),
    problem,
    el("div", { class: "buttons" }, el("button", { type: "submit" }, "Make the key"),
      el("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Cancel")),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.replaceChildren();
    const said = new FormData(form);
    const body = { name: said.get("name"), environment: said.get("environment"), scopes: said.getAll("scope") };
    if (said.get("expiresAt")) body.expiresAt = new Date(said.get("expiresAt")).toISOString();
    try {
      const { data } = await post("/api/api-keys", body);
      dialog.close();
      showOnce(data);
      await refresh();
    } catch (refusal) {
      if (!showFaults(form, refusal.details) || Object.keys(refusal.details).length === 0) {
        problem.replaceChildren(trouble(refusal.message));
      }
    }
  });
  const dialog = openDialog("New API key", form);
}

function showOnce(key) {
  const shown = el("input", { name: "key", readonly: true, value: key.key, class: "key", autocomplete: "off" });
  const copy = el("button", { type: "button" }, "Copy");
  copy.addEventListener("click", async () => {
    shown.select();
    try {
      await navigator.clipboard.writeText(key.key);
      copy.textContent = "Copied";
      say("The key is copied.");
    } catch {
      say("Copy the selected key yourself.");
    }
  });
  const dialog = openDialog(
    `Your new key, ${key.name}`,
    el("p", {}, "Keep it in a safe place now: ", el("strong", {}, "it is shown only this once.")),
    field("Key", shown),
    el("div", { class: "buttons" }, copy,
      el("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "I have kept it")),
  );
  dialog.addEventListener("close", () => document.getElementById("new-key")?.focus());
  shown.select();
}
