// The pages of all farms as they were: the slider is loaded when it is first asked for.

import { get } from "../core/api.js";
import { browserZone } from "../core/format.js";
import { t } from "../core/i18n.js";
import { loadModule, useLoad } from "../core/load.js";
import { Button, Trouble } from "../core/ui.js";
import { html, useState } from "../core/view.js";
import { zoneOf } from "./task-actions.js";

/** The time that a page shows, and the button that opens its slider. @param {Record<string, string>} params */
export function usePast(params) {
  const asOf = params["as-of"] ?? null;
  const [open, setOpen] = useState(false);
  const shown = open || asOf !== null;
  const button = asOf ? null : html`<${Button} kind="quiet" icon="history" aria-expanded=${shown ? "true" : "false"} onClick=${() => setOpen(!open)}>${t("As it was")}<//>`;
  return { asOf, button, shown };
}

/** The slider, which begins with the first event. @param {{past: ReturnType<typeof usePast>, farms?: Map<string, any>}} props */
export function PastBar({ past: { asOf, shown }, farms }) {
  const loaded = useLoad(async (signal) => {
    if (!shown) return null;
    const [{ AsOfBar }, lines] = await Promise.all([loadModule(() => import("./history.js")), get("/events?limit=1", { signal, text: true })]);
    return { AsOfBar, from: lines ? JSON.parse(lines.split("\n")[0]).time : new Date().toISOString() };
  }, [shown]);
  const zones = [...new Set([...(farms?.values() ?? [])].map(zoneOf))];
  if (!shown) return null;
  if (loaded.error) return html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />`;
  return loaded.value ? html`<${loaded.value.AsOfBar} from=${loaded.value.from} asOf=${asOf} zone=${zones.length === 1 ? zones[0] : browserZone()} />` : null;
}
