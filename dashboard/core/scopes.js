// Sets of scopes that many keys have.

import { t } from "./i18n.js";

/** Each with its id and words. @param {string[]} scopes all that there are @returns {[string, string, string[]][]} */
export const scopePresets = (scopes) => [
  ["read", t("Read only"), scopes.filter((scope) => scope.endsWith(":read"))],
  ["tasks", t("Tasks"), ["tasks:read", "tasks:write", "farms:read", "fields:read"]],
  ["all", t("Everything"), ["all"]],
];
