// A farm's map: fields and blocks coloured by status or crop, plants as points when zoomed in, boundaries drawn by hand.

import { Refusal, send } from "../core/api.js";
import { useDraft } from "../core/drafts.js";
import { Said, number, plain, word } from "../core/format.js";
import { inUnit, polygonArea, positionsOf } from "../core/geometry.js";
import { locale, t, tn } from "../core/i18n.js";
import { useAction, useChanges, useLoad, useWhileThere } from "../core/load.js";
import { addTiles, loadLeaflet, pointsLayer } from "../core/map.js";
import { Plants } from "../core/plants.js";
import { areaUnit } from "../core/resources.js";
import { goWith, linkTo } from "../core/route.js";
import { Button, FormTrouble, SelectField, Skeleton, Status, Trouble, say } from "../core/ui.js";
import { html, useEffect, useRef, useState } from "../core/view.js";

const STATUS_COLORS = new Map(Object.entries({ active: "#2f7d4f", planted: "#2f7d4f", preparing: "#3a6fb0", fallow: "#b07d1c", planned: "#7d8a80", established: "#3c8d5c", mature: "#1f6a40",
  declined: "#b3592f", harvested: "#3a6fb0", removed: "#8a8f8b" }));
/** Plants lie on their blocks' colour, so theirs differ from it: on light land, and on dark. */
const PLANT_COLORS = new Map(Object.entries({ alive: ["#14562f", "#8fe0af"], sick: ["#9a5b00", "#f3c56d"], dead: ["#b3261e", "#ffa198"], replaced: ["#1d4f96", "#a3c8ff"], removed: ["#56605a", "#a6b2aa"] }));
const dark = matchMedia("(prefers-color-scheme: dark)");
const CROP_COLORS = ["#2f7d4f", "#b07d1c", "#3a6fb0", "#a8476b", "#6b7f2a", "#7b5bb5", "#b3592f", "#23807f"];
const PLANTS_FROM_ZOOM = 16, BLOCKS_AT_ONCE = 3;

/** @param {string} status */
const statusColor = (status) => STATUS_COLORS.get(status) ?? "#7d8a80";

/** @param {string} status */
const plantColor = (status) => (PLANT_COLORS.get(status) ?? ["#56605a", "#a6b2aa"])[dark.matches ? 1 : 0];

/** @typedef {{kind: "field" | "block", row: any, crop: any, geometry: any, fieldId: string}} Shape */

/** @param {any[]} fields @param {any[]} crops @param {any[]} blocks @returns {Shape[]} */
function shapesOf(fields, crops, blocks) {
  const growing = (/** @type {any[]} */ of) => of.find((crop) => ["growing", "planted"].includes(crop.status)) ?? of[0];
  return [
    ...fields.map((row) => ({ kind: /** @type {const} */ ("field"), row, crop: growing(crops.filter((crop) => crop.fieldId === row.id)), geometry: row.boundaries, fieldId: row.id })),
    ...blocks.map((row) => ({ kind: /** @type {const} */ ("block"), row, crop: crops.find((crop) => crop.id === row.cropId), geometry: row.geometry, fieldId: row.fieldId })),
  ];
}

