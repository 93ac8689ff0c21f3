#include "command/land/plant.h"

#include "api/routing/resource_route.h"
#include "query/land/plant.h"

namespace tilth {

std::vector<Route> plant_routes() {
  constexpr std::string_view kMany = "/farms/{id}/fields/{fieldId}/blocks/{blockId}/plants";
  constexpr std::string_view kOne =
      "/farms/{id}/fields/{fieldId}/blocks/{blockId}/plants/{plantId}";
  constexpr auto kRead = Scope::kFieldsRead, kWrite = Scope::kFieldsWrite;
  return {
      listing<ListPlants>(kMany, kRead, "List the plants", true),
      creation<Create<Plant>, Plant>(kMany, kWrite, "Register a plant"),
      single<PlantPath, Plant>(kOne, kRead, "Show a plant"),
      amendment<Update<Plant>, Plant>(kOne, kWrite, "Amend a plant"),
      removal<Delete<Plant>>(kOne, kWrite, "Remove a plant"),
  };
}

}  // namespace tilth
