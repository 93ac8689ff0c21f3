#include "command/land/crop.h"

#include "api/routing/resource_route.h"
#include "query/land/crop.h"

namespace tilth {

std::vector<Route> crop_routes() {
  constexpr std::string_view kMany = "/crops";
  constexpr std::string_view kOne = "/crops/{id}";
  constexpr auto kRead = Scope::kCropsRead, kWrite = Scope::kCropsWrite;
  return {
      listing<ListCrops>(kMany, kRead, "List the crops"),
      creation<CreateCrop, Crop>(kMany, kWrite, "Register a crop"),
      single<CropPath, Crop>(kOne, kRead, "Show a crop"),
      amendment<Update<Crop>, Crop>(kOne, kWrite, "Amend a crop"),
      amendment<MoveCrop, Crop>("/crops/{id}/status", kWrite, "Move a crop to another stage"),
      removal<Delete<Crop>>(kOne, kWrite, "Remove a crop"),
  };
}

}  // namespace tilth
