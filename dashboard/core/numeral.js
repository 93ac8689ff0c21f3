// Figures as people write them, in the form that the API takes.

/** Arabic digits and decimal commas as the API takes them. @param {string} text */
export function numeral(text) {
  const latin = text.trim().replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660)).replace(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0)).replace("٫", ".").replace(/[\s\u00a0٬']/g, "");
  // 1,200 may be a thousand or little more than one: it stays as it is, and is refused
  return /^[+-]?\d+,\d+$/.test(latin) && !/^[+-]?[1-9]\d{0,2},\d{3}$/.test(latin) ? latin.replace(",", ".") : latin;
}
