// What changes by itself: loaded again every few seconds, and shown without flicker.

import { useLoad } from "./load.js";
import { Skeleton, Trouble } from "./ui.js";
import { html, useEffect } from "./view.js";

/**
 * As useLoad(), again every so many seconds while the page can be seen.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} load @param {any[]} inputs @param {number} seconds @param {any} [fresh]
 */
export function useLive(load, inputs, seconds, fresh) {
  const loaded = useLoad(load, inputs, fresh);
  useEffect(() => {
    if (loaded.loading || loaded.error) return undefined;
    const again = () => { if (!document.hidden) loaded.reload(); };
    const timer = setTimeout(again, seconds * 1_000);
    document.addEventListener("visibilitychange", again);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", again);
    };
  }, [loaded.loading, loaded.value, loaded.error]);
  return loaded;
}

/** What is known, with what failed above it; a skeleton until there is something. @param {any} props */
export function Live({ from, lines, children }) {
  const { value, reload } = from, error = from.error?.status === 401 ? null : from.error;
  return html`${error ? html`<${Trouble} error=${error} retry=${reload} />` : null}
    ${value !== undefined ? children(value) : error ? null : html`<${Skeleton} lines=${lines} />`}`;
}
