// Creates elements and shows messages.

// el("button", { type: "submit", onclick }, "Save"): attributes by name, listeners by on….
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// Shows a message for a few seconds; screen readers announce it.
export function say(text) {
  const status = document.getElementById("status");
  status.textContent = text;
  status.classList.add("shown");
  clearTimeout(say.timer);
  say.timer = setTimeout(() => status.classList.remove("shown"), 6000);
}

export const trouble = (text) => el("p", { class: "trouble", role: "alert" }, text);

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeZone: "UTC" });

export function time(instant, none = "–") {
  return instant ? el("time", { datetime: instant }, moment.format(new Date(instant))) : none;
}

export const date = (instant) => el("time", { datetime: instant }, day.format(new Date(instant)));

// A labelled input with a place for its error, identified by the member's name.
export function field(label, input, hint) {
  const id = `field-${input.name}`;
  input.id = id;
  const described = [];
  const parts = [el("label", { for: id }, label), input];
  if (hint) {
    described.push(`${id}-hint`);
    parts.push(el("p", { class: "hint", id: `${id}-hint` }, hint));
  }
  described.push(`${id}-fault`);
  parts.push(el("p", { class: "fault", id: `${id}-fault` }));
  input.setAttribute("aria-describedby", described.join(" "));
  return el("div", { class: "field" }, parts);
}

// Shows each error at its input and focuses the first one. Returns whether every error has an input.
export function showFaults(form, details) {
  for (const place of form.querySelectorAll(".fault")) place.textContent = "";
  for (const input of form.querySelectorAll("[aria-invalid]")) input.removeAttribute("aria-invalid");
  let placed = true;
  let first = null;
  for (const [path, messages] of Object.entries(details)) {
    const name = path.split(".")[0];
    const place = form.querySelector(`#field-${CSS.escape(name)}-fault`);
    if (!place) {
      placed = false;
      continue;
    }
    place.textContent = messages.join("; ");
    const input = form.querySelector(`#field-${CSS.escape(name)}`);
    input?.setAttribute("aria-invalid", "true");
    first ??= input;
  }
  first?.focus();
  return placed;
}
