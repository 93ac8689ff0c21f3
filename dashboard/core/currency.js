// Amounts of money as people read them.

import { number } from "./format.js";
import { locale } from "./i18n.js";

const PLACES = 8; // which the API has at most

/** An amount of the API, which is text, with all its digits; a number, which may be inexact, with those of the currency. @param {string | number} value @param {string} currency @param {Intl.NumberFormatOptions} [options] */
export function money(value, currency, options = {}) {
  const digits = typeof value === "string" ? { maximumFractionDigits: PLACES } : {};
  try {
    return new Intl.NumberFormat(locale(), { style: "currency", currency, currencyDisplay: "code", ...digits, ...options }).format(/** @type {any} */ (value));
  } catch {
    return `${number(value, digits.maximumFractionDigits ?? 2)} ${currency}`;
  }
}

/** The exact sum of decimals as the API writes them. @param {string[]} decimals */
export function sumOf(decimals) {
  const places = Math.max(1, ...decimals.map((each) => each.split(".")[1]?.length ?? 0));
  const scaled = decimals.map((each) => each.split(".")).map(([whole, part = ""]) => BigInt(whole + part.padEnd(places, "0")));
  const sum = scaled.reduce((all, each) => all + each, 0n), digits = String(sum < 0n ? -sum : sum).padStart(places + 1, "0");
  return `${sum < 0n ? "-" : ""}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** @param {string} decimal */
export const negated = (decimal) => (decimal.startsWith("-") ? decimal.slice(1) : `-${decimal}`);
