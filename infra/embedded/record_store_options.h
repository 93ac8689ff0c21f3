// How the records of an embedded log are kept.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

namespace rocksdb {
class Cache;
class Env;
}  // namespace rocksdb

namespace tilth {

struct RecordStoreOptions {
  std::function<void(std::string_view)> say = [](std::string_view) {};  // the service's logger
  std::shared_ptr<rocksdb::Cache> cache = {};  // blocks that were read; its own 8 MiB if null
  std::size_t write_buffer_bytes = 16 << 20;   // also bounds the write-ahead log, about twofold
  rocksdb::Env* env = nullptr;                 // for tests whose disk fails; not owned
};

}  // namespace tilth
