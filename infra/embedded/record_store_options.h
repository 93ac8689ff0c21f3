// Options of an embedded log's store.

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
  std::shared_ptr<rocksdb::Cache> cache = {};  // block cache; its own 8 MiB if null
  std::size_t write_buffer_bytes = 16 << 20;   // limits the write-ahead log to about twice that
  rocksdb::Env* env = nullptr;                 // for tests of disk errors; not owned
};

}  // namespace tilth
