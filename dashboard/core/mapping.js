// From the columns of a file to the members of a record: guesses, and what the API takes.

import { fromLocalInput, word } from "./format.js";
import { areaOf, inUnit } from "./geometry.js";
import { t, tn } from "./i18n.js";
import { latinDigits, numeral } from "./numeral.js";
import { isDay } from "./days.js";
import { NAMED } from "./records.js";

/** @typedef {import("./resources.js").Member} Member */
/** @typedef {import("./tabular.js").Row} Row */
/** @typedef {import("./tabular.js").Source} Source */
/** A member, or one of the two parts of a position. @typedef {{name: string, label: string, member: Member, part?: "lat" | "lng", drawn?: boolean}} Target */

/** The entry of a mapping that takes the area of the drawn boundary. */
export const DRAWN = "\u0000drawn";

/** What columns are often called. */
const NAMES = /** @type {Record<string, string[]>} */ ({
  name: ["title", "fieldname", "plot", "parcel", "nom", "nombre", "الاسم", "اسم"], label: ["name", "id", "plant", "tree", "الاسم"], title: ["name", "task", "subject", "todo", "المهمة"],
  area: ["ha", "hectares", "areaha", "size", "acreage", "المساحة"], description: ["desc", "details", "الوصف"], notes: ["note", "remarks", "comment", "comments", "ملاحظات"],
  lat: ["latitude", "y", "ycoord"], lng: ["longitude", "lon", "long", "x", "xcoord"], tagId: ["tag", "rfid", "qr", "barcode"], cropType: ["crop", "species", "المحصول"],
  amount: ["sum", "total", "cost", "value", "المبلغ"], transactionDate: ["date", "day", "التاريخ"], note: ["notes", "description", "remarks", "الوصف"], dueDate: ["due", "deadline", "date"],
  assignedTo: ["assignee", "who", "worker"], fieldId: ["field", "plot", "parcel", "الحقل"], cropId: ["crop", "المحصول"], soilPh: ["ph"], plantingDate: ["planted", "plantedon"], plantedAt: ["planted", "plantingdate"],
  observedOn: ["date", "day"], cropName: ["crop", "product"], startedAt: ["date", "start", "began"], sampledAt: ["date", "sampled"], durationMinutes: ["duration", "minutes"], waterVolume: ["water", "volume"],
});

/** @param {string} text */
const key = (text) => text.normalize("NFKC").toLocaleLowerCase("en").replace(/[^\p{L}\p{N}]/gu, "");

/** What a file's columns can be mapped to. @param {Member[]} members @returns {Target[]} */
export const targetsOf = (members) => members.filter((member) => member.only !== "edit" && member.type !== "farm" && member.type !== "days").flatMap((member) => (member.type === "position"
  ? [{ name: `${member.name}.lat`, label: t("Latitude"), member, part: /** @type {const} */ ("lat") }, { name: `${member.name}.lng`, label: t("Longitude"), member, part: /** @type {const} */ ("lng") }]
  : [{ name: member.name, label: member.label, member }]));

/** @param {Source} source */
export const hasPolygons = ({ geometries }) => geometries.includes("Polygon") || geometries.includes("MultiPolygon");

/** @param {Target[]} targets @param {Source} source @returns {Record<string, string>} the column of each target, "" if there is none */
export function guess(targets, source) {
  const taken = new Set();
  /** @type {Record<string, string>} */
  const found = {};
  const take = (/** @type {Target} */ target, /** @type {string[]} */ names) => {
    const column = source.columns.find((each) => !taken.has(each) && names.includes(key(each)));
    if (!column || found[target.name]) return;
    found[target.name] = column;
    taken.add(column);
  };
  for (const target of targets) take(target, [target.part ?? target.name, target.label].map(key));
  for (const target of targets) take(target, NAMES[target.part ?? target.name] ?? []);
  for (const target of targets) if (!found[target.name]) found[target.name] = target.name === "area" && hasPolygons(source) ? DRAWN : "";
  return found;
}

/** 2026/3/1 and ١.٣.٢٠٢٦ as 2026-03-01; what could mean two days stays as it is. @param {string} text */
export function date(text) {
  const latin = latinDigits(text);
  const [, year, month, day] = latin.match(/^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/) ?? [];
  if (year) return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const [, dotDay, dotMonth, dotYear] = latin.match(/^(\d{1,2})\.(\d{1,2})\.(\d{4})$/) ?? [];
  return dotYear ? `${dotYear}-${dotMonth.padStart(2, "0")}-${dotDay.padStart(2, "0")}` : latin;
}

/** What the records of each type are called where there is no such record, or several. */
const UNNAMED = /** @type {Record<string, {none: (name: string) => string, several: (name: string, n: number) => string}>} */ ({
  field: { none: (name) => t("There is no field {name}.", { name }), several: (name, n) => tn("There is {n} field called {name}.", "There are {n} fields called {name}.", n, { name }) },
  crop: { none: (name) => t("There is no crop {name}.", { name }), several: (name, n) => tn("There is {n} crop called {name}.", "There are {n} crops called {name}.", n, { name }) },
});

