// One thing that is left to do of a removal.

#pragma once

#include <cstdint>
#include <string>

#include "events/values/ids.h"

namespace tilth {

struct CascadeStep {
  enum class Kind : std::uint8_t {
    kChildren,  // the rows of `table` that go with the row `of`
    kOne,       // the row `of` of `table`, which stands in lists that stay
    kLists,     // the lists of rows of `table` that belonged to the row `of`
    kKeys,      // what else the row `of` of `table` kept
  };

  Kind kind;
  std::string table;
  Uuid of;
  // Of kChildren: the filter that names the row `of`, in the lists under `under`. Without one the
  // list is that row's own, and goes as a whole.
  std::uint8_t filter = kOwnList;
  Uuid under = {};

  static constexpr std::uint8_t kOwnList = 0xFF;
};

}  // namespace tilth
