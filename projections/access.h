// Access: who has an account, by which keys their programs call, and what else they used. Turns the
// events of the stream `access` into rows.

#pragma once

#include "events/catalogue.h"
#include "projections/registry.h"
#include "projections/rows.h"

namespace tilth {

void evolve(MutableRows&, const UserRegistered&);
void evolve(MutableRows&, const UserAmended&);
void evolve(MutableRows&, const UserIdentified&);
void evolve(MutableRows&, const ApiKeyMinted&);
void evolve(MutableRows&, const ApiKeyRevoked&);
void evolve(MutableRows&, const AiRequestReported&);

inline void evolve_access(MutableRows& rows, const Event& event) {
  std::visit(
      [&]<class E>(const E& e) {
        if constexpr (OfAccess<E>) evolve(rows, e);
      },
      event);
}

}  // namespace tilth
