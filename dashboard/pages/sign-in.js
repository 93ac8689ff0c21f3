// Sign-in with an email and a password, or at the configured identity provider.

import { get, send } from "../core/api.js";
import { t } from "../core/i18n.js";
import { useAction, useLoad } from "../core/load.js";
import { Button, FormTrouble, TextField, faultOf, useFaultFocus } from "../core/ui.js";
import { html, useEffect, useRef, useState } from "../core/view.js";
import { rememberPlace, takeFailure } from "./provider.js";

function failureAtProvider() {
  const failed = takeFailure();
  if (!failed) return null;
  if (failed === "access_denied") return t("You stopped signing in at the provider.");
  if (failed === "taken") return t("There is an account with this email. Sign in to it with its password, then add the provider.");
  return t("Signing in at the provider did not work. Try again, or tell the operator of this service.");
}

/** @param {{note: string, onDone: (user: any) => void, language: any}} props */
export function SignIn({ note, onDone, language }) {
  const ways = useLoad(async () => {
    try {
      return await get("/auth", { anyone: true });
    } catch {
      return { password: true, provider: null };
    }
  }, []);
  const [failure] = useState(failureAtProvider);
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const form = useRef(/** @type {HTMLElement | null} */ (null));
  const signIn = useAction(async () => (await send("POST", "/auth/sign-in", { body: { email, password }, anyone: true })).json.user);
  useFaultFocus(form, signIn.error);
  useEffect(() => { document.title = `${t("Sign in")} – Tilth`; }, []);
  useEffect(() => {
    const first = form.current?.querySelector("input");
    if (first && !form.current?.contains(document.activeElement)) first.focus(); // who types already is not moved
  }, [ways.value]);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const user = await signIn.run(undefined);
    if (user) onDone(user);
  };
  const { password: byPassword = true, provider = null } = ways.value ?? {};
  return html`<div class="door">
    <aside><p class="brand"><img src="/assets/icon.svg" alt="" width="28" height="28" />Tilth</p><p>${t("Know what every field needs today, and what happened on it before.")}</p></aside>
    <main id="main"><div>
      <div class="stack"><h1>${t("Sign in")}</h1>${note ? html`<p class="notice" role="status">${note}</p>` : null}
        ${failure ? html`<p class="notice bad trouble" role="alert">${failure}</p>` : null}</div>
      ${byPassword ? html`<form ref=${form} novalidate onSubmit=${submit}>
        <${TextField} label=${t("Email")} name="email" type="email" autocomplete="username" need value=${email} onInput=${setEmail} fault=${faultOf(signIn.error, "email")} />
        <${TextField} label=${t("Password")} name="password" type="password" autocomplete="current-password" need value=${password} onInput=${setPassword}
          fault=${faultOf(signIn.error, "password")} />
        ${signIn.error ? html`<${FormTrouble} error=${signIn.error} fields=${["email", "password"]} />` : null}
        <${Button} type="submit" kind="primary wide" busy=${signIn.busy}>${t("Sign in")}<//></form>` : null}
      ${byPassword && provider ? html`<p class="or">${t("or")}</p>` : null}
      ${provider ? html`<a class="button wide ${byPassword ? "" : "primary"}" href="/api/auth/sign-in" onClick=${rememberPlace}>${t("Sign in with {provider}", { provider })}</a>` : null}
      <div class="row small">${language}<a href="/docs">${t("API reference")}</a></div>
    </div></main></div>`;
}
