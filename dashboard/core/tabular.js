// Files that people have of their land, read as rows: GeoJSON, KML and CSV.

import { Refusal } from "./api.js";
import { t } from "./i18n.js";

/**
 * values: what stands in each column, as text. line: where the row stands in its file, from 1. geometry: its points or polygons, if any.
 * unread: what the file has instead, such as a line, or a polygon that is broken.
 * @typedef {{line: number, values: Record<string, string>, geometry: any, unread?: any}} Row
 * @typedef {{kind: "GeoJSON" | "KML" | "CSV", name: string, encoding: string, columns: string[], rows: Row[], geometries: string[]}} Source
 */

export const MOST_BYTES = 25_000_000, MOST_ROWS = 10_000, MOST_COLUMNS = 200;
export const ENCODINGS = ["utf-8", "windows-1252", "windows-1256", "utf-16le", "utf-16be"];

/** @param {string} message */
const refused = (message) => new Refusal(422, { message });

/** @type {Promise<any> | null} */
let loading = null;

/** Resolves to Papa Parse, which is not a module. */
export function loadPapa() {
  loading ??= new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement("script"), { src: "/assets/vendor/papaparse/papaparse.js" });
    script.addEventListener("load", () => resolve(/** @type {any} */ (window).Papa));
    script.addEventListener("error", () => {
      loading = null;
      script.remove();
      reject(new Refusal(0, { message: t("The service cannot be reached.") }));
    });
    document.head.append(script);
  });
  return loading;
}

/** The bytes as text: by their mark, else as UTF-8, else as the encoding that such files mostly have. @param {ArrayBuffer} bytes @param {string} [encoding] */
function decoded(bytes, encoding) {
  const head = new Uint8Array(bytes.slice(0, 2));
  const marked = head[0] === 0xff && head[1] === 0xfe ? "utf-16le" : head[0] === 0xfe && head[1] === 0xff ? "utf-16be" : "";
  const wanted = encoding || marked;
  if (wanted) return { text: new TextDecoder(wanted).decode(bytes), encoding: wanted };
  const declared = new TextDecoder("latin1").decode(bytes.slice(0, 200)).match(/^<\?xml[^>]*\sencoding=["']([\w-]+)/)?.[1].toLowerCase();
  try {
    if (declared && ENCODINGS.includes(declared)) return { text: new TextDecoder(declared).decode(bytes), encoding: declared };
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), encoding: "utf-8" };
  } catch {
    const guess = document.documentElement.lang === "ar" ? "windows-1256" : "windows-1252";
    return { text: new TextDecoder(guess).decode(bytes), encoding: guess };
  }
}

/** @param {any} value */
const asText = (value) => (value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value));

/** A ring that ends where it begins, without heights. @param {any} ring */
function closed(ring) {
  const flat = ring.map((/** @type {any} */ [lng, lat]) => [lng, lat]);
  const [first, last] = [flat[0], flat.at(-1)];
  return flat.length && (first[0] !== last[0] || first[1] !== last[1]) ? [...flat, first] : flat;
}

/** The points and polygons of what a file has, without lines; null for each that is broken. @param {any} geometry @returns {any[]} */
function partsOf(geometry) {
  const finite = (/** @type {any} */ position) => Array.isArray(position) && position.length >= 2 && position.slice(0, 2).every((each) => typeof each === "number" && Number.isFinite(each));
  const { type, coordinates, geometries } = geometry ?? {};
  if (type === "GeometryCollection") return Array.isArray(geometries) ? geometries.flatMap(partsOf) : [null];
  if (type === "MultiPolygon" || type === "MultiPoint") return Array.isArray(coordinates) ? coordinates.flatMap((part) => partsOf({ type: type.slice(5), coordinates: part })) : [null];
  if (type === "Point") return [finite(coordinates) ? { type, coordinates: coordinates.slice(0, 2) } : null];
  if (type !== "Polygon") return [];
  if (!Array.isArray(coordinates) || coordinates.length === 0) return [null];
  return [coordinates.every((ring) => Array.isArray(ring) && ring.length >= 3 && ring.every(finite)) ? { type, coordinates: coordinates.map(closed) } : null];
}

