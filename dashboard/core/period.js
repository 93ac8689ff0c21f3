// The first and the last day of what a list shows, in the address.

import { isDay } from "./days.js";
import { t } from "./i18n.js";
import { goWith } from "./route.js";
import { TextField } from "./ui.js";
import { html, useEffect, useRef, useState } from "./view.js";

/** A day in the address. @param {{name: string, label: string, value: string | undefined}} props */
export function DayFilter({ name, label, value = "" }) {
  const shown = isDay(value) ? value : "";
  const [typed, setTyped] = useState(shown);
  const [fault, setFault] = useState("");
  const typing = useRef(false), gone = useRef(false);
  useEffect(() => () => { gone.current = true; }, []);
  useEffect(() => { setTyped(shown); setFault(""); }, [value]);
  const commit = (/** @type {HTMLInputElement} */ input) => {
    if (gone.current) return; // an input loses the focus when it is taken away, and another page has the address then
    typing.current = false;
    const day = input.value, whole = !input.validity.badInput && (day === "" || isDay(day));
    setFault(whole ? "" : t("Finish the date, or empty it."));
    if (whole && day !== value) goWith({ [name]: day, page: null });
  };
  // While a date is typed, it changes with each digit that makes one: the year 2 comes before 2026.
  return html`<${TextField} need label=${label} name=${name} type="date" value=${typed} fault=${fault || undefined} onInput=${setTyped}
    onKeyDown=${(/** @type {any} */ event) => { if (event.key === "Enter") commit(event.currentTarget); else typing.current = true; }}
    onChange=${(/** @type {any} */ event) => { if (!typing.current) commit(event.currentTarget); }} onBlur=${(/** @type {any} */ event) => commit(event.currentTarget)} />`;
}
