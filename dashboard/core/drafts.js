// What forms hold when the session ends, so that the same person goes on with it: in memory, and on the way to the identity provider
// in this tab's storage.

import { t } from "./i18n.js";
import { say } from "./ui.js";
import { useEffect, useLayoutEffect, useRef, useState } from "./view.js";

const STORED = "tilth-drafts";

/** Each by the name of its form. @typedef {{user: string, drafts: Record<string, any>}} Kept */

/** @type {Kept | null} */
let kept = null;
/** What the open forms hold. @type {Map<string, () => any>} */
const held = new Map();

/** Keeps what the open forms hold for that user alone. @param {string} userId */
export function keepDrafts(userId) {
  kept = { user: userId, drafts: Object.fromEntries([...held].map(([name, draft]) => [name, draft()])) };
}

export function forgetDrafts() {
  kept = null;
  sessionStorage.removeItem(STORED);
}

/** The browser leaves this page, and comes back to it. */
export function storeDrafts() {
  if (kept) sessionStorage.setItem(STORED, JSON.stringify(kept));
}

/** Somebody has signed in: what another one left is forgotten. @param {string} userId */
export function openDrafts(userId) {
  const stored = sessionStorage.getItem(STORED);
  sessionStorage.removeItem(STORED);
  if (stored) kept = JSON.parse(stored);
  if (kept?.user !== userId) kept = null;
}

/** @param {string} name */
function take(name) {
  const draft = kept?.drafts[name] ?? null;
  if (kept) delete kept.drafts[name];
  return draft;
}

/**
 * As useState(), for what a form holds, as JSON has it: it is there again when the session ends and the same person goes on.
 * @template T
 * @param {string} name of the form, the same whenever it is opened for the same record @param {() => T} first
 * @returns {[T, (next: T | ((now: T) => T)) => void]}
 */
export function useDraft(name, first) {
  const [taken] = useState(() => take(name));
  const [value, setValue] = useState(/** @type {() => T} */ (() => taken ?? first()));
  const latest = useRef(value);
  latest.current = value;
  useLayoutEffect(() => {
    const draft = () => latest.current;
    held.set(name, draft);
    return () => { if (held.get(name) === draft) held.delete(name); }; // it may be open again by now
  }, [name]);
  useEffect(() => { if (taken) say(t("What you had entered is still here.")); }, []);
  return [value, setValue];
}