/** What a row has of a geometry: its polygons, else its points, one or all of them; nothing of one that is broken in part. @param {any} geometry @returns {{geometry: any, unread?: any}} */
function placed(geometry) {
  if (!geometry) return { geometry: null };
  const parts = partsOf(geometry);
  if (parts.length === 0 || parts.includes(null)) return { geometry: null, unread: geometry };
  const type = parts.some((part) => part.type === "Polygon") ? "Polygon" : "Point";
  const alike = parts.filter((part) => part.type === type);
  return { geometry: alike.length === 1 ? alike[0] : { type: `Multi${type}`, coordinates: alike.map((part) => part.coordinates) } };
}

/** @param {string} text @returns {Row[]} */
function geoJsonRows(text) {
  let document;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw refused(t("This is not valid JSON: {problem}", { problem: String(/** @type {any} */ (error).message) }));
  }
  const features = Array.isArray(document?.features) ? document.features : document?.type === "Feature" ? [document] : document?.coordinates ? [{ geometry: document, properties: {} }] : null;
  if (!features) throw refused(t("This JSON is not GeoJSON: it has no features."));
  if (features.length === 0) throw refused(t("This GeoJSON has no features."));
  return features.map((/** @type {any} */ feature, /** @type {number} */ at) => {
    const properties = feature?.properties && typeof feature.properties === "object" ? feature.properties : {};
    return { line: at + 1, values: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, asText(value)])), ...placed(feature?.geometry) };
  });
}

/** @param {Element} of @param {string} name */
const inside = (of, name) => of.getElementsByTagNameNS("*", name)[0];
/** What KML has as "lng,lat,height", at times with blanks after the commas. @param {string} tuple */
function positionOf(tuple) {
  const parts = tuple.split(",");
  return parts.length > 3 ? [] : parts.map((part) => (part === "" ? NaN : Number(part)));
}
/** @param {Element | undefined} of */
const positions = (of) => (of?.textContent ?? "").trim().replace(/\s*,\s*/g, ",").split(/\s+/).filter(Boolean).map(positionOf);

/** The geometry of a placemark as GeoJSON has it. @param {Element} placemark */
function kmlGeometry(placemark) {
  const every = (/** @type {string} */ name) => [...placemark.getElementsByTagNameNS("*", name)];
  const polygons = every("Polygon").map((polygon) => {
    const rings = ["outerBoundaryIs", "innerBoundaryIs"].flatMap((name) => [...polygon.getElementsByTagNameNS("*", name)]);
    return { type: "Polygon", coordinates: rings.map((ring) => positions(inside(ring, "coordinates"))) };
  });
  const points = every("Point").map((point) => ({ type: "Point", coordinates: positions(inside(point, "coordinates"))[0] }));
  const lines = every("LineString").map((line) => ({ type: "LineString", coordinates: positions(inside(line, "coordinates")) }));
  const geometries = [...polygons, ...points, ...lines];
  return geometries.length > 1 ? { type: "GeometryCollection", geometries } : geometries[0];
}

/** @param {string} text @returns {Row[]} */
function kmlRows(text) {
  const document = new DOMParser().parseFromString(text, "text/xml");
  if (document.querySelector("parsererror")) throw refused(t("This is not valid XML."));
  const placemarks = [...document.getElementsByTagNameNS("*", "Placemark")];
  if (placemarks.length === 0) throw refused(t("This XML has no Placemark, so it is not the KML of places."));
  return placemarks.map((placemark, at) => {
    /** @type {Record<string, string>} */
    const values = {};
    for (const child of placemark.children) if (["name", "description", "address"].includes(child.localName)) values[child.localName] = (child.textContent ?? "").trim();
    for (const data of placemark.getElementsByTagNameNS("*", "Data")) values[data.getAttribute("name") ?? ""] = (inside(data, "value")?.textContent ?? "").trim();
    for (const data of placemark.getElementsByTagNameNS("*", "SimpleData")) values[data.getAttribute("name") ?? ""] = (data.textContent ?? "").trim();
    delete values[""];
    return { line: at + 1, values, ...placed(kmlGeometry(placemark)) };
  });
}

