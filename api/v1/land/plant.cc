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
      explained(listing<ListPlants>(kMany, kRead, "List the plants", true),
                "Lists the plants of one block."),
      explained(creation<Create<Plant>, Plant>(kMany, kWrite, "Create a plant"),
                "Registers one plant, with its tag and its place in the block. A `tagId` is "
                "unique among the block's plants."),
      single<PlantPath, Plant>(kOne, kRead, "Show a plant"),
      amendment<Update<Plant>, Plant>(kOne, kWrite, "Update a plant"),
      removal<Delete<Plant>>(kOne, kWrite, "Remove a plant"),
  };
}

}  // namespace tilth
