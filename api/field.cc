#include "api/field.h"

#include "command/field.h"
#include "query/field.h"

namespace tilth {

std::vector<Route> field_routes() {
  constexpr std::string_view kMany = "/farms/{id}/fields";
  constexpr std::string_view kOne = "/farms/{id}/fields/{fieldId}";
  constexpr auto kRead = Scope::kFieldsRead, kWrite = Scope::kFieldsWrite;
  return {
      listing<ListFields>(kMany, kRead, "List the fields"),
      creation<RegisterField, Field>(kMany, kWrite, "Register a field"),
      single<FieldPath, Field>(kOne, kRead, "Show a field"),
      amendment<AmendField, Field>(kOne, kWrite, "Amend a field"),
      removal<RemoveField>(kOne, kWrite, "Remove a field"),
  };
}

}  // namespace tilth
