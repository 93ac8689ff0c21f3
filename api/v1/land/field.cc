#include "query/land/field.h"

#include "api/routing/resource_route.h"
#include "command/record.h"

namespace tilth {

std::vector<Route> field_routes() {
  constexpr std::string_view kMany = "/farms/{id}/fields";
  constexpr std::string_view kOne = "/farms/{id}/fields/{fieldId}";
  constexpr auto kRead = Scope::kFieldsRead, kWrite = Scope::kFieldsWrite;
  return {
      listing<ListFields>(kMany, kRead, "List the fields"),
      creation<Create<Field>, Field>(kMany, kWrite, "Register a field"),
      single<FieldPath, Field>(kOne, kRead, "Show a field"),
      amendment<Update<Field>, Field>(kOne, kWrite, "Amend a field"),
      removal<Delete<Field>>(kOne, kWrite, "Remove a field"),
  };
}

}  // namespace tilth
