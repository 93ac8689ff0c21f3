// RocksDB's views of bytes, and the standard library's.

#pragma once

#include <string>
#include <string_view>

#include <rocksdb/slice.h>

namespace tilth {

inline rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
inline std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

// The first key after all that begin with `prefix`; empty: there is none.
inline std::string end_of_prefix(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && end.back() == '\xFF') end.pop_back();
  if (!end.empty()) ++end.back();
  return end;
}

}  // namespace tilth
