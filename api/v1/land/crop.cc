#include "command/land/crop.h"

#include "api/routing/resource_route.h"
#include "query/land/crop.h"

namespace tilth {

std::vector<Route> crop_routes() {
  constexpr std::string_view kMany = "/crops";
  constexpr std::string_view kOne = "/crops/{id}";
  constexpr auto kRead = Scope::kCropsRead, kWrite = Scope::kCropsWrite;
  return {
      explained(listing<ListCrops>(kMany, kRead, "List the crops"),
                "Lists the owner's plantings on all farms; filters narrow them to a farm, a "
                "field or a status."),
      explained(creation<CreateCrop, Crop>(kMany, kWrite, "Create a crop"),
                "Plans or records a planting on a field. With `adminCropId` the expected "
                "harvest follows from the library, unless it is given."),
      single<CropPath, Crop>(kOne, kRead, "Show a crop"),
      amendment<Update<Crop>, Crop>(kOne, kWrite, "Update a crop"),
      amendment<MoveCrop, Crop>("/crops/{id}/status", kWrite, "Change the status of a crop"),
      explained(removal<Delete<Crop>>(kOne, kWrite, "Remove a crop"),
                "Removes its blocks, sales and expenses with it."),
  };
}

}  // namespace tilth
