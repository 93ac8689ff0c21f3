// The runbook: what to do about a bad figure, as docs/operations.md says.

import { t } from "../core/i18n.js";
import { loadModule, useLoad } from "../core/load.js";
import { linkTo } from "../core/route.js";
import { Empty, Loading, PageHead } from "../core/ui.js";
import { html } from "../core/view.js";

// a variable, so that the type check leaves the module alone: it is made when the program is built
const MODULE = /** @type {string} */ ("/assets/operators/runbook-text.js");

/** Code, emphasis and links of a paragraph. @param {string} text @param {Record<string, {title: string}>} sections */
function inline(text, sections) {
  return text.split(/(`[^`]+`|\*[^*]+\*|\[[^\]]+\]\([^)]+\))/).map((part) => {
    if (/^`.+`$/s.test(part)) return html`<code>${part.slice(1, -1)}</code>`;
    const link = part.match(/^\[([^\]]+)\]\(([^)]+)\)$/s);
    if (link) return link[1];
    if (!/^\*.+\*$/s.test(part)) return part;
    const words = part.slice(1, -1), slug = words.replaceAll(/\s+/g, "-").toLowerCase();
    const target = sections[slug] ? slug : Object.keys(sections).find((each) => each.endsWith(slug));
    return target ? html`<a href=${linkTo(["runbook", target])}>${words}</a>` : html`<em>${words}</em>`;
  });
}

/** @param {{path: string[]}} props */
export default function Runbook({ path: [name] }) {
  const book = useLoad(async () => (await loadModule(() => import(MODULE))).RUNBOOK, []);
  return html`<${Loading} from=${book}>${(/** @type {Record<string, {title: string, text: string}>} */ sections) => {
    const section = Object.hasOwn(sections, name ?? "") ? sections[name] : null;
    return html`<${PageHead} key=${name} title=${section?.title ?? t("Runbook")} crumbs=${[[t("Overview"), linkTo(["overview"])], [t("Runbook"), name ? linkTo(["runbook"]) : undefined]]} />
      ${section ? html`<section class="card padded" lang="en" dir="ltr"><div class="prose">${section.text.split(/\n\s*\n/).map((paragraph) => (paragraph.startsWith("```")
        ? html`<pre>${paragraph.replace(/^```\w*\n|\n```$/g, "")}</pre>` : html`<p>${inline(paragraph, sections)}</p>`))}</div></section>`
      : name ? html`<section class="card"><${Empty} icon="book" title=${t("The runbook has no such section.")} /></section>`
      : html`<section class="card"><ul class="picks all" lang="en" dir="ltr">${Object.entries(sections).map(([slug, { title }]) => html`<li><a href=${linkTo(["runbook", slug])}>${title}</a></li>`)}</ul></section>`}`;
  }}<//>`;
}
