#include "projections/operations/soil_sample.h"

#include "api/routing/resource_route.h"
#include "command/record.h"
#include "query/land/entries.h"

namespace tilth {

std::vector<Route> soil_sample_routes() {
  constexpr std::string_view kMany = "/farms/{id}/fields/{fieldId}/soil-samples";
  constexpr std::string_view kOne = "/farms/{id}/fields/{fieldId}/soil-samples/{opId}";
  constexpr auto kRead = Scope::kFieldsRead, kWrite = Scope::kFieldsWrite;
  return {
      explained(listing<ListEntries<SoilSample>>(kMany, kRead, "List the soil samples"),
                "Lists the soil samples of one field; `from` and `to` bound their time."),
      explained(creation<Create<SoilSample>, SoilSample>(kMany, kWrite, "Record a soil sample"),
                "Records what a laboratory found in a field's soil. The newest `ph` becomes the "
                "field's `soilPh`."),
      single<EntryPath<SoilSample>, SoilSample>(kOne, kRead, "Show a soil sample"),
      explained(removal<Delete<SoilSample>>(kOne, kWrite, "Remove a soil sample"),
                "The field's `soilPh` falls back to the newest sample that is left."),
  };
}

}  // namespace tilth
