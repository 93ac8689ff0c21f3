// The map: Leaflet, loaded when a page first needs it, and a layer that draws many points on one canvas.

import { onWorldMap } from "./geometry.js";

/** @type {Promise<any> | null} */
let loading = null;

/** Resolves to Leaflet. */
export function loadLeaflet() {
  loading ??= new Promise((resolve, reject) => {
    const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/assets/vendor/leaflet/leaflet.css" });
    document.head.prepend(style); // before ours, which refines it
    const script = Object.assign(document.createElement("script"), { src: "/assets/vendor/leaflet/leaflet.js" });
    script.addEventListener("load", () => resolve(/** @type {any} */ (window).L));
    script.addEventListener("error", () => {
      loading = null;
      script.remove();
      reject(new Error("The map cannot be loaded."));
    });
    document.head.append(script);
  });
  return loading;
}

/** @type {Promise<{url: string, attribution: string} | null> | null} */
let tiles = null;

/** Puts the configured tiles below everything else on a map. Without them it shows only what is drawn. @param {any} L @param {any} map */
export async function addTiles(L, map) {
  tiles ??= fetch("/assets/map.json").then(async (response) => (response.ok ? (await response.json()).tiles : null)).catch(() => (tiles = null));
  const found = await tiles;
  if (!found || !map.getPane("tilePane")) return; // it went meanwhile
  const words = document.createElement("span");
  words.textContent = found.attribution;
  // their server is told the page's origin, which some of them demand, and nothing else
  L.tileLayer(found.url, { maxZoom: 23, maxNativeZoom: 19, referrerPolicy: "strict-origin" }).addTo(map);
  if (found.attribution) L.control.attribution({ prefix: false }).addAttribution(words.innerHTML).addTo(map);
}

const PADDING = 0.2; // of the map's size, on each side: what a drag brings into view is drawn already
const REACH = 12; // pixels from a point within which a finger means it

/** Points of several colours: where they are on the world map, and for each the place of its colour. @typedef {{xs: Float64Array, ys: Float64Array, codes: Uint8Array, colors: string[], [more: string]: any}} Group */

/** @param {{lat: number, lng: number}[]} places @param {string} color @returns {Group} */
export function groupOf(places, color) {
  const xs = new Float64Array(places.length), ys = new Float64Array(places.length);
  places.forEach(({ lat, lng }, at) => { [xs[at], ys[at]] = onWorldMap(lat, lng); });
  return { xs, ys, codes: new Uint8Array(places.length), colors: [color] };
}

/** A disc as pixels: how far each lies from the middle, and its colour as a canvas keeps it, paler where the edge crosses it. @param {string} color @param {number} radius */
function discOf(color, radius) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)), reach = Math.ceil(radius + 0.5), parts = [0.125, 0.375, 0.625, 0.875];
  /** @type {number[][]} */
  const pixels = [];
  for (let y = -reach; y <= reach; ++y) {
    for (let x = -reach; x <= reach; ++x) {
      const within = parts.flatMap((right) => parts.map((down) => Math.hypot(x + right - 0.5, y + down - 0.5) <= radius)).filter(Boolean).length;
      if (within) pixels.push([x, y, ((Math.round((within / 16) * 255) << 24) | (blue << 16) | (green << 8) | red) >>> 0]);
    }
  }
  return { reach, pixels };
}

/** Draws the points of a group that lie within an image. @param {ImageData} image @param {Group} group @param {{scale: number, left: number, top: number, radius: number}} view */
function drawGroup(image, { xs, ys, codes, colors }, { scale, left, top, radius }) {
  const { width, height } = image, target = new Uint32Array(image.data.buffer);
  const discs = colors.map((color) => {
    const { reach, pixels } = discOf(color, radius);
    return { reach, xs: Int32Array.from(pixels, ([x]) => x), ys: Int32Array.from(pixels, ([, y]) => y), steps: Int32Array.from(pixels, ([x, y]) => y * width + x), values: Uint32Array.from(pixels, ([, , value]) => value) };
  });
  for (let at = 0; at < xs.length; ++at) {
    const x = Math.round(xs[at] * scale - left), y = Math.round(ys[at] * scale - top), disc = discs[codes[at]], { reach, steps, values } = disc;
    if (x < -reach || y < -reach || x >= width + reach || y >= height + reach) continue;
    const whole = x >= reach && y >= reach && x < width - reach && y < height - reach, middle = y * width + x;
    for (let each = 0; each < steps.length; ++each) {
      if (!whole && (x + disc.xs[each] < 0 || x + disc.xs[each] >= width || y + disc.ys[each] < 0 || y + disc.ys[each] >= height)) continue;
      const place = middle + steps[each];
      if (values[each] >>> 24 >= target[place] >>> 24) target[place] = values[each];
    }
  }
}

