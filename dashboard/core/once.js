// Shows a secret that cannot be shown again.

import { Refusal } from "./api.js";
import { t } from "./i18n.js";
import { Button, Dialog, say } from "./ui.js";
import { html, useLayoutEffect, useRef, useState } from "./view.js";

/** Secrets that were made and are not kept yet, oldest first, by where they are shown: in memory alone. @type {Map<string, any[]>} */
const unkept = new Map();
const changes = new EventTarget();

let forgotten = 0; // how often

/** They are lost with the tab: the browser asks first. */
const warn = (/** @type {Event} */ event) => event.preventDefault();

/** @param {string} [place] where one was added */
function tellOfChange(place) {
  const some = [...unkept.values()].some((made) => made.length > 0);
  if (some) addEventListener("beforeunload", warn);
  else removeEventListener("beforeunload", warn);
  changes.dispatchEvent(new CustomEvent("told", { detail: place }));
}

/** Forgets them all, also those that come later to pages of before: what one operator made is not shown to the next. */
export function forgetUnkept() {
  ++forgotten;
  unkept.clear();
  tellOfChange();
}

/**
 * The secret that is shown at a place, until it is kept; then the next one. They outlive the page: the answer that has one may come once that
 * is left, and no other answer has it. onAdded: one has come to this place, perhaps after its page was left and opened again.
 * @param {string} place @param {() => void} onAdded
 * @returns {{made: any, add: (made: any) => void, keep: () => void}}
 */
export function useUnkept(place, onAdded) {
  const [, setTold] = useState(0);
  const since = useRef(forgotten);
  useLayoutEffect(() => {
    const told = (/** @type {any} */ { detail }) => {
      setTold((count) => count + 1);
      if (detail === place) onAdded();
    };
    changes.addEventListener("told", told);
    return () => changes.removeEventListener("told", told);
  }, [place]);
  const [made = null, ...others] = unkept.get(place) ?? [];
  const add = (/** @type {any} */ one) => {
    if (since.current !== forgotten) return;
    unkept.set(place, [...(unkept.get(place) ?? []), one]);
    tellOfChange(place);
  };
  const keep = () => {
    unkept.set(place, others);
    tellOfChange();
  };
  return { made, add, keep };
}

/**
 * Makes a key. When no answer comes, it may be made all the same, and no other answer has it: the list is loaded again, and the person is told.
 * @template T
 * @param {() => Promise<T>} make @param {() => void} reload
 */
export async function makeKey(make, reload) {
  try {
    return await make();
  } catch (refusal) {
    if (!(refusal instanceof Refusal) || (refusal.status !== 0 && refusal.status < 500)) throw refusal;
    reload();
    throw new Refusal(504, { message: t("No answer came. A key may have been made all the same, and it cannot be shown: if it is in the list, revoke it.") });
  }
}

/** It goes only when the person says so twice. @param {{title: string, label: string, secret: string, copied: string, warning: string, onClose: () => void, children?: any}} props copied: what is said then; warning: what is lost */
export function Once({ title, label, secret, copied: said, warning, onClose, children }) {
  const [asking, setAsking] = useState(false);
  const [copied, setCopied] = useState(false);
  const shown = useRef(/** @type {HTMLInputElement | null} */ (null));
  const copy = async () => {
    shown.current?.select();
    try {
      await navigator.clipboard.writeText(secret);
      setCopied(true);
      say(said);
    } catch {
      say(t("Copy the selected text yourself."));
    }
  };
  return html`<${Dialog} hold title=${title} onClose=${() => setAsking(true)}>
    ${children}
    <p>${t("Keep it in a safe place now. It is shown only this once.")}</p>
    <div class="field"><label for="once">${label}</label><div class="secret"><input id="once" class="key" readonly value=${secret} ref=${shown} data-first autocomplete="off"
      onFocus=${(/** @type {any} */ event) => event.currentTarget.select()} /><${Button} onClick=${copy} icon=${copied ? "check" : undefined}>${copied ? t("Copied") : t("Copy")}<//></div></div>
    ${asking ? html`<div class="notice warn" role="alert"><div>${warning}</div>
      <${Button} kind="small" onClick=${() => setAsking(false)}>${t("Back")}<//><${Button} kind="small danger" onClick=${onClose}>${t("Close, I have it")}<//></div>` : null}
    <div class="buttons"><${Button} kind="primary" onClick=${() => (copied ? onClose() : setAsking(true))}>${t("I have kept it")}<//></div>
  <//>`;
}
