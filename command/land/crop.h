// Commands on a crop. `at` comes from the path, the described members from the body.

#pragma once

#include "command/record.h"
#include "projections/land/crop.h"

namespace tilth {

struct CreateCrop {
  WholeStream at;
  FarmId farm_id;
  FieldId field_id;
  CropDetails<Own> details;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("farmId", farm_id, {.required = true}),
       member("fieldId", field_id, {.required = true}));
    details.serialize(ar);
  }
  void check(Issues& issues) const;
};

template <>
struct RecordRules<Crop> {
  static void check(const CropDetails<Patch>&, Issues&);
};

// A crop's next stage, with what is known of it at that time.
struct MoveCrop {
  CropPath at;
  CropStatus status = {};
  Patch<std::optional<Date>> actual_harvest_date;
  Patch<std::optional<Decimal>> actual_yield;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("status", status, {.required = true}),
       member("actualHarvestDate", actual_harvest_date),
       member("actualYield", actual_yield, {.min = 0}));
  }
};

// CropRegistered, with the harvest date that the library expects, unless the request has one; a
// crop that is created as harvested was harvested today in the farm's time zone, unless the request
// has a date. kNotFound: no such farm, field on it, library crop or variety.
Decision decide(const Rows&, const CreateCrop&, const Context&);

// CropAmended with the members that the request carried and their consequences: the variety's crop,
// the harvest dates; nothing if it carried none. kNotFound: as above, or no such crop. kInvalid: it
// would be harvested before it is planted. kPreconditionFailed.
Decision decide(const Rows&, const Update<Crop>&, const Context&);

// As for an Update<Crop> with these members.
Decision decide(const Rows&, const MoveCrop&, const Context&);

}  // namespace tilth
