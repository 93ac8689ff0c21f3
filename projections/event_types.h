// Which events a projection has a use for.

#pragma once

#include <string_view>
#include <unordered_set>
#include <variant>

#include "events/catalogue.h"

namespace tilth {

using EventTypes = std::unordered_set<std::string_view>;

// The types of those events of which `is.template operator()<E>()` holds.
template <class Is>
EventTypes types_of_events(Is is) {
  EventTypes types;
  [&]<class... E>(const std::variant<E...>*) {
    ((is.template operator()<E>() ? void(types.insert(E::kType.name)) : void()), ...);
  }(static_cast<const Event*>(nullptr));
  return types;
}

}  // namespace tilth
