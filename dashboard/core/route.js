// Where a person is: the address after #, as a path and parameters.

import { isDay } from "./days.js";
import { useEffect, useRef, useState } from "./view.js";

/** @typedef {{path: string[], params: Record<string, string>}} Route */

const INSTANT = /^[1-9]\d{3}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/** @param {string} text */
const isInstant = (text) => INSTANT.test(text) && Number.isFinite(Date.parse(text));

/** What a parameter must be, else it counts as absent: a mistyped or shortened link still shows its page. @type {Map<string, (text: string) => boolean>} */
const TIMES = new Map([["as-of", isInstant], ["since", isInstant], ["until", isInstant], ["from", isDay], ["to", isDay]]);

/** @returns {Route} */
export function currentRoute() {
  const [path, search = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const decoded = path.split("/").filter(Boolean).map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { path: decoded, params: Object.fromEntries([...new URLSearchParams(search)].filter(([name, value]) => TIMES.get(name)?.(value) ?? true)) };
}

/** The address of a page; parameters without a value are left out. @param {string[]} path @param {Record<string, any>} [params] */
export function linkTo(path, params = {}) {
  const set = Object.entries(params).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const search = set.length ? `?${new URLSearchParams(set.map(([name, value]) => [name, String(value)]))}` : "";
  return `#/${path.map(encodeURIComponent).join("/")}${search}`;
}

/** @param {string} link @param {{replace?: boolean}} [options] */
export function go(link, { replace = false } = {}) {
  if (replace) {
    history.replaceState(null, "", link);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = link;
  }
}

/** Changes some parameters of this page's address. @param {Record<string, any>} changes @param {{replace?: boolean}} [options] */
export function goWith(changes, options) {
  const { path, params } = currentRoute();
  go(linkTo(path, { ...params, ...changes }), options);
}

/** @returns {Route} */
export function useRoute() {
  const [route, setRoute] = useState(currentRoute);
  const drawn = useRef(location.hash);
  useEffect(() => {
    const changed = () => setRoute(currentRoute());
    addEventListener("hashchange", changed);
    if (location.hash !== drawn.current) changed(); // between the first drawing and now
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}
