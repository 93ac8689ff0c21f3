// The pages' words. English is written where it is used; another language has a dictionary from it.

export const LANGUAGES = { en: "English", ar: "العربية" };

/** @type {Record<string, string | Record<string, string>>} */
let dictionary = {};
let language = "en";
/** What the service says in English, each with how to say it. @type {{form: RegExp, said: string}[]} */
let sentences = [];

export const locale = () => (language === "ar" ? "ar-u-ca-gregory-nu-latn" : navigator.language.startsWith("en") ? navigator.language : "en-GB");
export const currentLanguage = () => language;

function wanted() {
  const kept = localStorage.getItem("language");
  if (kept && Object.hasOwn(LANGUAGES, kept)) return kept;
  return navigator.languages.map((each) => each.split("-")[0]).find((each) => Object.hasOwn(LANGUAGES, each)) ?? "en";
}

/** Arabic of pages that have words of their own. @type {(() => Promise<{AR: typeof dictionary}>)[]} */
const more = [];

/** @param {(typeof more)[number]} load */
export const addArabic = (load) => more.push(load);

let asked = 0; // for a language

/** Loads a language: the one that was chosen, else the browser's. If its words cannot be had, it throws, and the language stays. */
export async function loadLanguage(name = wanted()) {
  const now = ++asked;
  const [service, ...own] = name === "ar" ? await Promise.all([import("./ar-service.js"), import("./ar.js"), ...more.map((load) => load())]) : [{ SERVICE: {} }];
  if (now !== asked) return; // another one was chosen before the words of this came
  language = name;
  dictionary = Object.assign({}, ...own.map(({ AR }) => AR));
  sentences = Object.entries(service.SERVICE).map(([form, said]) => ({ form: formOf(form), said }));
  document.documentElement.lang = language;
  document.documentElement.dir = language === "ar" ? "rtl" : "ltr";
}

/** @param {string} name */
export async function chooseLanguage(name) {
  await loadLanguage(name);
  if (language === name) localStorage.setItem("language", name);
}

/** @param {string} text @param {Record<string, any>} values */
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));

/** The text in the person's language; {names} stand for values. @param {string} text @param {Record<string, any>} [values] */
export function t(text, values = {}) {
  const translated = Object.hasOwn(dictionary, text) ? dictionary[text] : text;
  return fill(typeof translated === "string" ? translated : translated.other, values);
}

/** What a sentence with {names} matches. @param {string} sentence */
const formOf = (sentence) => new RegExp(`^${sentence.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{(\w+)\}/g, "(?<$1>.*)")}$`, "s");

/** What the service says, in the person's language as far as it is known. @param {string} text */
export function told(text) {
  for (const { form, said } of sentences) {
    const found = text.match(form);
    if (found) return fill(said, found.groups ?? {});
  }
  return text;
}

/** By number: `one` for 1, `other` for every other, in English. @param {string} one @param {string} other @param {number} n @param {Record<string, any>} [values] */
export function tn(one, other, n, values = {}) {
  const forms = Object.hasOwn(dictionary, other) ? dictionary[other] : { one, other };
  const rule = new Intl.PluralRules(locale()).select(n);
  const text = typeof forms === "string" ? forms : forms[rule] ?? forms.other;
  return fill(text, { n: n.toLocaleString(locale()), ...values });
}
