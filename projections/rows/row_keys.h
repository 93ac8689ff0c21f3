// The key prefixes of rows and of what follows from them: after the stream and a NUL.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "events/values/ids.h"

namespace tilth {

inline constexpr char kRowKey = 'r', kUniqueKey = 'u', kListKey = 'l', kAgeKey = 'a';

// The parts of such a key: a table, and the id of the row or of its parent.
struct RowKeyParts {
  char kind = '\0';
  std::string_view table;
  Uuid of;
};

// Null: `key` is of another kind, or too short.
inline std::optional<RowKeyParts> row_key_parts(std::string_view key) {
  constexpr std::size_t kIdBytes = 16;
  const auto stream = key.find('\0');
  if (stream == key.npos || stream + 1 == key.size()) return std::nullopt;
  const char kind = key[stream + 1];
  if (kind != kRowKey && kind != kUniqueKey && kind != kListKey) return std::nullopt;
  const auto table = key.substr(stream + 2, key.find('\0', stream + 2) - (stream + 2));
  const auto of = stream + 2 + table.size() + 1;
  if (of + kIdBytes > key.size()) return std::nullopt;
  return RowKeyParts{kind, table, Uuid::from_key(key.substr(of, kIdBytes))};
}

// Appends the key prefix of one list to that of its parent's lists.
inline void append_list(std::string& key, std::size_t filter, std::string_view value) {
  key.append(1, static_cast<char>(filter));
  key.append(1, static_cast<char>(value.size() >> 8)).append(1, static_cast<char>(value.size()));
  key.append(value);
}

}  // namespace tilth
