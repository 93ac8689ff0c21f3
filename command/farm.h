// What may be asked of a farm. `at` comes from the path, the described members from the body.

#pragma once

#include "command/decision.h"
#include "projections/farm.h"

namespace tilth {

struct RegisterFarm {
  WholeStream at;
  FarmDetails<Own> details;

  template <class Archive>
  void serialize(Archive& ar) {
    details.serialize(ar);
  }
};

struct AmendFarm {
  FarmPath at;
  FarmDetails<Patch> changes;

  template <class Archive>
  void serialize(Archive& ar) {
    changes.serialize(ar);
  }
};

struct RemoveFarm {
  FarmPath at;
};

// FarmRegistered. kPlanLimitExceeded: the plan has no more farms. kConflict: a farm has that name.
Decision decide(const Rows&, const RegisterFarm&, const Context&);

// FarmAmended with the members that the request carried, also when they are so already; nothing if
// it carried none. kNotFound, kPreconditionFailed; kConflict: another farm has that name.
Decision decide(const Rows&, const AmendFarm&, const Context&);

// FarmRemoved. kNotFound: no such farm, or it was removed before. kPreconditionFailed.
Decision decide(const Rows&, const RemoveFarm&, const Context&);

}  // namespace tilth
