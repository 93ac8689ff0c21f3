// The way to the identity provider and back.

import { storeDrafts } from "../core/drafts.js";

/** The provider's redirect loses what stands after #, and all that is in memory, so this tab stores it. */
export function rememberPlace() {
  storeDrafts();
  if (location.hash) sessionStorage.setItem("tilth-place", location.hash);
}

/** Why somebody came back from the provider without what they went for, taken from the address: "access_denied", "taken" or another reason; null if all went well. */
export function takeFailure() {
  const failed = new URLSearchParams(location.search).get("error");
  if (failed) history.replaceState(null, "", `/${location.hash}`);
  return failed;
}
