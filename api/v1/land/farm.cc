#include "command/land/farm.h"

#include "api/routing/resource_route.h"
#include "query/land/farm.h"

namespace tilth {

std::vector<Route> farm_routes() {
  constexpr std::string_view kMany = "/farms";
  constexpr std::string_view kOne = "/farms/{id}";
  constexpr auto kRead = Scope::kFarmsRead, kWrite = Scope::kFarmsWrite;
  return {
      explained(listing<ListFarms>(kMany, kRead, "List the farms"),
                "Lists the owner's farms; `status` narrows them."),
      explained(creation<Create<Farm>, Farm>(kMany, kWrite, "Create a farm"),
                "A farm is the root of fields, tasks and money. Its name is unique among the "
                "owner's farms, and the plan limits how many there are."),
      single<FarmPath, Farm>(kOne, kRead, "Show a farm"),
      amendment<Update<Farm>, Farm>(kOne, kWrite, "Update a farm"),
      explained(removal<Delete<Farm>>(kOne, kWrite, "Remove a farm"),
                "Removes everything on the farm with it: fields, crops, blocks, plants, tasks, "
                "recurring tasks and its money."),
  };
}

}  // namespace tilth