/**
 * A layer of points that Leaflet's own markers would be too slow for: it writes their pixels itself, so that 100,000 take
 * some milliseconds. They are drawn from zoom `from` on.
 * @param {any} L @param {number} [from]
 */
export function pointsLayer(L, from = 0) {
  return new (L.Layer.extend({
    initialize() {
      this._groups = [];
      this._frame = 0;
    },
    /** Draws further points, with others that come meanwhile. @param {Group} group */
    add(group) {
      const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
      for (const x of group.xs) [box.left, box.right] = [Math.min(box.left, x), Math.max(box.right, x)];
      for (const y of group.ys) [box.top, box.bottom] = [Math.min(box.top, y), Math.max(box.bottom, y)];
      this._groups.push({ group, box });
      this._frame ||= requestAnimationFrame(() => this._draw());
      return this;
    },
    clear() {
      this._groups = [];
      if (this._map) this._draw();
    },
    /** @param {any} map */
    onAdd(map) {
      this._canvas = L.DomUtil.create("canvas", "leaflet-zoom-hide");
      this._canvas.style.pointerEvents = "none";
      map.getPane("overlayPane").append(this._canvas);
      map.on("moveend zoomend resize viewreset", this._draw, this);
      this._draw();
    },
    /** @param {any} map */
    onRemove(map) {
      cancelAnimationFrame(this._frame);
      map.off("moveend zoomend resize viewreset", this._draw, this);
      this._canvas.remove();
    },
    radius() {
      return Math.min(7, Math.max(1, (this._map.getZoom() - 15) * 1.2));
    },
    _draw() {
      cancelAnimationFrame(this._frame);
      this._frame = 0;
      const map = this._map;
      if (!map) return;
      const size = map.getSize(), ratio = window.devicePixelRatio || 1, pad = { x: Math.round(size.x * PADDING), y: Math.round(size.y * PADDING) };
      const canvas = /** @type {HTMLCanvasElement} */ (this._canvas), width = size.x + 2 * pad.x, height = size.y + 2 * pad.y;
      canvas.hidden = map.getZoom() < from || this._groups.length === 0 || width * height === 0;
      if (canvas.hidden) return;
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
      L.DomUtil.setPosition(canvas, map.containerPointToLayerPoint([-pad.x, -pad.y]));
      const context = canvas.getContext("2d"), image = context?.createImageData(canvas.width, canvas.height);
      if (!context || !image) return;
      const scale = 2 ** map.getZoom() * ratio, origin = map.getPixelBounds().min, left = (origin.x - pad.x) * ratio, top = (origin.y - pad.y) * ratio, radius = this.radius() * ratio;
      for (const { group, box } of this._groups) {
        if (box.right * scale < left - radius || box.left * scale > left + canvas.width + radius || box.bottom * scale < top - radius || box.top * scale > top + canvas.height + radius) continue;
        drawGroup(image, group, { scale, left, top, radius });
      }
      context.putImageData(image, 0, 0);
    },
    /** The group of the point nearest to one of the container, within a finger's reach, and its place in it. @param {{x: number, y: number}} point @returns {{group: Group, at: number} | null} */
    nearest(point) {
      if (this._map.getZoom() < from) return null;
      const scale = 2 ** this._map.getZoom(), origin = this._map.getPixelBounds().min, x = origin.x + point.x, y = origin.y + point.y;
      /** @type {{group: Group, at: number} | null} */
      let best = null;
      let least = REACH ** 2;
      for (const { group, box } of this._groups) {
        if (box.left * scale > x + REACH || box.right * scale < x - REACH || box.top * scale > y + REACH || box.bottom * scale < y - REACH) continue;
        for (let at = 0; at < group.xs.length; ++at) {
          const dx = group.xs[at] * scale - x, dy = group.ys[at] * scale - y, distance = dx * dx + dy * dy;
          if (distance < least) [best, least] = [{ group, at }, distance];
        }
      }
      return best;
    },
  }))();
}
