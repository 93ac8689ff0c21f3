// Line icons on a grid of 24, decorative: words stand next to them.

import { html } from "./view.js";

const PATHS = {
  today: ["M12 3v2M12 19v2M5 5l1.5 1.5M17.5 17.5L19 19M3 12h2M19 12h2M5 19l1.5-1.5M17.5 6.5L19 5", "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8"],
  tasks: ["M9 6h11M9 12h11M9 18h11", "M3.5 6l1 1L6.5 5M3.5 12l1 1 2-2M3.5 18l1 1 2-2"],
  farm: ["M4 20V10l8-6 8 6v10z", "M9.5 20v-6h5v6"],
  field: ["M3 18c4-7 14-7 18 0", "M6.5 18c2-4 9-4 11 0M3 12c4-6 14-6 18 0"],
  crop: ["M12 21v-9", "M12 13c0-4-3-6-7-6 0 4 3 6 7 6zM12 11c0-4 3-7 7-7 0 5-3 7-7 7z"],
  plant: ["M12 21V9", "M12 12c-3 0-5-2-5-5 3 0 5 2 5 5zM12 9c0-3 2-5 5-5 0 3-2 5-5 5z", "M8 21h8"],
  block: ["M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z"],
  history: ["M4 12a8 8 0 1 0 2.5-5.8L4 8.5", "M4 4v4.5h4.5M12 8v4.5l3 2"],
  key: ["M14.5 9.5a4 4 0 1 0-3.6 4l.6 1.5H13v2h2v2h4v-3l-5-5a4 4 0 0 0 .5-1.5z", "M10 9.5h.01"],
  usage: ["M4 17a8 8 0 1 1 16 0", "M12 17l4-5"],
  requests: ["M4 8h14l-3.5-3.5M20 16H6l3.5 3.5"],
  book: ["M5 4h10a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3z", "M5 17a3 3 0 0 1 3-3h10"],
  repeat: ["M4 11V9a3 3 0 0 1 3-3h12l-3-3M20 13v2a3 3 0 0 1-3 3H5l3 3"],
  drop: ["M12 3.5c3.5 4.4 6 7.2 6 10.5a6 6 0 0 1-12 0c0-3.3 2.5-6.1 6-10.5z"],
  sample: ["M9 3h6M10 3v6l-5 9a2 2 0 0 0 1.8 3h10.4a2 2 0 0 0 1.8-3l-5-9V3", "M7.5 15h9"],
  upload: ["M12 16V4M7 9l5-5 5 5", "M4 16v4h16v-4"],
  close: ["M6 6l12 12M18 6L6 18"],
  menu: ["M4 7h16M4 12h16M4 17h16"],
  check: ["M5 12.5l4.5 4.5L19 7.5"],
  plus: ["M12 5v14M5 12h14"],
  people: ["M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z", "M2.5 20c0-4 3-6 6.5-6s6.5 2 6.5 6M16 4.5a3.5 3.5 0 0 1 0 6.5M18 14.5c2.2.8 3.5 2.8 3.5 5.5"],
  node: ["M4 5h16v6H4zM4 13h16v6H4z", "M7.5 8h.01M7.5 16h.01"],
  webhook: ["M9.5 8.5a3 3 0 1 1 4.6 2.5L17 16M12 8.5l-3 6.5a3 3 0 1 1-3.5-3.4", "M9 17.5h6.5a3 3 0 1 0 1-2.5"],
  earlier: ["M15 5l-7 7 7 7"],
  later: ["M9 5l7 7-7 7"],
  warn: ["M12 4l9 16H3z", "M12 10v4M12 17h.01"],
};

/** @typedef {keyof typeof PATHS} Name */

/** @param {{name: Name}} props */
export function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${PATHS[name].map((path) => html`<path d=${path} />`)}</svg>`;
}
