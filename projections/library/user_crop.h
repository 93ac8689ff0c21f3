// A shortlist entry row, as responses show it, and its path in requests.

#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "events/library/user_crop.h"
#include "projections/land/farm.h"
#include "projections/rows/goes_with.h"
#include "projections/rows/rows.h"

namespace tilth {

struct UserCrop {
  using Path = struct UserCropPath;

  static constexpr std::string_view kTable = "user_crop";
  static constexpr std::array<std::string_view, 1> kSorts{"createdAt"};
  static constexpr std::array<std::string_view, 2> kFilters{"farmId", "source"};
  static constexpr std::size_t kFarmFilter = 0;
  static constexpr std::array kGoesWith{goes_with<Farm, kFarmFilter>()};

  UserCropId id;
  std::string user_id;
  AdminCropId admin_crop_id;
  std::optional<FarmId> farm_id;
  UserCropSource source = {};
  std::optional<FreeObject> customizations;
  AdminCropName admin_crop;
  Timestamp created_at = {};
  Timestamp updated_at = {};

  // A crop is on the list once for each farm, and once without a farm.
  static std::string unique_key(const AdminCropId& crop, const std::optional<FarmId>& farm) {
    return std::string(crop.uuid.key()).append(farm ? farm->uuid.key() : std::string_view());
  }

  Uuid parent() const { return {}; }
  void index_to(RowIndex& index) const {
    index.filter(farm_id), index.filter(source);
    index.sort(created_at);
    index.unique(unique_key(admin_crop_id, farm_id));
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id), member("userId", user_id), member("adminCropId", admin_crop_id),
       member("farmId", farm_id), member("source", source),
       member("customizations", customizations), member("adminCrop", admin_crop),
       member("createdAt", created_at), member("updatedAt", updated_at));
  }
};

// The library's name of a crop.
AdminCropName name_of(const AdminCrop& crop);

// An entry as responses show it: with the current name of the library's crop. The stored name is
// the one from when the grower added it.
UserCrop as_named_now(const Rows& rows, UserCrop entry);

// The path of an entry in a request.
struct UserCropPath {
  UserCropId user_crop_id;

  Uuid row_id() const { return user_crop_id.uuid; }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", user_crop_id));
  }
};

}  // namespace tilth
