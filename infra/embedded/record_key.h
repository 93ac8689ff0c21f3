// The keys of the embedded log's records: their offsets, in the order of the log.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "events/values/big_endian.h"

namespace tilth {

class RecordKey {
 public:
  explicit RecordKey(std::int64_t offset) {
    for (auto byte = bytes_.rbegin(); byte != bytes_.rend(); ++byte, offset >>= 8) {
      *byte = static_cast<char>(offset & 0xFF);
    }
  }
  std::string_view bytes() const { return {bytes_.data(), bytes_.size()}; }

 private:
  std::array<char, 8> bytes_;
};

// nullopt: this is not a record's key.
inline std::optional<std::int64_t> offset_of(std::string_view key) {
  if (key.size() != 8 || key.front() < 0) return std::nullopt;
  return static_cast<std::int64_t>(read_big_endian(key));
}

}  // namespace tilth
