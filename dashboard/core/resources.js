// The records that people see and change: where they are, and their members in the order of a form.

import { browserZone, dayOf } from "./format.js";
import { t } from "./i18n.js";

/**
 * @typedef {{name: string, label: string, type?: "text" | "area" | "number" | "select" | "date" | "instant" | "crop" | "field" | "farm" | "template" | "libraryCrop" | "position" | "yes" | "days", options?: readonly string[], unit?: (context: any) => string,
 *   need?: boolean, hint?: string, max?: number, first?: any, more?: boolean, only?: "create" | "edit", when?: (typed: Record<string, string>) => boolean}} Member
 * @typedef {{one: string, many: string, icon: import("./icons.js").Name, none: string, first: string, titleOf: (row: any) => string, members: Member[], sorts: string[],
 *   filters: {name: string, label: string, options: readonly string[]}[], goesWith: string, bodyOf?: (body: any) => any}} Resource
 */

export const FARM_STATUSES = ["active", "inactive", "archived", "draft"];
export const FIELD_STATUSES = ["active", "fallow", "preparing", "planted"];
export const CROP_STATUSES = ["planned", "planted", "growing", "harvested", "failed"];
export const BLOCK_STATUSES = ["planned", "planted", "established", "mature", "declined", "harvested", "removed"];
export const PLANT_STATUSES = ["alive", "sick", "dead", "replaced", "removed"];
export const TASK_STATUSES = ["pending", "in_progress", "completed", "cancelled"];
export const PRIORITIES = ["low", "medium", "high", "urgent"];
export const CATEGORIES = ["planting", "irrigation", "fertilization", "pest_control", "harvesting", "soil_management", "maintenance", "planning", "inspection", "other"];
export const PATTERNS = ["daily", "weekly", "monthly", "yearly", "custom"];
export const LIBRARY_CATEGORIES = ["beverage", "cereal", "fibre", "forage", "fruit", "fruit_vegetable", "herb_spice", "industrial", "leafy_vegetable", "legume", "nut", "oilseed",
  "root_tuber", "sugar", "vegetable"];
const YES_NO = ["true", "false"];
const AREA_UNITS = ["hectare", "acre", "square_meter", "square_foot", "feddan", "dunam"];
const IRRIGATION = ["drip", "sprinkler", "flood", "pivot", "manual", "none"];
const YIELD_UNITS = ["kg", "ton", "lb"];

const UNITS = new Map([["hectare", "ha"], ["acre", "ac"], ["square_meter", "m²"], ["square_foot", "ft²"], ["feddan", "feddan"], ["dunam", "dunam"]]);
/** @param {string | undefined} unit */
export const areaUnit = (unit) => t(UNITS.get(unit ?? "") ?? "");

/** @param {string} unit */
export const volumeUnit = (unit) => (unit === "m3" ? t("m³") : t("liter"));

/** @type {() => Member[]} */
const irrigation = () => [
  { name: "irrigationFlowRatePerEmitter", label: t("Flow of an emitter"), type: "number", unit: () => t("l/h"), more: true },
  { name: "emittersPerPlant", label: t("Emitters per plant"), type: "number", more: true },
  { name: "dripLineSpacingMeters", label: t("Spacing of drip lines"), type: "number", unit: () => t("m"), more: true },
];

const EXPENSES = ["seeds", "fertilizer", "pesticide", "irrigation", "fuel", "equipment", "labor", "land", "transport", "utilities", "packaging", "services", "other"];
const OVERHEADS = ["rent", "insurance", "tax", "salaries", "maintenance", "utilities", "administration", "interest", "depreciation", "other"];
const PERIODS = ["one_time", "monthly", "yearly"];
const today = (/** @type {string | undefined} */ zone) => dayOf(Date.now(), zone ?? browserZone());
/** The service takes no day after the one that it is in UTC, which in the east comes hours later. */
const todayInUtc = (/** @type {string | undefined} */ zone) => [today(zone), today("UTC")].sort()[0];

/** What a laboratory finds, in its own units. @param {boolean} more @returns {Member[]} */
const nutrients = (more) => [["nitrogen", t("Nitrogen")], ["phosphorus", t("Phosphorus")], ["potassium", t("Potassium")], ["calcium", t("Calcium")], ["magnesium", t("Magnesium")],
  ["sodium", t("Sodium")], ["sulfur", t("Sulfur")], ["zinc", t("Zinc")], ["manganese", t("Manganese")], ["iron", t("Iron")], ["copper", t("Copper")], ["boron", t("Boron")]]
  .map(([name, label]) => ({ name, label, type: "number", more }));