/** @param {{farm: any, fields: any[], crops: any[], blocks: any[], params: Record<string, string>, asOf: string | null, then: string | null, onChanged: () => void}} props then: the time that they are of, which is that of the page once they are loaded */
export function FarmMap({ farm, fields, crops, blocks, params, asOf, then, onChanged }) {
  const shapes = shapesOf(fields, crops, blocks);
  const by = params.by === "crop" ? "crop" : "status";
  const types = [...new Set(shapes.map(({ crop }) => crop?.cropType).filter(Boolean))].sort();
  const cropColor = (/** @type {string | undefined} */ type) => (type ? CROP_COLORS[types.indexOf(type) % CROP_COLORS.length] : "#7d8a80");
  const colorOf = (/** @type {Shape} */ shape) => (by === "crop" ? cropColor(shape.crop?.cropType) : statusColor(shape.row.status));
  const chosen = shapes.find(({ row }) => row.id === params.on);
  const legend = by === "crop" ? types.map((type) => [plain(type), cropColor(type)])
    : [...new Set(shapes.map(({ row }) => row.status))].map((status) => [word(status), statusColor(status)]);
  const [plants, setPlants] = useState({ near: false, shown: 0, loading: false, statuses: /** @type {string[]} */ ([]) });
  const [draft, setDraft] = useDraft(`corners ${farm.id}`, () => /** @type {[number, number][] | null} */ (null));
  const drawing = asOf ? null : draft; // the past is looked at, not changed
  useEffect(() => { if (asOf && draft) say(t("What you drew is not saved.")); }, [asOf]);
  const leaflet = useLoad(async () => {
    try {
      return await loadLeaflet();
    } catch {
      throw new Refusal(0, { message: t("The map cannot be loaded.") });
    }
  }, []);
  const pick = (/** @type {string | null} */ id) => goWith({ on: id }, { replace: true });
  return html`<div class="split ${drawing ? "drawing" : ""}"><section class="card map-box" aria-label=${t("Map")}>
      ${leaflet.error ? html`<${Trouble} error=${leaflet.error} retry=${leaflet.reload} />` : leaflet.value ? html`<${Canvas} L=${leaflet.value} farm=${farm} shapes=${shapes} colorOf=${colorOf} by=${by}
        chosen=${params.on} onPick=${pick} asOf=${then} onPlants=${setPlants} drawing=${drawing} onDraw=${setDraft} />` : html`<${Skeleton} lines=${9} />`}
      <div class="legend row"><ul class="row">${legend.map(([words, color]) => html`<li><span class="swatch" style=${{ background: color }}></span>${words}</li>`)}
          ${plants.statuses.map((status) => html`<li><span class="swatch" style=${{ background: plantColor(status), borderRadius: "50%" }}></span>${word(status)}</li>`)}</ul>
        <span class="muted push" role="status">${plants.loading ? t("Loading the plants…") : plants.shown ? tn("{n} plant", "{n} plants", plants.shown) : plants.near ? t("No single plant is recorded here.") : t("Zoom in to see single plants.")}</span></div>
    </section>
    <div class="stack"><section class="card"><header><h2>${t("On this farm")}</h2></header>
        <div class="body"><${SelectField} need label=${t("Colours show")} name="by" value=${by} options=${[["status", t("the status")], ["crop", t("the crop")]]} onInput=${(/** @type {string} */ value) => goWith({ by: value }, { replace: true })} /></div>
        <ul class="picks">${shapes.filter(({ kind }) => kind === "field").flatMap((field) => [field, ...shapes.filter((shape) => shape.kind === "block" && shape.fieldId === field.row.id)]).map((shape) => html`
          <li><button type="button" aria-pressed=${shape.row.id === params.on ? "true" : "false"} style=${{ paddingInlineStart: shape.kind === "block" ? "2.25rem" : undefined }}
            onClick=${() => pick(shape.row.id === params.on ? null : shape.row.id)}><span class="swatch" style=${{ background: colorOf(shape) }}></span><${Said} text=${shape.row.name} />
            ${positionsOf(shape.geometry).length || shape.kind === "block" ? null : html`<span class="muted push tiny">${t("not drawn")}</span>`}</button></li>`)}</ul></section>
      ${chosen ? html`<${Chosen} key=${`${chosen.row.id} ${asOf === null}`} farm=${farm} shape=${chosen} asOf=${asOf} drawing=${drawing} onDraw=${setDraft} onChanged=${onChanged} />` : html`<p class="hint">${t("Choose a field or a block, on the map or in the list, to see more of it.")}</p>`}</div></div>`;
}

