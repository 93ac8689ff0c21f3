// What may be asked of a plant. `at` comes from the path, the described members from the body.

#pragma once

#include "command/decision.h"
#include "projections/plant.h"

namespace tilth {

struct RegisterPlant {
  BlockPath at;
  PlantDetails<Own> details;

  template <class Archive>
  void serialize(Archive& ar) {
    details.serialize(ar);
  }
};

struct AmendPlant {
  PlantPath at;
  PlantDetails<Patch> changes;

  template <class Archive>
  void serialize(Archive& ar) {
    changes.serialize(ar);
  }
};

struct RemovePlant {
  PlantPath at;
};

// PlantRegistered. kNotFound: no such block on that field and farm. kConflict: the block has a
// plant with that tag.
Decision decide(const Rows&, const RegisterPlant&, const Context&);

// PlantAmended with the members that the request carried, also when they are so already; nothing if
// it carried none. kNotFound, kPreconditionFailed; kConflict: as above.
Decision decide(const Rows&, const AmendPlant&, const Context&);

// PlantRemoved. kNotFound: no such plant, or it was removed before. kPreconditionFailed.
Decision decide(const Rows&, const RemovePlant&, const Context&);

}  // namespace tilth