/** What a spreadsheet would carry out, also behind the apostrophes that keep it from that: not a number with a sign. */
const FORMULA = /^'*(?![+-][\d٠-٩۰-۹.,٫٬ \u00a0]+(?:e[+-]?\d+)?$)[=+@\t\r-]/i;
/** A cell without the apostrophe that fileOf() puts before a formula. @param {string} cell */
const unguarded = (cell) => (cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell);

/** @param {string} text @returns {Promise<Row[]>} */
async function csvRows(text) {
  const Papa = await loadPapa();
  const { data, errors } = Papa.parse(text, { skipEmptyLines: "greedy" });
  const unclosed = errors.find((/** @type {any} */ { type }) => type === "Quotes"); // the rows after it have become one
  if (unclosed) throw refused(t("The quotation marks in row {n} do not match, so that the rows cannot be told apart.", { n: unclosed.row + 1 }));
  const [head = [], ...body] = data.map((/** @type {string[]} */ cells) => cells.map(unguarded));
  /** @type {string[]} */
  const names = [];
  head.forEach((/** @type {string} */ name, /** @type {number} */ at) => {
    const own = name.trim() || t("Column {n}", { n: at + 1 });
    names.push(names.includes(own) ? `${own} (${at + 1})` : own);
  });
  return body.map((/** @type {string[]} */ cells, /** @type {number} */ at) => ({ line: at + 2, values: Object.fromEntries(names.map((name, column) => [name, cells[column] ?? ""])), geometry: null }));
}

/** The rows of a file; throws a Refusal that says what is wrong with it. @param {File} file @param {string} [encoding] @returns {Promise<Source>} */
export async function readSource(file, encoding) {
  if (file.size > MOST_BYTES) throw refused(t("This file has {size} MB; {most} MB are the most at once. Split it.", { size: Math.ceil(file.size / 1e6), most: MOST_BYTES / 1e6 }));
  if (file.size === 0) throw refused(t("This file is empty."));
  const bytes = await file.arrayBuffer();
  const { text, encoding: used } = decoded(bytes, encoding);
  const start = text.replace(/^\ufeff/, "").trimStart();
  if (start.startsWith("PK\u0003\u0004")) throw refused(t("This is a packed file, such as KMZ or XLSX. Unpack it, or save it as KML or CSV."));
  if (text.slice(0, 100_000).includes("\u0000")) throw refused(t("This is not a text file. GeoJSON, KML and CSV can be read."));
  const kind = /^[[{]/.test(start) ? "GeoJSON" : start.startsWith("<") ? "KML" : "CSV";
  const rows = kind === "GeoJSON" ? geoJsonRows(start) : kind === "KML" ? kmlRows(start) : await csvRows(start);
  if (rows.length === 0) throw refused(t("This file has no row below its heading."));
  if (rows.length > MOST_ROWS) throw refused(t("This file has {n} rows; {most} are the most at once. Split it.", { n: rows.length, most: MOST_ROWS }));
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row.values)))];
  if (columns.length > MOST_COLUMNS) throw refused(t("This file has {n} columns; {most} are the most.", { n: columns.length, most: MOST_COLUMNS }));
  return { kind, name: file.name, encoding: used, columns, rows, geometries: [...new Set(rows.map((row) => row.geometry?.type).filter(Boolean))] };
}

/** What was not imported, as a file of the kind that it came in. @param {Source} source @param {{row: Row, problem: string}[]} failed @returns {Promise<File>} */
export async function fileOf(source, failed) {
  const stem = source.name.replace(/\.\w+$/, "");
  if (source.kind !== "CSV") {
    const features = failed.map(({ row, problem }) => ({ type: "Feature", properties: { ...row.values, problem }, geometry: row.geometry ?? row.unread ?? null }));
    return new File([JSON.stringify({ type: "FeatureCollection", features }, null, 1)], `${stem}-failed.geojson`, { type: "application/geo+json" });
  }
  const Papa = await loadPapa();
  const text = Papa.unparse({ fields: [...source.columns, "problem"], data: failed.map(({ row, problem }) => [...source.columns.map((name) => row.values[name] ?? ""), problem]) },
    { escapeFormulae: FORMULA });
  return new File([`\ufeff${text}`], `${stem}-failed.csv`, { type: "text/csv" });
}
