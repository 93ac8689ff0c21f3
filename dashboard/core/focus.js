// Keeps people's place when what has the focus goes away: a task that is done, a row that is removed, a button that has had its use.

/** Where an element is, in words that outlive it: its row, and that row's place in its list. @typedef {{element: Element | null, row: Element | null, id: string | null, list: Element | null, at: number, nth: number, words: string, section: Element | null, dialog: Element | null}} Place */

const CONTROLS = "a[href], button, input, select, textarea, summary";

/** @param {Element | null | undefined} element */
const wordsOf = (element) => element?.textContent?.trim() ?? "";

/** @param {Element | null} element @returns {Place} */
export function placeOf(element) {
  const inList = element?.closest("tr, li") ?? null, row = inList ?? element?.closest(".buttons") ?? null, list = inList?.parentElement ?? null;
  return {
    element, row, list, id: row?.getAttribute("data-row") ?? null, at: list && row ? [...list.children].indexOf(row) : -1,
    nth: row && element ? [...row.querySelectorAll(CONTROLS)].indexOf(element) : -1, words: wordsOf(element), section: element?.closest("section") ?? null, dialog: element?.closest("dialog") ?? null,
  };
}

/** Whether it has the focus now. @param {Element | null | undefined} element */
function focus(element) {
  if (!(element instanceof HTMLElement) || element === document.body) return false;
  element.focus();
  return document.activeElement === element;
}

/** @param {Element | null | undefined} part */
const controlsIn = (part) => [...part?.querySelectorAll(CONTROLS) ?? []].filter((each) => each.checkVisibility());

/** The control that does the same as the one at that place. @param {Element | null | undefined} part @param {Place} place */
const focusSame = (part, { words }) => focus(controlsIn(part).find((each) => words && wordsOf(each) === words));

/** The control that does the same, else the one at `nth`. @param {Element | null | undefined} row @param {Place} place @param {number} nth */
function focusIn(row, place, nth) {
  const controls = controlsIn(row);
  return focusSame(row, place) || focus(controls[Math.min(Math.max(nth, 0), controls.length - 1)]);
}

/** @param {Element | null | undefined} part */
function focusHeading(part) {
  const heading = part?.querySelector("h1, h2, h3");
  if (heading && !heading.hasAttribute("tabindex")) heading.setAttribute("tabindex", "-1");
  return focus(heading);
}

/** Moves the focus there, or as near as what is left allows: in its row, to the row that followed, to the heading above them, to what does the same elsewhere. @param {Place} place */
export function returnTo(place) {
  if (place.dialog && !place.dialog.isConnected) return; // a dialog that goes returns to what opened it
  const here = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.querySelector("main");
  const row = place.row?.isConnected ? place.row : place.id ? here?.querySelector(`[data-row="${CSS.escape(place.id)}"]`) : null;
  const rows = place.list?.isConnected ? place.list.children : [], section = place.section?.isConnected ? place.section : null;
  void (focus(place.element) || focusIn(row, place, place.nth) || focusIn(rows[Math.min(place.at, rows.length - 1)], place, 0)
    || focusHeading(section) || (section && focusSame(here, place)) || focusHeading(here));
}

/** Watches over the focus of the whole document. */
export function keepFocus() {
  let last = placeOf(null);
  document.addEventListener("focusin", ({ target }) => { last = placeOf(/** @type {Element} */ (target)); });
  // Who clicks somewhere else has left the place.
  document.addEventListener("pointerdown", ({ target }) => { if (!last.element?.contains(/** @type {Node} */ (target))) last = placeOf(null); }, true);
  // Some browsers give what is tapped no focus, and what it opens could not return to it.
  document.addEventListener("click", ({ target, detail }) => {
    const control = detail > 0 && target instanceof Element ? target.closest("a[href], button, summary") : null;
    if (control instanceof HTMLElement && !control.contains(document.activeElement)) control.focus({ preventScroll: true });
  }, true);
  /** @type {Place | null} */
  let torn = null;
  new MutationObserver((records) => {
    const now = document.activeElement;
    if (now && now !== document.body) {
      if (now === last.element) last = placeOf(now); // rows before it may have come or gone
      return;
    }
    // The focus is nowhere, too, while it goes from one element to the next, and once it has left the page: that is no loss.
    if (last.element && records.some(({ removedNodes }) => [...removedNodes].some((node) => node.contains(last.element)))) torn = last;
    if (torn === last) returnTo(last);
  }).observe(document.body, { childList: true, subtree: true });
}