/** The record that was chosen. @param {{farm: any, shape: Shape, asOf: string | null, drawing: [number, number][] | null, onDraw: (points: [number, number][] | null) => void, onChanged: () => void}} props */
function Chosen({ farm, shape, asOf, drawing, onDraw, onChanged }) {
  const { kind, row, crop, geometry } = shape;
  const path = kind === "field" ? ["farms", farm.id, "fields", row.id] : ["farms", farm.id, "fields", shape.fieldId, "blocks", row.id];
  const address = kind === "field" ? `/farms/${farm.id}/fields/${row.id}` : `/farms/${farm.id}/fields/${shape.fieldId}/blocks/${row.id}`;
  const member = kind === "field" ? "boundaries" : "geometry";
  const drawn = geometry?.type === "Polygon" ? inUnit(polygonArea(geometry), farm.areaUnit) : null;
  const unit = areaUnit(farm.areaUnit);
  const change = useChanges(), draw = useWhileThere(onDraw); // another record may be chosen meanwhile
  const [begun, setBegun] = useDraft(`boundary ${row.id}`, () => ({ etag: /** @type {string | null} */ (null), holes: /** @type {number[][][]} */ ([]) }));
  const begin = useAction(async () => {
    const { json: { data }, etag } = await send("GET", address);
    const [outer = [], ...holes] = data[member]?.type === "Polygon" ? data[member].coordinates : [];
    setBegun({ etag, holes });
    save.setError(null);
    draw(outer.slice(0, -1).map((/** @type {number[]} */ [lng, lat]) => [lat, lng]));
  });
  const save = useAction(async (/** @type {boolean} */ anyway) => {
    const points = drawing ?? [];
    const ring = [...points, points[0]].map(([lat, lng]) => [Number(lng.toFixed(7)), Number(lat.toFixed(7))]);
    const etag = anyway ? (await send("GET", address)).etag : begun.etag;
    await change("PUT", address, { body: { [member]: { type: "Polygon", coordinates: [ring, ...begun.holes] } }, etag });
    draw(null);
    say(t("The boundary is saved."));
    onChanged();
  });
  const overtaken = save.error?.status === 412;
  useEffect(() => () => onDraw(null), []);
  return html`<section class="card"><header><h2><${Said} text=${row.name} /></h2><${Status} value=${row.status} /></header><div class="body stack">
    <dl class="facts"><div><dt>${t("Area")}</dt><dd>${row.area === null ? "–" : `${number(row.area)} ${unit}`}</dd></div>
      ${drawn === null ? null : html`<div><dt>${t("Drawn")}</dt><dd>${number(drawn, 2)} ${unit}${row.area ? html` <span class="muted small">(${new Intl.NumberFormat(locale(), { style: "percent", signDisplay: "exceptZero" })
        .format(drawn / Number(row.area) - 1)})</span>` : null}</dd></div>`}
      <div><dt>${t("Crop")}</dt><dd>${crop ? html`<${Said} text=${[crop.cropType, crop.variety].filter(Boolean).join(" ")} />` : "–"}</dd></div>
      ${kind === "block" ? html`<div><dt>${t("Plants")}</dt><dd>${number(row.plantCount)}</dd></div>` : html`<div><dt>${t("Soil")}</dt><dd><${Said} text=${row.soilType} /></dd></div>`}</dl>
    ${drawing ? html`<p class="notice">${t("Click on the map to set the corners in turn. Drag a corner to move it, click it to take it away.")}</p>
        <p class="hint">${t("With the keyboard: the arrows move the map, Enter sets a corner in its middle, Backspace takes the last one away.")}</p>
        <p class="small">${tn("{n} corner", "{n} corners", drawing.length)}${drawing.length > 2 ? ` · ${number(inUnit(polygonArea({ coordinates: [drawing.map(([lat, lng]) => [lng, lat]), ...begun.holes] }), farm.areaUnit), 2)} ${unit}` : ""}</p>
        ${overtaken ? html`<p class="notice warn" role="alert">${t("Somebody changed this record while you were editing it. Nothing of yours is saved yet.")}</p>` : html`<${FormTrouble} error=${save.error} />`}
        <div class="buttons">${overtaken ? html`<${Button} kind="primary small" onClick=${() => { onDraw(null); onChanged(); }}>${t("Keep theirs")}<//>` : null}
          <${Button} kind=${overtaken ? "small" : "primary small"} busy=${save.busy} off=${drawing.length < 3} onClick=${() => save.run(overtaken)}>${overtaken ? t("Save my entries over theirs") : t("Save the boundary")}<//>
          <${Button} kind="small" onClick=${() => onDraw(drawing.slice(0, -1))}>${t("Undo")}<//><${Button} kind="small" onClick=${() => onDraw(null)}>${t("Cancel")}<//></div>`
      : html`<${FormTrouble} error=${begin.error} /><div class="buttons"><a class="button small" href=${linkTo(path, asOf ? { "as-of": asOf } : {})}>${t("Open")}</a>
        ${asOf ? null : html`<${Button} kind="small" busy=${begin.busy} onClick=${() => begin.run(undefined)}>
          ${geometry?.type === "Polygon" ? t("Edit the boundary") : t("Draw the boundary")}<//>`}</div>`}
  </div></section>`;
}

/** The drawing itself: what Leaflet shows follows the props. @param {any} props */
function Canvas({ L, farm, shapes, colorOf, by, chosen, onPick, asOf, onPlants, drawing, onDraw }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const map = useRef(/** @type {any} */ (null));
  const layers = useRef(/** @type {any} */ ({}));
  const latest = useRef(/** @type {any} */ ({}));
  latest.current = { shapes, onPick, drawing, onDraw, asOf };

  useEffect(() => {
    const made = L.map(place.current, { attributionControl: false, preferCanvas: true, zoomSnap: 0.25, maxZoom: 23, zoomControl: false, keyboard: true });
    L.control.zoom({ zoomInTitle: t("Zoom in"), zoomOutTitle: t("Zoom out") }).addTo(made);
    L.control.scale({ imperial: false }).addTo(made);
    map.current = made;
    addTiles(L, made);
    const all = [...positionsOf(farm.boundaries), ...shapes.flatMap((/** @type {Shape} */ shape) => positionsOf(shape.geometry))];
    if (all.length) made.fitBounds(L.latLngBounds(all).pad(0.08));
    else made.setView(farm.location ? [farm.location.lat, farm.location.lng] : [20, 20], farm.location ? 15 : 2);
    layers.current.shapes = L.layerGroup().addTo(made);
    layers.current.points = pointsLayer(L, PLANTS_FROM_ZOOM).addTo(made);
    layers.current.draft = L.layerGroup().addTo(made);
    made.on("click", (/** @type {any} */ event) => {
      const { drawing: corners, onDraw: draw } = latest.current;
      if (corners) return draw([...corners, [event.latlng.lat, event.latlng.lng]]);
      const found = layers.current.points.nearest(event.containerPoint);
      if (found) tell(found);
    });
    made.on("keydown", (/** @type {any} */ { originalEvent: event }) => {
      const { drawing: corners, onDraw: draw } = latest.current, { lat, lng } = made.getCenter();
      if (!corners || event.target !== place.current || !["Enter", "Backspace"].includes(event.key)) return;
      event.preventDefault();
      draw(event.key === "Enter" ? [...corners, [lat, lng]] : corners.slice(0, -1));
    });
    /** @param {{group: any, at: number}} found */
    const tell = async ({ group, at }) => {
      const plant = await layers.current.plants.row(group.block, at);
      if (!plant || map.current !== made) return;
      const words = document.createElement("div");
      const name = document.createElement("bdi");
      name.textContent = plain(plant.label);
      words.append(name, ` · ${word(plant.status)}${plant.tagId ? ` · ${plain(plant.tagId)}` : ""}`);
      const block = latest.current.shapes.find((/** @type {Shape} */ { row }) => row.id === group.block);
      if (block) {
        const link = document.createElement("a");
        link.textContent = t("Open the block {name}", { name: plain(block.row.name) });
        link.href = linkTo(["farms", farm.id, "fields", block.fieldId, "blocks", block.row.id], { "as-of": latest.current.asOf });
        words.append(document.createElement("br"), link);
      }
      L.popup({ closeButton: false }).setLatLng([plant.lat, plant.lng]).setContent(words).openOn(made);
    };
    return () => {
      made.remove();
      map.current = null;
    };
  }, []);

  useEffect(() => {
    const group = layers.current.shapes;
    group.clearLayers();
    if (farm.boundaries) L.polygon(positionsOf(farm.boundaries), { color: "#6b756e", weight: 1.5, dashArray: "6 5", fill: false, interactive: false }).addTo(group);
    for (const shape of shapes) {
      const positions = positionsOf(shape.geometry);
      if (positions.length === 0) continue;
      const color = colorOf(shape), isChosen = shape.row.id === chosen;
      const style = { color, weight: isChosen ? 4 : shape.kind === "field" ? 2 : 1.5, fillColor: color, fillOpacity: isChosen ? 0.55 : shape.kind === "field" ? 0.3 : 0.45 };
      const layer = shape.geometry.type === "Point" ? L.circleMarker(positions[0], { ...style, radius: 7 }) : L.polygon(shape.geometry.coordinates.map((/** @type {number[][]} */ ring) => ring.map(([lng, lat]) => [lat, lng])), style);
      const name = document.createElement("bdi");
      name.textContent = plain(shape.row.name);
      layer.bindTooltip(name, shape.kind === "field" ? { permanent: true, direction: "center", className: "name" } : {});
      layer.on("click", (/** @type {any} */ event) => {
        if (latest.current.drawing) return;
        if (layers.current.points.nearest(event.containerPoint)) return;
        L.DomEvent.stopPropagation(event);
        latest.current.onPick(shape.row.id);
      });
      layer.addTo(group);
    }
  }, [JSON.stringify(shapes.map((/** @type {Shape} */ shape) => [shape.row.id, shape.row.updatedAt, colorOf(shape)])), chosen]);

  // Plants of the blocks on the fields in view, each block loaded once, some at a time, and drawn when it comes.
  useEffect(() => {
    const plants = new Plants(), layer = layers.current.points, shown = map.current;
    layers.current.plants = plants;
    /** Of each block its points, or null while they are loaded. @type {Map<string, import("../core/plants.js").Points | null>} */
    const known = new Map();
    /** @type {Shape[]} */
    const queue = [];
    let lanes = 0, frame = 0;
    const near = () => shown.getZoom() >= PLANTS_FROM_ZOOM;
    const tell = () => {
      frame = 0;
      const blocks = near() ? [...known.values()].filter((points) => points !== null) : [];
      onPlants({ near: near(), shown: blocks.reduce((sum, { xs }) => sum + xs.length, 0), loading: [...known.values()].includes(null), statuses: [...new Set(blocks.flatMap(({ statuses }) => statuses))] });
    };
    const show = () => { frame ||= requestAnimationFrame(tell); };
    const draw = (/** @type {string} */ block, /** @type {import("../core/plants.js").Points} */ points) => layer.add({ ...points, colors: points.statuses.map(plantColor), block });
    const turn = () => {
      layer.clear();
      for (const [block, points] of known) if (points) draw(block, points);
      show();
    };
    dark.addEventListener("change", turn);
    const work = async () => {
      for (let shape = queue.shift(); shape; shape = queue.shift()) {
        const block = shape.row.id;
        try {
          const points = await plants.load(block, `/farms/${farm.id}/fields/${shape.fieldId}/blocks/${block}/plants`, asOf);
          known.set(block, points);
          draw(block, points);
        } catch (error) {
          for (const each of [shape, ...queue.splice(0)]) known.delete(each.row.id); // loaded when the map next moves
          if (error instanceof Refusal) say(error.message);
        }
        show();
      }
      --lanes;
    };
    const look = () => {
      if (near()) {
        const view = shown.getBounds(), fields = new Map(latest.current.shapes.filter((/** @type {Shape} */ { kind }) => kind === "field").map((/** @type {Shape} */ field) => [field.row.id, field]));
        queue.push(...latest.current.shapes.filter((/** @type {Shape} */ shape) => {
          if (shape.kind !== "block" || known.has(shape.row.id)) return false;
          const positions = [...positionsOf(shape.geometry), ...positionsOf(fields.get(shape.fieldId)?.geometry)];
          return positions.length === 0 || view.intersects(L.latLngBounds(positions));
        }));
        for (const shape of queue) known.set(shape.row.id, null);
        while (lanes < BLOCKS_AT_ONCE && queue.length) {
          ++lanes;
          work();
        }
      }
      show();
    };
    shown.on("moveend", look);
    look();
    return () => {
      cancelAnimationFrame(frame);
      shown.off("moveend", look);
      dark.removeEventListener("change", turn);
      plants.close();
      layer.clear();
    };
  }, [farm.id, asOf]);

  useEffect(() => { if (drawing) place.current?.focus(); }, [Boolean(drawing)]); // a phone shows it again, and the keyboard can draw at once

  useEffect(() => {
    const group = layers.current.draft;
    group.clearLayers();
    place.current?.style.setProperty("cursor", drawing ? "crosshair" : "");
    place.current?.classList.toggle("drawing", Boolean(drawing));
    if (!drawing) return;
    const color = "#0b57d0";
    if (drawing.length > 1) L.polygon(drawing, { color, weight: 2, dashArray: "4 4", fillOpacity: 0.12, interactive: false }).addTo(group);
    drawing.forEach((/** @type {[number, number]} */ corner, /** @type {number} */ at) => {
      const handle = L.marker(corner, { draggable: true, icon: L.divIcon({ className: "handle", iconSize: [14, 14] }), title: t("Corner {n}", { n: at + 1 }), alt: t("Corner {n}", { n: at + 1 }) });
      handle.on("dragend", () => {
        const { lat, lng } = handle.getLatLng();
        onDraw(drawing.map((/** @type {any} */ each, /** @type {number} */ other) => (other === at ? [lat, lng] : each)));
      });
      handle.on("click", (/** @type {any} */ event) => {
        L.DomEvent.stopPropagation(event);
        onDraw(drawing.filter((/** @type {any} */ _, /** @type {number} */ other) => other !== at));
      });
      handle.addTo(group);
    });
  }, [drawing]);

  useEffect(() => {
    const shape = shapes.find((/** @type {Shape} */ each) => each.row.id === chosen);
    const positions = positionsOf(shape?.geometry);
    if (positions.length && !map.current.getBounds().contains(positions[0])) map.current.panTo(L.latLngBounds(positions).getCenter(), { animate: false });
  }, [chosen]);

  return html`<div class="map" ref=${place} role="application" aria-label=${t("Map of {name}", { name: plain(farm.name) })}></div>`;
}
