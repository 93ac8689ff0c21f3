#include "query/land/field.h"

#include "api/routing/resource_route.h"
#include "command/record.h"

namespace tilth {

std::vector<Route> field_routes() {
  constexpr std::string_view kMany = "/farms/{id}/fields";
  constexpr std::string_view kOne = "/farms/{id}/fields/{fieldId}";
  constexpr auto kRead = Scope::kFieldsRead, kWrite = Scope::kFieldsWrite;
  return {
      explained(listing<ListFields>(kMany, kRead, "List the fields"),
                "Lists the fields of one farm."),
      explained(creation<Create<Field>, Field>(kMany, kWrite, "Create a field"),
                "A field is a piece of land of a farm, in the farm's `areaUnit`."),
      single<FieldPath, Field>(kOne, kRead, "Show a field"),
      amendment<Update<Field>, Field>(kOne, kWrite, "Update a field"),
      explained(removal<Delete<Field>>(kOne, kWrite, "Remove a field"),
                "Removes its crops, blocks, irrigations, soil samples and expenses with it."),
  };
}

}  // namespace tilth