/** @returns {Record<"farm" | "field" | "crop" | "block" | "plant" | "task" | "expense" | "overhead" | "sale" | "price" | "template" | "application" | "recurring" | "irrigation" |
 *   "fertigation" | "soilSample" | "leafSample" | "libraryCrop" | "userCrop", Resource>} */
export const resources = () => ({
  farm: {
    one: t("farm"), many: t("Farms"), icon: "farm", none: t("No farm yet"), first: t("Start with your farm: its name and size are enough. Fields, crops and tasks follow."),
    titleOf: (row) => row.name, sorts: ["createdAt", "name", "totalArea"], filters: [{ name: "status", label: t("Status"), options: FARM_STATUSES }],
    goesWith: t("Everything on it goes with it: fields, crops, blocks, plants, tasks, and what was recorded of irrigation and money."),
    members: [
      { name: "name", label: t("Name"), need: true, max: 200 },
      { name: "totalArea", label: t("Area"), type: "number", need: true },
      { name: "areaUnit", label: t("Unit of areas"), type: "select", options: AREA_UNITS, first: "hectare", need: true, hint: t("For the farm and its fields. Changing it converts nothing.") },
      { name: "timezone", label: t("Time zone"), first: () => Intl.DateTimeFormat().resolvedOptions().timeZone, need: true, hint: t("Such as Asia/Riyadh.") },
      { name: "country", label: t("Country") }, { name: "city", label: t("City"), max: 100 },
      { name: "location", label: t("Position"), type: "position", hint: t("Latitude, longitude: 24.4392, 39.6173") },
      { name: "currency", label: t("Currency"), hint: t("Three letters, such as SAR.") },
      { name: "status", label: t("Status"), type: "select", options: FARM_STATUSES, first: "active", need: true },
      { name: "description", label: t("Description"), type: "area", max: 2000 },
      { name: "address", label: t("Address"), max: 500, more: true }, { name: "region", label: t("Region"), max: 100, more: true },
      { name: "farmType", label: t("Kind of farm"), max: 50, first: "commercial", need: true, more: true }, { name: "primaryUse", label: t("Main use"), max: 50, first: "crops", need: true, more: true },
      { name: "soilType", label: t("Soil"), max: 100, more: true },
      { name: "irrigationSystem", label: t("Irrigation"), type: "select", options: IRRIGATION, more: true }, ...irrigation(),
    ],
  },
  field: {
    one: t("field"), many: t("Fields"), icon: "field", none: t("No field yet"), first: t("A field is a piece of land that you work as one. Crops and blocks grow on it."),
    titleOf: (row) => row.name, sorts: ["createdAt", "name", "area"], filters: [{ name: "status", label: t("Status"), options: FIELD_STATUSES }],
    goesWith: t("Its crops, blocks and plants go with it, and what was recorded of irrigation, soil samples and expenses."),
    members: [
      { name: "name", label: t("Name"), need: true, max: 200 },
      { name: "area", label: t("Area"), type: "number", need: true, unit: ({ farm }) => areaUnit(farm?.areaUnit) },
      { name: "status", label: t("Status"), type: "select", options: FIELD_STATUSES, first: "active", need: true },
      { name: "soilType", label: t("Soil"), max: 100 }, { name: "soilPh", label: t("Soil pH"), type: "number", hint: t("0 to 14. A soil sample sets it, too.") },
      { name: "customIrrigationSystem", label: t("Irrigation"), type: "select", options: IRRIGATION, hint: t("If it differs from the farm's.") },
      { name: "description", label: t("Description"), type: "area", max: 2000 }, { name: "notes", label: t("Notes"), type: "area", max: 5000, more: true }, ...irrigation(),
    ],
  },
  crop: {
    one: t("crop"), many: t("Crops"), icon: "crop", none: t("No crop here yet"), first: t("A crop is what grows on a field for a season: alfalfa this winter, tomatoes after it."),
    titleOf: (row) => (row.variety ? `${row.cropType} ${row.variety}` : row.cropType), sorts: ["createdAt", "plantingDate", "expectedHarvestDate", "cropType"],
    filters: [{ name: "status", label: t("Status"), options: CROP_STATUSES }],
    goesWith: t("Its blocks, plants, sales and expenses go with it."),
    members: [
      { name: "fieldId", label: t("Field"), type: "field", need: true, only: "create" },
      { name: "cropType", label: t("Crop"), need: true, max: 100 }, { name: "variety", label: t("Variety"), max: 100 },
      { name: "status", label: t("Status"), type: "select", options: CROP_STATUSES, first: "planned", need: true },
      { name: "plantingDate", label: t("Planted on"), type: "date" }, { name: "expectedHarvestDate", label: t("Harvest expected"), type: "date" },
      { name: "area", label: t("Area"), type: "number", unit: ({ farm }) => areaUnit(farm?.areaUnit) }, { name: "plantCount", label: t("Plants"), type: "number" },
      { name: "yieldUnit", label: t("Unit of yields"), type: "select", options: YIELD_UNITS, first: "kg", need: true }, { name: "expectedYield", label: t("Yield expected"), type: "number" },
      { name: "actualHarvestDate", label: t("Harvested on"), type: "date", more: true }, { name: "actualYield", label: t("Yield"), type: "number", more: true },
      { name: "notes", label: t("Notes"), type: "area", max: 5000, more: true },
    ],
  },
  block: {
    one: t("block"), many: t("Blocks"), icon: "block", none: t("No block yet"), first: t("A block is a group of plants of one crop, such as rows 1 to 12 of a grove."),
    titleOf: (row) => row.name, sorts: ["createdAt", "name"], filters: [{ name: "status", label: t("Status"), options: BLOCK_STATUSES }],
    goesWith: t("Its plants, fertigations and leaf samples go with it."),
    members: [
      { name: "name", label: t("Name"), need: true, max: 200 }, { name: "cropId", label: t("Crop"), type: "crop", need: true, only: "create" },
      { name: "status", label: t("Status"), type: "select", options: BLOCK_STATUSES, first: "planned", need: true }, { name: "plantingDate", label: t("Planted on"), type: "date" },
      { name: "plantCount", label: t("Plants"), type: "number" }, { name: "area", label: t("Area"), type: "number", unit: ({ farm }) => areaUnit(farm?.areaUnit) },
      { name: "spacingX", label: t("Between rows"), type: "number", unit: () => t("m") }, { name: "spacingY", label: t("Between plants"), type: "number", unit: () => t("m") },
      { name: "plantDensity", label: t("Density"), type: "number", unit: () => t("plants/ha"), hint: t("Left empty, it follows from the spacing."), more: true },
      { name: "description", label: t("Description"), type: "area", max: 2000, more: true }, { name: "notes", label: t("Notes"), type: "area", max: 5000, more: true },
    ],
  },
  plant: {
    one: t("plant"), many: t("Plants"), icon: "plant", none: t("No plant recorded yet"), first: t("Record single plants to follow each one: its tag, its place and how it does."),
    titleOf: (row) => row.label, sorts: ["createdAt", "label"], filters: [{ name: "status", label: t("Status"), options: PLANT_STATUSES }],
    goesWith: "",
    members: [
      { name: "label", label: t("Label"), need: true, max: 100 }, { name: "tagId", label: t("Tag"), max: 200, hint: t("A QR, RFID or barcode; unique in its block.") },
      { name: "status", label: t("Status"), type: "select", options: PLANT_STATUSES, first: "alive", need: true }, { name: "plantedAt", label: t("Planted on"), type: "date" },
      { name: "position", label: t("Position"), type: "position", hint: t("Latitude, longitude: 24.4392, 39.6173") }, { name: "notes", label: t("Notes"), type: "area", max: 2000 },
    ],
  },
  task: {
    one: t("task"), many: t("Tasks"), icon: "tasks", none: t("No task here"), first: t("Plan what has to be done: what, where, until when, and by whom."),
    titleOf: (row) => row.title, sorts: ["dueDate", "createdAt", "priority", "title"], filters: [],
    goesWith: "",
    members: [
      { name: "title", label: t("What is to be done"), need: true, max: 200 }, { name: "farmId", label: t("Farm"), type: "farm", need: true, only: "create" },
      { name: "category", label: t("Category"), type: "select", options: CATEGORIES, first: "maintenance", need: true },
      { name: "priority", label: t("Priority"), type: "select", options: PRIORITIES, first: "medium", need: true },
      { name: "dueDate", label: t("Due"), type: "instant" }, { name: "assignedTo", label: t("Who does it"), max: 200 },
      { name: "fieldName", label: t("Where"), max: 200 }, { name: "estimatedDuration", label: t("Takes about"), max: 100 },
      { name: "status", label: t("Status"), type: "select", options: TASK_STATUSES, first: "pending", need: true, only: "edit" },
      { name: "description", label: t("Description"), type: "area", max: 2000 }, { name: "notes", label: t("Notes"), type: "area", max: 5000, more: true },
    ],
  },
  expense: {
    one: t("expense"), many: t("Expenses"), icon: "usage", none: t("No expense here"), first: t("Record what was spent, so that the result of a season is known."),
    titleOf: (row) => `${row.amount} ${row.currency}`, sorts: ["transactionDate"], filters: [{ name: "category", label: t("Category"), options: EXPENSES }], goesWith: "",
    members: [
      { name: "amount", label: t("Amount"), type: "number", need: true }, { name: "currency", label: t("Currency"), hint: t("Left empty, the farm's.") },
      { name: "category", label: t("Category"), type: "select", options: EXPENSES, first: "other", need: true }, { name: "transactionDate", label: t("Date"), type: "date", first: today, need: true },
      { name: "cropId", label: t("For the crop"), type: "crop" }, { name: "note", label: t("Note"), type: "area", max: 2000 },
    ],
  },
  overhead: {
    one: t("overhead"), many: t("Overheads"), icon: "usage", none: t("No overhead here"), first: t("Record what the farm costs whatever grows: rent, insurance, salaries."),
    titleOf: (row) => `${row.amount} ${row.currency}`, sorts: ["transactionDate"], filters: [{ name: "category", label: t("Category"), options: OVERHEADS }], goesWith: "",
    members: [
      { name: "amount", label: t("Amount"), type: "number", need: true }, { name: "currency", label: t("Currency"), hint: t("Left empty, the farm's.") },
      { name: "category", label: t("Category"), type: "select", options: OVERHEADS, first: "rent", need: true }, { name: "transactionDate", label: t("Date"), type: "date", first: today, need: true },
      { name: "period", label: t("Repeats"), type: "select", options: PERIODS, first: "one_time", need: true }, { name: "note", label: t("Note"), type: "area", max: 2000 },
    ],
  },
  sale: {
    one: t("sale"), many: t("Sales"), icon: "usage", none: t("No sale of this crop here"), first: t("Record what was sold, to whom and for how much."),
    titleOf: (row) => `${row.quantity} ${row.unit}`, sorts: ["saleDate"], filters: [], goesWith: "",
    members: [
      { name: "quantity", label: t("Quantity"), type: "number", need: true }, { name: "unit", label: t("Unit"), type: "select", options: YIELD_UNITS, first: "kg", need: true },
      { name: "pricePerUnit", label: t("Price of one unit"), type: "number", need: true }, { name: "currency", label: t("Currency"), hint: t("Left empty, the farm's.") },
      { name: "saleDate", label: t("Date"), type: "date", first: today, need: true }, { name: "buyer", label: t("Buyer"), max: 200 }, { name: "note", label: t("Note"), type: "area", max: 2000 },
    ],
  },
  price: {
    one: t("price report"), many: t("Price reports"), icon: "usage", none: t("No price report here"), first: t("Note what the market pays. Reports and sales of at least five farms make the prices of the region."),
    titleOf: (row) => `${row.cropName} ${row.price} ${row.currency}`, sorts: ["observedOn"], filters: [], goesWith: "",
    members: [
      { name: "cropName", label: t("Crop"), need: true, max: 100 }, { name: "price", label: t("Price"), type: "number", need: true },
      { name: "unit", label: t("Unit"), type: "select", options: ["per_kg", "per_ton", "per_lb", "per_bushel"], first: "per_kg", need: true },
      { name: "observedOn", label: t("Seen on"), type: "date", first: todayInUtc, need: true }, { name: "quantity", label: t("Quantity"), type: "number", hint: t("In the unit of the price.") },
      { name: "currency", label: t("Currency"), hint: t("Left empty, the farm's.") },
    ],
  },
  template: {
    one: t("template"), many: t("Templates"), icon: "repeat", none: t("No template here"), first: t("A template is a task that comes again: write it once, then make tasks of it by hand or by a rule."),
    titleOf: (row) => row.name, sorts: ["name", "createdAt"],
    filters: [{ name: "category", label: t("Category"), options: CATEGORIES }, { name: "isActive", label: t("In use"), options: YES_NO }],
    goesWith: t("The tasks that were made of it stay. Its rules stop."),
    members: [
      { name: "name", label: t("Name"), need: true, max: 200 }, { name: "farmId", label: t("Farm"), type: "farm", hint: t("Left empty, it serves all farms.") },
      { name: "category", label: t("Category"), type: "select", options: CATEGORIES, first: "maintenance", need: true },
      { name: "priority", label: t("Priority"), type: "select", options: PRIORITIES, first: "medium", need: true },
      { name: "defaultAssignee", label: t("Who does it"), max: 200 }, { name: "estimatedDuration", label: t("Takes about"), max: 100 },
      { name: "isActive", label: t("In use"), type: "yes", first: "true", need: true, hint: t("No task can be made of a template that is not in use.") },
      { name: "description", label: t("Description"), type: "area", max: 2000 },
    ],
  },
  application: {
    one: t("task"), many: t("Tasks"), icon: "tasks", none: "", first: "", titleOf: (row) => row.title, sorts: [], filters: [], goesWith: "",
    members: [
      { name: "title", label: t("What is to be done"), max: 200 }, { name: "farmId", label: t("Farm"), type: "farm", need: true },
      { name: "dueDate", label: t("Due"), type: "instant" }, { name: "assignedTo", label: t("Who does it"), max: 200 },
      { name: "fieldName", label: t("Where"), max: 200 }, { name: "notes", label: t("Notes"), type: "area", max: 5000 },
    ],
  },
  recurring: {
    one: t("rule"), many: t("Recurring tasks"), icon: "repeat", none: t("No recurring task here"), first: t("A rule makes a task of a template again and again: every Monday, each month, once a year."),
    titleOf: () => t("Recurring task"), sorts: ["nextOccurrence", "createdAt"],
    filters: [{ name: "pattern", label: t("Repeats"), options: PATTERNS }, { name: "isActive", label: t("In use"), options: YES_NO }],
    goesWith: t("The tasks that it made stay."),
    members: [
      { name: "templateId", label: t("Template"), type: "template", need: true, only: "create" }, { name: "farmId", label: t("Farm"), type: "farm", need: true, only: "create" },
      { name: "pattern", label: t("Repeats"), type: "select", options: PATTERNS, first: "weekly", need: true },
      { name: "interval", label: t("Every"), type: "number", first: "1", need: true, hint: t("2 with Weekly: every second week. Custom counts days.") },
      { name: "daysOfWeek", label: t("On these days"), type: "days", hint: t("None: the first time's own day."), when: (typed) => typed.pattern === "weekly" },
      { name: "dayOfMonth", label: t("Day of the month"), type: "number", hint: t("A month without it: its last day."), when: (typed) => ["monthly", "yearly"].includes(typed.pattern) },
      { name: "monthOfYear", label: t("Month of the year"), type: "number", hint: t("1 to 12."), when: (typed) => typed.pattern === "yearly" },
      { name: "startDate", label: t("First time"), type: "instant", need: true }, { name: "endDate", label: t("Last time"), type: "instant" },
      { name: "generateDaysBefore", label: t("Appears before"), type: "number", first: "0", need: true, unit: () => t("days") },
      { name: "assignedTo", label: t("Who does it"), max: 200 }, { name: "fieldName", label: t("Where"), max: 200 },
      { name: "isActive", label: t("In use"), type: "yes", first: "true", need: true },
    ],
  },
  irrigation: {
    one: t("irrigation"), many: t("Irrigations"), icon: "drop", none: t("No irrigation here"), first: t("Record when this field got water, how long and how much."),
    titleOf: (row) => `${row.waterVolume} ${volumeUnit(row.volumeUnit)}`, sorts: ["startedAt"], filters: [], goesWith: "",
    members: [
      { name: "startedAt", label: t("Began"), type: "instant", first: "now", need: true }, { name: "durationMinutes", label: t("Lasted"), type: "number", need: true, unit: () => t("minutes") },
      { name: "waterVolume", label: t("Water"), type: "number", need: true }, { name: "volumeUnit", label: t("Unit"), type: "select", options: ["m3", "liter"], first: "m3", need: true },
      { name: "method", label: t("Method"), type: "select", options: IRRIGATION }, { name: "notes", label: t("Notes"), type: "area", max: 2000 },
    ],
  },
  fertigation: {
    one: t("fertigation"), many: t("Fertigations"), icon: "drop", none: t("No fertigation here"), first: t("Record which fertilizer this block got with its water."),
    titleOf: (row) => row.product, sorts: ["appliedAt"], filters: [], goesWith: "",
    members: [
      { name: "appliedAt", label: t("When"), type: "instant", first: "now", need: true }, { name: "product", label: t("Product"), need: true, max: 200 },
      { name: "amount", label: t("Amount"), type: "number", need: true }, { name: "unit", label: t("Unit"), type: "select", options: ["kg", "gram", "liter"], first: "kg", need: true },
      { name: "nPercent", label: "N", type: "number", unit: () => "%" }, { name: "pPercent", label: "P", type: "number", unit: () => "%" }, { name: "kPercent", label: "K", type: "number", unit: () => "%" },
      { name: "waterVolume", label: t("Water"), type: "number", unit: () => t("m³"), more: true }, { name: "ec", label: t("Electrical conductivity"), type: "number", more: true },
      { name: "ph", label: t("pH"), type: "number", more: true }, { name: "notes", label: t("Notes"), type: "area", max: 2000, more: true },
    ],
  },
  soilSample: {
    one: t("soil sample"), many: t("Soil samples"), icon: "sample", none: t("No soil sample here"), first: t("Record what the laboratory found. The newest pH becomes the field's."),
    titleOf: (row) => row.lab || t("Soil sample"), sorts: ["sampledAt"], filters: [], goesWith: t("The field's pH follows from the samples that stay."),
    members: [
      { name: "sampledAt", label: t("Taken"), type: "instant", first: "now", need: true }, { name: "lab", label: t("Laboratory"), max: 200 }, { name: "texture", label: t("Texture"), max: 100 },
      { name: "depthFromCm", label: t("Depth from"), type: "number", unit: () => "cm" }, { name: "depthToCm", label: t("Depth to"), type: "number", unit: () => "cm" },
      { name: "ph", label: t("pH"), type: "number" }, { name: "ec", label: t("Electrical conductivity"), type: "number" }, { name: "organicMatter", label: t("Organic matter"), type: "number" },
      ...nutrients(true), { name: "cec", label: t("Cation exchange capacity"), type: "number", more: true },
      { name: "location", label: t("Position"), type: "position", hint: t("Latitude, longitude: 24.4392, 39.6173"), more: true }, { name: "notes", label: t("Notes"), type: "area", max: 2000, more: true },
    ],
  },
  leafSample: {
    one: t("leaf sample"), many: t("Leaf samples"), icon: "sample", none: t("No leaf sample here"), first: t("Record what the laboratory found in the leaves of this block."),
    titleOf: (row) => row.lab || t("Leaf sample"), sorts: ["sampledAt"], filters: [], goesWith: "",
    members: [
      { name: "sampledAt", label: t("Taken"), type: "instant", first: "now", need: true }, { name: "lab", label: t("Laboratory"), max: 200 }, { name: "tissue", label: t("Part of the plant"), max: 100 },
      { name: "growthStage", label: t("Stage of growth"), max: 100 }, ...nutrients(false), { name: "notes", label: t("Notes"), type: "area", max: 2000, more: true },
    ],
  },
  libraryCrop: {
    one: t("library crop"), many: t("Crop library"), icon: "book", none: t("The library is empty"), first: t("An operator of this service can import the library that ships with it."),
    titleOf: (row) => row.name, sorts: ["name", "createdAt"], filters: [{ name: "category", label: t("Category"), options: LIBRARY_CATEGORIES }], goesWith: "", members: [],
  },
  userCrop: {
    one: t("crop on the list"), many: t("My list"), icon: "crop", none: t("Nothing on your list yet"), first: t("Put crops of the library on your list that you grow or think of growing."),
    titleOf: (row) => row.customizations?.customName || row.adminCrop.name, sorts: ["createdAt"], filters: [], goesWith: "",
    bodyOf: ({ customName, customNotes, ...body }) => ({ ...body, ...((customName || customNotes) && { customizations: { ...(customName && { customName }), ...(customNotes && { customNotes }) } }) }),
    members: [
      { name: "adminCropId", label: t("Crop of the library"), type: "libraryCrop", need: true }, { name: "farmId", label: t("Farm"), type: "farm", hint: t("Left empty, it is for all farms.") },
      { name: "customName", label: t("Name of your own"), max: 200 }, { name: "customNotes", label: t("Notes"), type: "area", max: 2000 },
    ],
  },
});
