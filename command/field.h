// What may be asked of a field. `at` comes from the path, the described members from the body.

#pragma once

#include "command/decision.h"
#include "projections/field.h"

namespace tilth {

struct RegisterField {
  FarmPath at;
  FieldDetails<Own> details;

  template <class Archive>
  void serialize(Archive& ar) {
    details.serialize(ar);
  }
};

struct AmendField {
  FieldPath at;
  FieldDetails<Patch> changes;

  template <class Archive>
  void serialize(Archive& ar) {
    changes.serialize(ar);
  }
};

struct RemoveField {
  FieldPath at;
};

// FieldRegistered. kNotFound: no such farm.
Decision decide(const Rows&, const RegisterField&, const Context&);

// FieldAmended with the members that the request carried, also when they are so already; nothing if
// it carried none. kNotFound, kPreconditionFailed.
Decision decide(const Rows&, const AmendField&, const Context&);

// FieldRemoved. kNotFound: no such field, or it was removed before. kPreconditionFailed.
Decision decide(const Rows&, const RemoveField&, const Context&);

}  // namespace tilth
