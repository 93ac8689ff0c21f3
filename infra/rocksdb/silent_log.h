// Discards RocksDB's own log, which is not needed in addition to our log lines.

#pragma once

#include <cstdarg>
#include <memory>

#include <rocksdb/env.h>

namespace tilth {

// Replaces a database's LOG file: a RocksDB that is built with assertions, like Debian's, ends the
// process when it cannot append to that file, for example on a full disk.
class SilentLog final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

}  // namespace tilth
