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
      listing<ListEntries<SoilSample>>(kMany, kRead, "List the soil samples"),
      creation<Create<SoilSample>, SoilSample>(kMany, kWrite, "Record a soil sample"),
      single<EntryPath<SoilSample>, SoilSample>(kOne, kRead, "Show a soil sample"),
      removal<Delete<SoilSample>>(kOne, kWrite, "Remove a soil sample"),
  };
}

}  // namespace tilth
