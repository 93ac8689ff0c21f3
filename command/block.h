// What may be asked of a block. `at` comes from the path, the described members from the body.

#pragma once

#include "command/decision.h"
#include "projections/block.h"

namespace tilth {

struct RegisterBlock {
  FieldPath at;
  BlockDetails<Own> details;

  template <class Archive>
  void serialize(Archive& ar) {
    details.serialize(ar);
  }
};

struct AmendBlock {
  BlockPath at;
  BlockDetails<Patch> changes;

  template <class Archive>
  void serialize(Archive& ar) {
    changes.serialize(ar);
  }
};

struct RemoveBlock {
  BlockPath at;
};

// BlockRegistered, with the spacings and the density that the library knows where the request says
// none. kNotFound: no such field on that farm, no such crop on that field, or no such
// variety.
Decision decide(const Rows&, const RegisterBlock&, const Context&);

// BlockAmended with the members that the request carried, also when they are so already; nothing if
// it carried none. kNotFound: as above, or no such block. kPreconditionFailed.
Decision decide(const Rows&, const AmendBlock&, const Context&);

// BlockRemoved. kNotFound: no such block, or it was removed before. kPreconditionFailed.
Decision decide(const Rows&, const RemoveBlock&, const Context&);

}  // namespace tilth
