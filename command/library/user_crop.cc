#include "command/library/user_crop.h"

#include <cstddef>

#include "projections/land/farm.h"
#include "projections/library/admin_crop.h"

namespace tilth {
namespace {

const Error kNoAdminCrop{ErrorCode::kNotFound, "The crop library has no such crop."};
const Error kNoFarm{ErrorCode::kNotFound, "There is no such farm."};
const Error kNoEntry{ErrorCode::kNotFound, "There is no such entry."};

constexpr std::size_t kLargestCustomizations = 16 << 10;  // bytes

}  // namespace

void CreateUserCrop::check(Issues& issues) const {
  if (customizations && customizations->json.size() > kLargestCustomizations) {
    issues["customizations"].emplace_back("must have at most 16384 bytes");
  }
}

Decision decide(const Rows& rows, const CreateUserCrop& command, const Context& context) {
  const auto crop = find(rows, AdminCropPath{command.admin_crop_id});
  if (!crop) return kNoAdminCrop;
  if (command.farm_id && !rows.find(*command.farm_id)) return kNoFarm;
  const auto key = UserCrop::unique_key(crop->id, command.farm_id);
  if (const auto there = rows.find_unique<UserCrop>({}, key)) {
    // The entry stores the name of the response: a replay returns it, whatever the library has
    // then.
    if (rows.find(UserCropId{*there})->admin_crop != name_of(*crop)) {
      return UserCropRenamed{{*there}, name_of(*crop), context.now};
    }
    return RequestAnswered{std::string(UserCrop::kTable), there->uuid, context.now};
  }
  return UserCropAdded{{context.new_id}, name_of(*crop),         command.farm_id,
                       command.source,   command.customizations, context.now};
}

Decision decide(const Rows& rows, const Delete<UserCrop>& command, const Context& context) {
  const auto entry = rows.find(command.at.user_crop_id);
  if (!entry) return kNoEntry;
  if (const auto held = context.permits(as_named_now(rows, *entry)); !held) return held.error();
  return UserCropRemoved{entry->id, context.now};
}

}  // namespace tilth
