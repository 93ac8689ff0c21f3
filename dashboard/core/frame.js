// The frame around a page, for people who farm and for operators: the menu, the language, and the page of an address.

import { keepFocus } from "./focus.js";
import { LANGUAGES, chooseLanguage, currentLanguage, loadLanguage, t } from "./i18n.js";
import { Icon } from "./icons.js";
import { loadModule, useLoad } from "./load.js";
import { linkTo, useRoute } from "./route.js";
import { Button, Empty, PageHead, Skeleton, Trouble, say } from "./ui.js";
import { html, render, useEffect, useRef, useState } from "./view.js";

/** Each page's module, loaded when it is first shown. @typedef {Map<string, () => Promise<any>>} Pages */
/** Titles, and under each the pages: their names, words and icons. @typedef {[string, [string, string, import("./icons.js").Name][]][]} Sections */

/** @param {{home: string, words: string, icon: import("./icons.js").Name}} props */
const Missing = ({ home, words, icon }) => html`<${PageHead} title=${t("No such page")} /><div class="card"><${Empty} icon=${icon} title=${t("There is nothing at this address.")}
  text=${t("It may have been removed, or the link is incomplete.")}><a class="button primary" href=${linkTo([home])}>${words}</a><//></div>`;

/**
 * Shows the page of the address, once its module is there.
 * @param {{pages: Pages, name: string, missing: {home: string, words: string, icon: import("./icons.js").Name}, user?: any}} props
 */
export function Page({ pages, name, missing, user }) {
  const route = useRoute();
  const open = pages.get(name);
  const page = useLoad(async () => {
    return { Shown: open ? (await loadModule(open)).default : null };
  }, [name], name);
  if (page.error) return html`<${PageHead} title="Tilth" /><${Trouble} error=${page.error} retry=${page.reload} />`;
  if (!page.value) return html`<${Skeleton} />`;
  if (!page.value.Shown) return html`<${Missing} ...${missing} />`;
  return html`<${page.value.Shown} key=${name} user=${user} path=${route.path.slice(1)} params=${route.params} />`;
}

/** @param {{onDone: () => void}} props */
export function Language({ onDone }) {
  return html`<select aria-label=${t("Language")} onChange=${async (/** @type {any} */ event) => {
    const select = event.currentTarget;
    try {
      await chooseLanguage(select.value);
    } catch {
      select.value = currentLanguage();
      return say(t("The service cannot be reached."));
    }
    onDone();
  }}>
    ${Object.entries(LANGUAGES).map(([name, words]) => html`<option value=${name} selected=${name === currentLanguage()} lang=${name}>${words}</option>`)}</select>`;
}

/**
 * The menu with the pages, and the page next to it. brand: its name; below: what stands under the links; more: links after those of a title.
 * @param {{brand: any, sections: Sections, current: string, more?: Record<string, any>, below: any, children?: any}} props
 */
export function Frame({ brand, sections, current, more = {}, below, children }) {
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(false), [location.hash]);
  const main = useRef(/** @type {HTMLElement | null} */ (null));
  return html`
    <button type="button" class="button primary skip" onClick=${() => main.current?.focus()}>${t("Skip to the content")}</button>
    <div class="frame">
      <header class="top">${brand}<${Button} kind="quiet push" icon="menu" aria-expanded=${open ? "true" : "false"} aria-controls="side" onClick=${() => setOpen(!open)}>${t("Menu")}<//></header>
      <aside class="side ${open ? "open" : ""}" id="side" aria-label=${t("Menu")}>${brand}
        <nav id="sections" aria-label=${t("Pages")} onClick=${(/** @type {any} */ event) => { if (event.target.closest("a")) setOpen(false); }}>${sections.map(([title, pages]) => html`<div><h2>${title}</h2><ul>
          ${pages.map(([page, words, icon]) => html`<li><a href=${linkTo([page])} aria-current=${page === current ? "page" : undefined}><${Icon} name=${icon} />${words}</a></li>`)}
          ${more[title] ?? null}</ul></div>`)}</nav>
        <div class="account">${below}</div>
      </aside>
      <main id="main" tabindex="-1" ref=${main}>${children}</main>
    </div>`;
}

/** Draws the pages in the person's language. @param {any} App */
export async function start(App) {
  const worded = await loadLanguage().then(() => true, () => false);
  const place = /** @type {HTMLElement} */ (document.getElementById("app"));
  place.replaceChildren();
  keepFocus();
  // A module that did not come once is asked for again by a new page alone.
  render(html`${worded ? null : html`<div class="notice warn" role="alert"><${Icon} name="warn" /><div lang="ar" dir="rtl">تعذّر تحميل الكلمات العربية.</div><${Button} kind="small" onClick=${() => location.reload()}>${t("Try again")}<//></div>`}<${App} />`, place);
}
