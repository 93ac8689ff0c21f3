// Figures as people write them, in the form that the API takes.

/** Arabic and Persian digits as Latin ones. @param {string} text */
export const latinDigits = (text) => text.replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660)).replace(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0));

/** Arabic digits, grouped ones and decimal commas as the API takes them. @param {string} text */
export function numeral(text) {
  const latin = latinDigits(text.trim()).replace("٫", ".").replace(/[\s\u00a0٬']/g, "");
  // groups of three can be told from decimals by a second separator alone
  if (/^[+-]?[1-9]\d{0,2}((\.\d{3})+,\d+|(\.\d{3}){2,})$/.test(latin)) return latin.replaceAll(".", "").replace(",", ".");
  if (/^[+-]?[1-9]\d{0,2}((,\d{3})+\.\d+|(,\d{3}){2,})$/.test(latin)) return latin.replaceAll(",", "");
  // 1,200 may be a thousand or little more than one: it stays as it is, and is refused
  return /^[+-]?\d+,\d+$/.test(latin) && !/^[+-]?[1-9]\d{0,2},\d{3}$/.test(latin) ? latin.replace(",", ".") : latin;
}
