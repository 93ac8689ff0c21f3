// The map: Leaflet, loaded when a page first needs it, and a layer that draws many points on one canvas.

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

/**
 * A layer of points that Leaflet's own markers would be too slow for: 100,000 take some milliseconds.
 * points: positions, and what `colorOf` takes.
 * @param {any} L
 */
export function pointsLayer(L) {
  return new (L.Layer.extend({
    initialize() {
      this._xs = new Float64Array(0);
      this._ys = new Float64Array(0);
      this._rows = [];
      this._groups = new Map();
    },
    /** @param {{lat: number, lng: number, color: string}[]} rows */
    setPoints(rows) {
      this._rows = rows;
      this._xs = new Float64Array(rows.length);
      this._ys = new Float64Array(rows.length);
      this._groups = new Map();
      rows.forEach((row, at) => {
        const { x, y } = L.CRS.EPSG3857.latLngToPoint(L.latLng(row.lat, row.lng), 0);
        this._xs[at] = x;
        this._ys[at] = y;
        const group = this._groups.get(row.color) ?? [];
        group.push(at);
        this._groups.set(row.color, group);
      });
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
      map.off("moveend zoomend resize viewreset", this._draw, this);
      this._canvas.remove();
    },
    radius() {
      return Math.min(7, Math.max(1, (this._map.getZoom() - 15) * 1.2));
    },
    _draw() {
      const map = this._map, size = map.getSize(), ratio = window.devicePixelRatio || 1;
      const canvas = /** @type {HTMLCanvasElement} */ (this._canvas);
      canvas.width = size.x * ratio;
      canvas.height = size.y * ratio;
      canvas.style.width = `${size.x}px`;
      canvas.style.height = `${size.y}px`;
      L.DomUtil.setPosition(canvas, map.containerPointToLayerPoint([0, 0]));
      const context = canvas.getContext("2d");
      if (!context) return;
      context.scale(ratio, ratio);
      const scale = 2 ** map.getZoom(), origin = map.getPixelBounds().min, radius = this.radius();
      for (const [color, group] of this._groups) {
        context.fillStyle = color;
        context.beginPath();
        for (const at of group) {
          const x = this._xs[at] * scale - origin.x, y = this._ys[at] * scale - origin.y;
          if (x < -9 || y < -9 || x > size.x + 9 || y > size.y + 9) continue;
          if (radius < 4) {
            context.rect(x - radius, y - radius, radius * 2, radius * 2);
          } else {
            context.moveTo(x + radius, y);
            context.arc(x, y, radius, 0, 2 * Math.PI);
          }
        }
        context.fill();
      }
    },
    /** The row nearest to a point of the container, within a finger's reach. @param {{x: number, y: number}} point */
    nearest(point) {
      const scale = 2 ** this._map.getZoom(), origin = this._map.getPixelBounds().min;
      let best = null, least = 12 ** 2;
      for (let at = 0; at < this._xs.length; ++at) {
        const dx = this._xs[at] * scale - origin.x - point.x, dy = this._ys[at] * scale - origin.y - point.y;
        const distance = dx * dx + dy * dy;
        if (distance < least) [best, least] = [this._rows[at], distance];
      }
      return best;
    },
  }))();
}
