// What draws the pages: Preact with templates that the browser reads as they are.

import { h } from "../vendor/preact/preact.mjs";
import htm from "../vendor/htm/htm.mjs";

export { Fragment, render } from "../vendor/preact/preact.mjs";
export { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "../vendor/preact/hooks.mjs";
export const html = htm.bind(h);
