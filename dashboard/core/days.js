// Days of the calendar, as addresses and files write them.

/** Whether it is one, such as 2026-03-01: a date that a calendar does not have, such as 30 February, would be read as a later one. @param {string} text */
export function isDay(text) {
  const at = /^[1-9]\d{3}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00Z`) : NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

/** The day so many days later; after the year 9999, none that isDay() knows. A day of a zone may have 23 or 25 hours, so it is counted by the calendar. @param {string} day @param {number} days */
export const daysLater = (day, days) => new Date(Date.parse(`${day}T00:00Z`) + days * 86_400_000).toISOString().split("T")[0];
