// A grower's shortlist: library crops that they plan to grow, on one farm or in general.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "events/json/json.h"
#include "events/land/farm.h"
#include "events/library/admin_crop.h"

namespace tilth {

using UserCropId = Id<struct UserCrop>;

enum class UserCropSource : std::uint8_t { kManualSearch, kAiRecommendation };

constexpr auto labels(UserCropSource) {
  return named<UserCropSource>("manual_search", "ai_recommendation");
}

// The library's name of a crop at some time.
struct AdminCropName {
  AdminCropId id;
  std::string name;
  std::optional<std::string> scientific_name = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id), member("name", name), member("scientificName", scientific_name));
  }
  friend bool operator==(const AdminCropName&, const AdminCropName&) = default;
};

// Stored forever: a new shape needs a new version with an upcast().
struct UserCropAdded {
  static constexpr EventType kType{"tilth.user_crop.added"};

  UserCropId user_crop_id;
  AdminCropName admin_crop;  // with its name at that time
  std::optional<FarmId> farm_id = {};
  UserCropSource source = {};
  std::optional<FreeObject> customizations = {};
  Timestamp added_at = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("userCropId", user_crop_id), member("adminCrop", admin_crop),
       member("farmId", farm_id), member("source", source),
       member("customizations", customizations), member("addedAt", added_at));
  }
};

// Stored forever. The grower added the crop again after the library had renamed it.
struct UserCropRenamed {
  static constexpr EventType kType{"tilth.user_crop.renamed"};

  UserCropId user_crop_id;
  AdminCropName admin_crop;
  Timestamp renamed_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("userCropId", user_crop_id), member("adminCrop", admin_crop),
       member("renamedAt", renamed_at));
  }
};

// Stored forever.
struct UserCropRemoved {
  static constexpr EventType kType{"tilth.user_crop.removed"};

  UserCropId user_crop_id;
  Timestamp removed_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("userCropId", user_crop_id), member("removedAt", removed_at));
  }
};

}  // namespace tilth