/**
 * The records that a text means: the one with that id, else those of that name, else those whose name differs in case and punctuation alone.
 * @param {any[]} rows @param {(row: any) => string} nameOf @param {string} text
 */
function recordsOf(rows, nameOf, text) {
  const tests = [(/** @type {any} */ row) => row.id === text, (/** @type {any} */ row) => nameOf(row) === text, (/** @type {any} */ row) => key(text) && key(nameOf(row)) === key(text)];
  return tests.map((test) => rows.filter(test)).find((found) => found.length > 0) ?? [];
}

/** @param {Member} member @param {string} name @param {any} context @returns {{value: any, problem: string}} problem: why it is none */
function referred(member, name, context) {
  const type = /** @type {keyof typeof NAMED} */ (member.type), { rows, nameOf } = NAMED[type];
  if (!context[rows] || !Object.hasOwn(UNNAMED, type)) return { value: name, problem: "" };
  const found = recordsOf(context[rows], nameOf, name);
  const problem = found.length === 1 ? "" : found.length ? UNNAMED[type].several(name, found.length) : UNNAMED[type].none(name);
  return { value: problem ? name : found[0].id, problem };
}

/** @param {Member} member @param {string} text @param {any} context */
function meant(member, text, context) {
  const trimmed = text.trim();
  if (member.type === "number") return numeral(trimmed);
  if (member.type === "select") return member.options?.find((each) => key(each) === key(trimmed) || key(word(each)) === key(trimmed)) ?? trimmed;
  if (member.type === "yes") return ["true", "yes", "1", key(t("Yes"))].includes(key(trimmed));
  if (member.type === "date") return date(trimmed);
  if (member.type === "instant") {
    const [, day, clock] = latinDigits(trimmed).match(/^(\S+?)(?:[T ]((?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?))?$/) ?? [];
    const of = day && date(day);
    return of && isDay(of) ? fromLocalInput(`${of}T${(clock ?? "00:00").replace(/^\d:/, "0$&")}`, context.zone) : trimmed;
  }
  return trimmed;
}

/** What a row gives for a member; null if nothing. @param {Row} row @param {Target} target @param {string} column @param {any} context @returns {{value: any, problem?: string}} */
function given(row, { member, part }, column, context) {
  if (column === DRAWN) {
    const drawn = areaOf(row.geometry);
    return { value: drawn === null ? null : String(Number(inUnit(drawn, context.farm.areaUnit).toPrecision(6))) };
  }
  const text = column ? row.values[column]?.trim() : "";
  if (!text) return { value: null };
  if (member.type && Object.hasOwn(NAMED, member.type)) return referred(member, text, context);
  return { value: part ? numeral(text) : meant(member, row.values[column], context) };
}

/**
 * What keeps the geometry of a row from its record: dropped, or reduced to its first part, it would be another one than that of the file.
 * @param {Row} row @param {string | null} shape @param {boolean} placed whether the record has a position @returns {string}
 */
function problemOfGeometry({ geometry, unread }, shape, placed) {
  const type = (geometry ?? unread)?.type;
  if (!type || !(shape || placed)) return "";
  if (shape === "boundaries" && !String(type).endsWith("Polygon") && type !== "GeometryCollection") return t("A boundary is a polygon; this is of the type {type}.", { type });
  if (unread) return t("The geometry cannot be read.");
  if (shape && type === "MultiPolygon") return tn("The boundary has {n} part; a field or block has one.", "The boundary has {n} parts; a field or block has one.", geometry.coordinates.length);
  return type === "MultiPoint" ? tn("There is {n} point; a record has one.", "There are {n} points; a record has one.", geometry.coordinates.length) : "";
}

/**
 * The body of a request for a row, and what can be told to be missing before it is sent.
 * @param {Row} row @param {Target[]} targets @param {Record<string, string>} mapping @param {{shape: string | null, fixed: any, context: any}} into shape: the member that takes the geometry
 * @returns {{body: any, problem: string}}
 */
export function recordOf(row, targets, mapping, { shape, fixed, context }) {
  /** @type {any} */
  const body = { ...fixed };
  const problems = [];
  for (const target of targets) {
    const { member, part, name, label } = target, column = mapping[name];
    let { value, problem } = given(row, target, column, context);
    if (problem) problems.push(problem);
    if (value === null && !part && member.need && body[name] === undefined && member.first !== undefined && member.first !== "now") value = typeof member.first === "function" ? member.first(context.zone) : member.first;
    if (value === null) {
      if (member.need && body[name] === undefined) problems.push(t("{label} is missing", { label }));
    } else if (part) {
      body[member.name] = { ...body[member.name], [part]: value };
    } else {
      body[name] = value;
    }
  }
  const position = targets.find((target) => target.part)?.member.name;
  const kept = problemOfGeometry(row, shape, Boolean(position) && !body[/** @type {string} */ (position)]);
  if (kept) problems.push(kept);
  if (position && row.geometry?.type === "Point" && !body[position]) body[position] = { lat: row.geometry.coordinates[1], lng: row.geometry.coordinates[0] };
  else if (shape && row.geometry && !kept) body[shape] = row.geometry;
  return { body, problem: problems.join(" – ") };
}
