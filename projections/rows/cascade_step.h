// One remaining step of a cascade.

#pragma once

#include <cstdint>
#include <string>

#include "events/values/ids.h"

namespace tilth {

struct CascadeStep {
  enum class Kind : std::uint8_t {
    kChildren,  // the rows of `table` that are removed with the row `of`
    kOne,       // the row `of` of `table`, which is in lists that stay
    kLists,     // the lists of rows of `table` that belonged to the row `of`
    kKeys,      // what else the row `of` of `table` stored
  };

  Kind kind;
  std::string table;
  Uuid of;
  // Of kChildren: the filter that names the row `of`, in the lists under `under`. Without one the
  // list is that row's own, and is removed as a whole.
  std::uint8_t filter = kOwnList;
  Uuid under = {};

  static constexpr std::uint8_t kOwnList = 0xFF;
};

}  // namespace tilth
