// Shows a secret that cannot be shown again.

import { t } from "./i18n.js";
import { Button, Dialog, say } from "./ui.js";
import { html, useRef, useState } from "./view.js";

/** It goes only when the person says so twice. @param {{title: string, label: string, secret: string, copied: string, warning: string, onClose: () => void, children?: any}} props copied: what is said then; warning: what is lost */
export function Once({ title, label, secret, copied: said, warning, onClose, children }) {
  const [asking, setAsking] = useState(false);
  const [copied, setCopied] = useState(false);
  const shown = useRef(/** @type {HTMLInputElement | null} */ (null));
  const copy = async () => {
    shown.current?.select();
    try {
      await navigator.clipboard.writeText(secret);
      setCopied(true);
      say(said);
    } catch {
      say(t("Copy the selected text yourself."));
    }
  };
  return html`<${Dialog} hold title=${title} onClose=${() => setAsking(true)}>
    ${children}
    <p>${t("Keep it in a safe place now. It is shown only this once.")}</p>
    <div class="field"><label for="once">${label}</label><div class="secret"><input id="once" class="key" readonly value=${secret} ref=${shown} data-first autocomplete="off"
      onFocus=${(/** @type {any} */ event) => event.currentTarget.select()} /><${Button} onClick=${copy} icon=${copied ? "check" : undefined}>${copied ? t("Copied") : t("Copy")}<//></div></div>
    ${asking ? html`<div class="notice warn" role="alert"><div>${warning}</div>
      <${Button} kind="small" onClick=${() => setAsking(false)}>${t("Back")}<//><${Button} kind="small danger" onClick=${onClose}>${t("Close, I have it")}<//></div>` : null}
    <div class="buttons"><${Button} kind="primary" onClick=${() => (copied ? onClose() : setAsking(true))}>${t("I have kept it")}<//></div>
  <//>`;
}
