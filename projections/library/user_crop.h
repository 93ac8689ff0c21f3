// An entry of a grower's shortlist as a row: what a request answers, and how one points at it.

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

  // A crop is on the list once for each farm, and once for none.
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

// What the library calls a crop.
AdminCropName name_of(const AdminCrop& crop);

// An entry as it is shown: with the name that the library's crop has now. What was kept is the one
// that it had when the grower added it.
UserCrop as_named_now(const Rows& rows, UserCrop entry);

// Where a request says that an entry is.
struct UserCropPath {
  UserCropId user_crop_id;

  Uuid row_id() const { return user_crop_id.uuid; }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", user_crop_id));
  }
};

}  // namespace tilth
