// A filter that is sent when it is finished: what is typed stays while the page loads.

import { TextField } from "./ui.js";
import { html, useEffect, useState } from "./view.js";

/** A TextField without onInput. @param {any} props */
export function Typed({ value, ...rest }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return html`<${TextField} ...${rest} value=${text} onInput=${setText} />`;
}
