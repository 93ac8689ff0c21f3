// Where rows that are folded in bulk go when they do not fit into memory.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "events/values/result.h"

namespace tilth {

// Port. Bytes that are appended and read back until the object is destroyed, with all of them.
// Threads: one at a time.
class RowSpill {
 public:
  virtual ~RowSpill() = default;

  // Returns where the bytes begin. kUnavailable: the disk is full, for example.
  virtual Result<std::uint64_t> append(std::string_view bytes) = 0;

  // Replaces `bytes` with the `size` bytes from `at` on. Cheapest in the order of appending. Throws
  // UnreadableRows.
  virtual void read(std::uint64_t at, std::size_t size, std::string& bytes) const = 0;
};

}  // namespace tilth
