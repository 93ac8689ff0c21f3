// The crops of all farms, and the library to choose further ones from.

import { all } from "../core/api.js";
import { plain } from "../core/format.js";
import { t } from "../core/i18n.js";
import { loadModule, useLoad } from "../core/load.js";
import { RecordTable } from "../core/records.js";
import { resources } from "../core/resources.js";
import { goWith, linkTo } from "../core/route.js";
import { Loading, PageHead, SelectField, Tabs, partOf } from "../core/ui.js";
import { html } from "../core/view.js";
import { cropColumns } from "./columns.js";
import { PastBar, usePast } from "./past.js";
import { allFarms, firstFarm } from "./task-actions.js";

/** @param {any} crop @returns {[string, string][]} */
export const alongWithCrop = (crop) => [[t("Sales"), `/crops/${crop.id}/sales`], [t("Blocks"), `/farms/${crop.farmId}/fields/${crop.fieldId}/blocks?cropId=${crop.id}`]];

/** @param {{params: Record<string, string>, farms: Map<string, any>, asOf: string | null}} props */
function Growing({ params, farms: known, asOf }) {
  const only = known.size === 1 ? [...known.keys()][0] : null;
  const farmId = params.farmId || only;
  const fields = useLoad((signal) => (farmId ? all(`/farms/${farmId}/fields`, signal, asOf) : Promise.resolve([])), [farmId, asOf]);
  return html`<${RecordTable} resource=${resources().crop} path="/crops" params=${params} asOf=${asOf} always=${{ farmId: params.farmId }}
    filtered=${Boolean(params.farmId)} fixed=${{ farmId }} mayCreate=${Boolean(farmId)} instead=${known.size ? null : firstFarm()} counts=${alongWithCrop} context=${{ farm: known.get(farmId ?? ""), fields: fields.value ?? [] }}
    columns=${cropColumns(known, new Map((fields.value ?? []).map((field) => [field.id, field])), { "as-of": asOf })}
    extraFilters=${html`<${SelectField} need label=${t("Farm")} name="farmId" none=${t("All")} value=${params.farmId ?? ""} options=${[...known.values()].map((farm) => [farm.id, plain(farm.name)])}
      onInput=${(/** @type {string} */ value) => goWith({ farmId: value, page: null })} />${known.size > 1 && !farmId && !asOf ? html`<p class="hint">${t("Choose a farm to add a crop to it.")}</p>` : null}`} />`;
}

/** @param {{params: Record<string, string>}} props */
export default function Crops({ params }) {
  const past = usePast(params);
  const farms = useLoad((signal) => allFarms(signal, past.asOf), [past.asOf]);
  const tabs = /** @type {[string, string][]} */ ([["growing", t("Growing")], ["library", t("Crop library")], ["mine", t("My list")]])
    .map(([name, words]) => /** @type {[string, string, string]} */ ([name, words, linkTo(["crops"], { list: name === "growing" ? null : name })]));
  const list = partOf(tabs, params.list);
  const library = useLoad(() => (list === "growing" ? Promise.resolve(null) : loadModule(() => import("./library.js"))), [list === "growing"]);
  return html`<${PageHead} title=${t("Crops")} text=${t("What grows, grew and will grow, on all farms.")}>${list === "growing" ? past.button : null}<//>
    ${list === "growing" ? html`<${PastBar} past=${past} farms=${farms.value} />` : null}
    <${Tabs} tabs=${tabs} current=${list} label=${t("Lists of crops")} />
    ${list === "growing" ? html`<${Loading} from=${farms}>${(/** @type {Map<string, any>} */ known) => html`<${Growing} farms=${known} params=${params} asOf=${past.asOf} />`}<//>`
      : html`<${Loading} from=${library}>${(/** @type {any} */ shown) => (!shown ? null : list === "library" ? html`<${shown.Library} params=${params} />`
        : html`<${Loading} from=${farms}>${(/** @type {Map<string, any>} */ known) => html`<${shown.OwnList} farms=${known} params=${params} />`}<//>`)}<//>`}`;
}
