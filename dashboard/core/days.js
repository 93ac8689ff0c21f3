// Days of the calendar, as addresses and files write them.

/** Whether it is one, such as 2026-03-01: a date that a calendar does not have, such as 30 February, would be read as a later one. @param {string} text */
export function isDay(text) {
  const at = /^[1-9]\d{3}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00Z`) : NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
