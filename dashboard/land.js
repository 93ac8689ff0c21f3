// Farms and tasks, read-only.

import { get } from "./api.js";
import { el, time, trouble } from "./dom.js";

const LISTS = [
  {
    title: "Farms",
    path: "/api/farms?sort=name&order=asc",
    none: "There is no farm yet. Programs make them through the API.",
    columns: [
      ["Name", (farm) => farm.name],
      ["Place", (farm) => [farm.city, farm.country].filter(Boolean).join(", ") || "–"],
      ["Area", (farm) => `${farm.totalArea} ${farm.areaUnit.replace("_", " ")}`],
      ["Status", (farm) => farm.status],
    ],
  },
  {
    title: "Tasks",
    path: "/api/tasks?sort=dueDate&order=asc",
    none: "There is no task.",
    columns: [
      ["Title", (task) => task.title],
      ["Status", (task) => task.status.replace("_", " ")],
      ["Priority", (task) => task.priority],
      ["Due", (task) => time(task.dueDate)],
    ],
  },
];

async function fill(place, list, page, focus) {
  const { data, pagination } = await get(`${list.path}&limit=20&page=${page}`);
  if (data.length === 0 && page === 1) return place.replaceChildren(el("p", {}, list.none));
  const caption = `${list.title}: page ${pagination.page} of ${pagination.totalPages}, ${pagination.total} in all`;
  const turn = (to, text) =>
    el("button", { type: "button", class: "quiet", disabled: to < 1 || to > pagination.totalPages,
      onclick: () => fill(place, list, to, true).catch((refusal) => place.replaceChildren(trouble(refusal.message))) }, text);
  const table = el(
    "div",
    { class: "table", role: "region", "aria-label": list.title, tabindex: "0" },
    el(
      "table",
      {},
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, list.columns.map(([name]) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, data.map((row) => el("tr", {}, list.columns.map(([, shown]) => el("td", {}, shown(row)))))),
    ),
  );
  const pages = el("nav", { class: "pages", "aria-label": `Pages of ${list.title.toLowerCase()}` },
    turn(page - 1, "Previous"), turn(page + 1, "Next"));
  place.replaceChildren(table, pagination.totalPages > 1 ? pages : "");
  if (focus) table.focus();
}

export async function showLand(content) {
  content.replaceChildren();
  for (const list of LISTS) {
    const place = el("div");
    const section = el("section", {}, el("h2", {}, list.title), place);
    try {
      await fill(place, list, 1, false);
    } catch (refusal) {
      if (refusal.status === 404) continue; // this service has no such records
      place.replaceChildren(trouble(refusal.message));
    }
    content.append(section);
  }
}
