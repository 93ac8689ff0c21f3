#include "command/land/farm.h"

#include "api/routing/resource_route.h"
#include "query/land/farm.h"

namespace tilth {

std::vector<Route> farm_routes() {
  constexpr std::string_view kMany = "/farms";
  constexpr std::string_view kOne = "/farms/{id}";
  constexpr auto kRead = Scope::kFarmsRead, kWrite = Scope::kFarmsWrite;
  return {
      listing<ListFarms>(kMany, kRead, "List the farms"),
      creation<Create<Farm>, Farm>(kMany, kWrite, "Register a farm"),
      single<FarmPath, Farm>(kOne, kRead, "Show a farm"),
      amendment<Update<Farm>, Farm>(kOne, kWrite, "Amend a farm"),
      removal<Delete<Farm>>(kOne, kWrite, "Remove a farm"),
  };
}

}  // namespace tilth
