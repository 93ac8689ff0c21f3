#include "api/crop.h"

#include "command/crop.h"
#include "query/crop.h"

namespace tilth {

std::vector<Route> crop_routes() {
  constexpr std::string_view kMany = "/crops";
  constexpr std::string_view kOne = "/crops/{id}";
  constexpr auto kRead = Scope::kCropsRead, kWrite = Scope::kCropsWrite;
  return {
      listing<ListCrops>(kMany, kRead, "List the crops"),
      creation<RegisterCrop, Crop>(kMany, kWrite, "Register a crop"),
      single<CropPath, Crop>(kOne, kRead, "Show a crop"),
      amendment<AmendCrop, Crop>(kOne, kWrite, "Amend a crop"),
      amendment<MoveCrop, Crop>("/crops/{id}/status", kWrite, "Move a crop to another stage"),
      removal<RemoveCrop>(kOne, kWrite, "Remove a crop"),
  };
}

}  // namespace tilth
