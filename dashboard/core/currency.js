// Amounts of money as people read them.

import { number } from "./format.js";
import { locale } from "./i18n.js";

/** @param {string | number} value @param {string} currency @param {Intl.NumberFormatOptions} [options] */
export function money(value, currency, options = {}) {
  try {
    return new Intl.NumberFormat(locale(), { style: "currency", currency, currencyDisplay: "code", ...options }).format(Number(value));
  } catch {
    return `${number(value, 2)} ${currency}`;
  }
}

/** The price of one unit, which may be less than the smallest coin. @param {string | number} value @param {string} currency */
export const price = (value, currency) => money(value, currency, { maximumFractionDigits: 6 });
