#include "api/farm.h"

#include "command/farm.h"
#include "query/farm.h"

namespace tilth {

std::vector<Route> farm_routes() {
  constexpr std::string_view kMany = "/farms";
  constexpr std::string_view kOne = "/farms/{id}";
  constexpr auto kRead = Scope::kFarmsRead, kWrite = Scope::kFarmsWrite;
  return {
      listing<ListFarms>(kMany, kRead, "List the farms"),
      creation<RegisterFarm, Farm>(kMany, kWrite, "Register a farm"),
      single<FarmPath, Farm>(kOne, kRead, "Show a farm"),
      amendment<AmendFarm, Farm>(kOne, kWrite, "Amend a farm"),
      removal<RemoveFarm>(kOne, kWrite, "Remove a farm"),
  };
}

}  // namespace tilth
