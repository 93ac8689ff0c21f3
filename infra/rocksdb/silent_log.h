// RocksDB's notes on its own doings, which no one needs next to our log lines.

#pragma once

#include <cstdarg>
#include <memory>

#include <rocksdb/env.h>

namespace tilth {

// In place of the file LOG next to a database: a RocksDB that is built with assertions, as Debian's
// is, ends the process when it cannot append to that file, as on a full disk.
class SilentLog final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

}  // namespace tilth
