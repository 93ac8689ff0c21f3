// Areas and bounds of GeoJSON on the sphere, and where it lies on a map.

const RADIUS = 6_371_008.8; // meters, the mean one
const RADIANS = Math.PI / 180;

/** @param {number[][]} ring [lng, lat] */
function ringArea(ring) {
  let sum = 0;
  for (let i = 0; i < ring.length; ++i) {
    const [lng1, lat1] = ring[i], [lng2, lat2] = ring[(i + 1) % ring.length];
    sum += (lng2 - lng1) * RADIANS * (2 + Math.sin(lat1 * RADIANS) + Math.sin(lat2 * RADIANS));
  }
  return Math.abs((sum * RADIUS * RADIUS) / 2);
}

/** Square meters. @param {{coordinates: number[][][]}} polygon */
export const polygonArea = ({ coordinates: [outer, ...holes] }) => ringArea(outer) - holes.reduce((sum, hole) => sum + ringArea(hole), 0);

const SQUARE_METERS = { hectare: 10_000, acre: 4_046.8564224, square_meter: 1, square_foot: 0.09290304, feddan: 4_200.833, dunam: 1_000 };

/** Square meters of a polygon or of several, else null. @param {any} geometry */
export const areaOf = (geometry) => (geometry?.type === "Polygon" ? polygonArea(geometry)
  : geometry?.type === "MultiPolygon" ? geometry.coordinates.reduce((/** @type {number} */ sum, /** @type {any} */ coordinates) => sum + polygonArea({ coordinates }), 0) : null);

/** @param {number} squareMeters @param {string} unit */
export const inUnit = (squareMeters, unit) => squareMeters / SQUARE_METERS[/** @type {keyof typeof SQUARE_METERS} */ (unit)];

const FURTHEST = 85.0511287798;

/** Where a place lies on the world map of 256 pixels, in Web Mercator. @param {number} lat @param {number} lng @returns {[number, number]} */
export function onWorldMap(lat, lng) {
  const sine = Math.sin(Math.max(-FURTHEST, Math.min(FURTHEST, lat)) * RADIANS);
  return [256 * (lng / 360 + 0.5), 256 * (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI))];
}

/** Positions as [lat, lng]. @param {any} geometry @returns {[number, number][]} */
export function positionsOf(geometry) {
  if (!geometry) return [];
  if (geometry.type === "Point") return [[geometry.coordinates[1], geometry.coordinates[0]]];
  return geometry.coordinates.flat({ MultiPoint: 0, MultiPolygon: 2 }[/** @type {string} */ (geometry.type)] ?? 1).map((/** @type {number[]} */ [lng, lat]) => [lat, lng]);
}
