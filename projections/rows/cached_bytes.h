// Bytes that every response reads.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "projections/rows/rows.h"

namespace tilth {

// As Rows::own(), from the cache of the most-read rows; null if there is nothing.
inline std::shared_ptr<const std::string> cached_bytes(const Rows& rows, const std::string& key) {
  const Derive as_they_are = [](std::string_view bytes) {
    return Derived{std::make_shared<const std::string>(bytes), bytes.size()};
  };
  return std::static_pointer_cast<const std::string>(rows.own_derived(key, as_they_are));
}

}  // namespace tilth
