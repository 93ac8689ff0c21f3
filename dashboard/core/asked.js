// How a request of a program is shown: on the page of its owner, and to operators.

import { plain } from "./format.js";
import { t } from "./i18n.js";
import { Badge } from "./ui.js";
import { html } from "./view.js";

/** @returns {[string, string][]} */
export const statusClasses = () => [["2xx", t("Succeeded (2xx)")], ["3xx", t("Not changed (3xx)")], ["4xx", t("Refused (4xx)")], ["5xx", t("Failed (5xx)")]];

/** @param {{status: number}} props */
export const Code = ({ status }) => html`<${Badge} tone=${status >= 500 || status === 429 ? "bad" : status >= 400 ? "warn" : status >= 300 ? "plain" : "good"}>${String(status)}<//>`;

/** @param {{row: {status: number, idempotentReplayed: boolean}}} props */
export const Outcome = ({ row }) => html`<${Code} status=${row.status} />${row.idempotentReplayed ? html` <${Badge}>${t("repeated")}<//>` : null}`;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}([0-9a-f]{8})/g;

/** The request, with the ends of the ids in its path alone: their beginnings are times. @param {{row: {method: string, path: string}}} props */
export const Asked = ({ row }) => html`<span class="asked" dir="ltr" title=${plain(row.path)}><strong>${row.method}</strong> <code class="wrap">${plain(row.path).replace(UUID, "…$1")}</code></span>`;
