// Commands on a grower's shortlist.

#pragma once

#include <optional>

#include "command/record.h"
#include "projections/library/user_crop.h"

namespace tilth {

struct CreateUserCrop {
  WholeStream at;
  AdminCropId admin_crop_id;
  std::optional<FarmId> farm_id;
  UserCropSource source = {};
  std::optional<FreeObject> customizations;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("adminCropId", admin_crop_id,
              {.required = true, .doc = "A crop of the library that is listed."}),
       member("farmId", farm_id), member("source", source),
       member("customizations", customizations,
              {.doc = "Any object of up to 16 KiB as JSON without blanks: customName, customNotes, "
                      "customGrowthDuration…"}));
  }
  void check(Issues& issues) const;
};

// UserCropAdded; if the crop is on the list for that farm, or for none, RequestAnswered for the
// existing entry, or UserCropRenamed if the library has renamed the crop. kNotFound: the library
// lists no such crop, or there is no such farm.
Decision decide(const Rows&, const CreateUserCrop&, const Context&);

// UserCropRemoved. kNotFound: no such entry, or it is removed already. kPreconditionFailed.
Decision decide(const Rows&, const Delete<UserCrop>&, const Context&);

}  // namespace tilth
