// Loading data for a page and sending changes: what fails is told, and tried again by itself.

import { OUTDATED, Refusal, send, uuid } from "./api.js";
import { t } from "./i18n.js";
import { useEffect, useRef, useState } from "./view.js";

/**
 * @template T
 * @typedef {{value: T | undefined, error: Refusal | null, loading: boolean, reload: () => void}} Loaded
 */

const FIRST_WAIT = 2_000, LONGEST_WAIT = 30_000;

/**
 * Loads now and whenever `inputs` change. While it loads again, the earlier value stays unless `fresh` changed.
 * A failure that may pass is tried again after 2, 4, 8… seconds, when the network is back, and by reload().
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} load @param {any[]} inputs @param {any} [fresh]
 * @returns {Loaded<T>}
 */
export function useLoad(load, inputs, fresh) {
  const [state, setState] = useState(/** @type {{value: T | undefined, error: Refusal | null, loading: boolean, of: any}} */
    ({ value: undefined, error: null, loading: true, of: fresh }));
  const [attempt, setAttempt] = useState(0);
  const wait = useRef(FIRST_WAIT);
  useEffect(() => {
    const stop = new AbortController();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const again = () => setAttempt((count) => count + 1);
    setState((now) => ({ ...now, loading: true, value: now.of === fresh ? now.value : undefined, of: fresh }));
    load(stop.signal).then(
      (value) => {
        if (stop.signal.aborted) return;
        wait.current = FIRST_WAIT;
        setState({ value, error: null, loading: false, of: fresh });
      },
      (error) => {
        if (stop.signal.aborted) return;
        if (!(error instanceof Refusal)) {
          setState((now) => ({ ...now, error: new Refusal(500, { message: String(error.message ?? error) }), loading: false }));
          throw error;
        }
        setState((now) => ({ ...now, error, loading: false }));
        if (!error.passes) return;
        timer = setTimeout(again, Math.max(wait.current, error.retryAfter * 1_000));
        wait.current = Math.min(wait.current * 2, LONGEST_WAIT);
        addEventListener("online", again, { signal: stop.signal });
      },
    );
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [...inputs, attempt, fresh]);
  const known = state.of === fresh;
  return { value: known ? state.value : undefined, error: known ? state.error : null, loading: state.loading || !known, reload: () => setAttempt((count) => count + 1) };
}

/**
 * A part of the pages that is loaded when it is first shown, to be called by what useLoad() loads: one that does not come is tried again. One that does
 * not fit what is loaded already is of a later version of Tilth.
 * @template T
 * @param {() => Promise<T>} load
 */
export async function loadModule(load) {
  try {
    return await load();
  } catch (error) {
    if (error instanceof SyntaxError) throw new Refusal(409, { code: OUTDATED, message: t("Tilth was updated since this page was loaded. Load it again.") });
    throw new Refusal(0, { message: t("The service cannot be reached.") });
  }
}

/**
 * An action that a second click does not repeat. `run` resolves to the result; null if it was refused or is under way.
 * @template A, T
 * @param {(argument: A) => Promise<T>} act
 */
export function useAction(act) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {Refusal | null} */ (null));
  const running = useRef(false);
  const gone = useRef(false);
  useEffect(() => () => { gone.current = true; }, []);
  /** @param {A} argument @returns {Promise<T | null>} */
  const run = async (argument) => {
    if (running.current) return null;
    running.current = true;
    setBusy(true);
    setError(null);
    try {
      return await act(argument);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      if (!gone.current) setError(refusal);
      return null;
    } finally {
      running.current = false;
      if (!gone.current) setBusy(false);
    }
  };
  return { run, busy, error, setError };
}

/**
 * `act` for as long as the component is there, and nothing after that: an answer may come once a person has closed its dialog and has another
 * form open, or another page.
 * @template {any[]} A
 * @param {(...given: A) => void} act
 */
export function useWhileThere(act) {
  const gone = useRef(false);
  useEffect(() => () => { gone.current = true; }, []);
  return (/** @type {A} */ ...given) => { if (!gone.current) act(...given); };
}

/** An earlier request that got no answer was carried out all the same, and the one that corrects it was not sent. */
export class CarriedOut extends Refusal {
  /** @param {Awaited<ReturnType<typeof send>>} answer that of the earlier one */
  constructor(answer) {
    super(409, { message: t("What you sent first is saved all the same, although no answer came. What you have changed since is not saved yet.") });
    this.answer = answer;
  }
}

/** @typedef {{method: string, path: string, options: {body?: any, etag?: string | null}}} Change */

/** The answer to the one of the requests that the key belongs to, if it was carried out: none is carried out now. @param {Change[]} requests @param {string} key */
async function answerOf(requests, key) {
  for (const { method, path, options } of requests) {
    try {
      return await send(method, path, { ...options, key });
    } catch (refusal) {
      if (!(refusal instanceof Refusal) || !refusal.isAnswer) throw refusal;
    }
  }
  return null;
}

/**
 * Sends changes so that one asked for twice, because no answer arrived, is made once: requests of the same kind have the same
 * Idempotency-Key until the service has answered one. Throws CarriedOut if it turns out that the one before a correction was made.
 */
export function useChanges() {
  /** What was sent with the key and may have been carried out. @type {{current: {key: string, sent: Change[]}}} */
  const open = useRef({ key: "", sent: [] });
  /** @param {string} method @param {string} path @param {{body?: any, etag?: string | null}} [options] @returns {ReturnType<typeof send>} */
  return async function change(method, path, options = {}) {
    if (!open.current.sent.some((each) => each.method === method && each.path === path)) open.current = { key: uuid(), sent: [] };
    const { key, sent } = open.current, said = JSON.stringify(options.body);
    const earlier = sent.filter((each) => JSON.stringify(each.options.body) !== said);
    if (earlier.length === sent.length) sent.push({ method, path, options });
    try {
      const answer = await send(method, path, { ...options, key });
      open.current.sent = [];
      return answer;
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      if (refusal.isAnswer && earlier.length === 0) open.current.sent = [];
      if (refusal.status !== 409 || !refusal.isAnswer || earlier.length === 0) throw refusal;
    }
    // The key belongs to one of them, which was carried out or refused.
    const answer = await answerOf(earlier, key);
    open.current.sent = [];
    if (answer) throw new CarriedOut(answer);
    return change(method, path, options);
  };
}
