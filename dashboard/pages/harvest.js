// Harvests against what was expected of them: by the farmer, and by the prediction.

import { Refusal, get } from "../core/api.js";
import { COLORS, Chart } from "../core/chart.js";
import { Day, Said, number, plain, word } from "../core/format.js";
import { locale, t } from "../core/i18n.js";
import { useLoad } from "../core/load.js";
import { Badge, Empty, Loading, Table } from "../core/ui.js";
import { html } from "../core/view.js";

const DAY = 86_400_000, MOST_PAST = 12;
const TONS = new Map([["kg", 0.001], ["ton", 1], ["lb", 0.00045359237]]);

/** @param {any} crop */
const nameOf = (crop) => [crop.cropType, crop.variety].filter(Boolean).join(" ");
/** @param {string | number | null | undefined} value @param {string} unit */
const inTons = (value, unit) => (value === null || value === undefined || !TONS.has(unit) ? null : Number(value) * /** @type {number} */ (TONS.get(unit)));
/** @param {any} value @param {string} unit */
const amount = (value, unit) => (value === null || value === undefined ? "–" : `${number(value)} ${t(unit)}`);

/** The predictions by crop, at a time. @param {string} base @param {AbortSignal} signal @param {string | null} asOf @param {string} [cropId] @returns {Promise<Map<string, any>>} */
async function predicted(base, signal, asOf, cropId) {
  const { predictions } = (await get(`${base}/yield-prediction${cropId ? `?cropId=${cropId}` : ""}`, { signal, asOf })).data;
  return new Map(predictions.map((/** @type {any} */ each) => [each.cropId, each]));
}

/** What was predicted of a harvested crop on the day before its harvest, if the service knew it then. @param {any} crop @param {string} base @param {AbortSignal} signal */
async function predictedBefore(crop, base, signal) {
  const before = new Date(Date.parse(crop.actualHarvestDate) - DAY).toISOString();
  if (before < crop.createdAt || before > new Date().toISOString()) return null;
  try {
    return (await predicted(base, signal, before, crop.id)).get(crop.id) ?? null;
  } catch (refusal) {
    if (refusal instanceof Refusal && refusal.status === 400) return null; // that time cannot be read, such as one before this browser's now but after the service's
    throw refusal;
  }
}

/** @param {{base: string, crops: any[], asOf: string | null}} props */
export function Harvest({ base, crops, asOf }) {
  const loaded = useLoad(async (signal) => {
    const now = await predicted(base, signal, asOf), past = crops.filter((crop) => crop.actualHarvestDate && !now.has(crop.id)).slice(0, MOST_PAST);
    const before = await Promise.all(past.map((crop) => predictedBefore(crop, base, signal)));
    past.forEach((crop, at) => { if (before[at]) now.set(crop.id, before[at]); });
    return now;
  }, [base, asOf, crops.length]);
  return html`<${Loading} from=${loaded}>${(/** @type {Map<string, any>} */ predictions) => {
    const rows = crops.map((crop) => ({ id: crop.id, crop, prediction: predictions.get(crop.id) ?? null })).filter(({ crop, prediction }) => prediction || crop.expectedYield !== null || crop.actualYield !== null);
    if (!rows.length) return html`<section class="card"><${Empty} icon="crop" title=${t("No harvest is known or expected yet")} text=${t("A prediction needs a crop that grows, with its area or its plants. Write down what you expect and what you harvest on the crop.")} /></section>`;
    const drawn = rows.map(({ crop, prediction }) => ({ name: plain(nameOf(crop)), before: prediction ? inTons(prediction.predictedYield, prediction.unit) : inTons(crop.expectedYield, crop.yieldUnit), harvested: inTons(crop.actualYield, crop.yieldUnit) }));
    const against = (/** @type {any} */ { crop, prediction }) => {
      const harvested = inTons(crop.actualYield, crop.yieldUnit), expected = prediction ? inTons(prediction.predictedYield, prediction.unit) : inTons(crop.expectedYield, crop.yieldUnit);
      if (harvested === null || !expected) return "–";
      const share = harvested / expected - 1;
      return html`<${Badge} tone=${share < -0.1 ? "warn" : "good"}>${new Intl.NumberFormat(locale(), { style: "percent", signDisplay: "exceptZero", maximumFractionDigits: 0 }).format(share)}<//>`;
    };
    return html`<section class="card padded"><${Chart} label=${t("Harvest against prediction")} place=${t("Crop")} xs=${drawn.map(({ name }) => name)} say=${(/** @type {number} */ value) => `${number(value)} ${t("ton")}`} series=${[
        { label: t("Predicted or expected"), color: COLORS[3], kind: "bars", values: drawn.map(({ before }) => before) }, { label: t("Harvested"), color: COLORS[0], kind: "bars", values: drawn.map(({ harvested }) => harvested) }]} /></section>
      <section class="card"><${Table} label=${t("Harvests")} rows=${rows} columns=${[{ name: "crop", label: t("Crop"), cell: (/** @type {any} */ { crop }) => html`<${Said} text=${nameOf(crop)} />` },
        { name: "when", label: t("Harvest"), cell: (/** @type {any} */ { crop }) => html`<${Day} date=${crop.actualHarvestDate ?? crop.expectedHarvestDate} />${crop.actualHarvestDate || !crop.expectedHarvestDate ? null : html` <span class="muted">${t("expected")}</span>`}` },
        { name: "expected", label: t("You expected"), num: true, cell: (/** @type {any} */ { crop }) => amount(crop.expectedYield, crop.yieldUnit) },
        { name: "predicted", label: t("Predicted"), num: true, cell: (/** @type {any} */ { prediction }) => (prediction ? html`${amount(prediction.predictedYield, prediction.unit)}<div class="muted tiny">${number(prediction.lowerBound)} – ${number(prediction.upperBound)} · ${t("confidence")}: ${word(prediction.confidence)}</div>` : "–") },
        { name: "harvested", label: t("Harvested"), num: true, cell: (/** @type {any} */ { crop }) => amount(crop.actualYield, crop.yieldUnit) },
        { name: "against", label: t("Against it"), num: true, cell: against }]} /></section>
      <p class="hint">${t("A harvested crop is compared with its prediction of the day before, or with what you expected.")}</p>`;
  }}<//>`;
}
