// Options of an embedded log's store.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "infra/embedded/archived_files.h"

namespace rocksdb {
class Env;
}

namespace tilth {

class OwnerKeyFiles;
class RocksMemory;

struct RecordStoreOptions {
  std::function<void(std::string_view)> log_line = [](std::string_view) {};  // the service's logger
  std::shared_ptr<RocksMemory> memory = {};   // its own if null: log_memory()
  std::size_t write_buffer_bytes = 16 << 20;  // limits the write-ahead log to about twice that
  // The keys of a sealed log (record_seal.h). Without them its records can be checked, but what is
  // sealed in them cannot be read, and nothing can be written.
  std::shared_ptr<OwnerKeyFiles> keys = {};
  ArchivePlaces archives = {};
  bool seal_new = false;        // a log that holds no record yet; `keys` are given
  rocksdb::Env* env = nullptr;  // for tests of disk errors; not owned
};

// A block cache of 8 MiB. Writes are counted only: `write_buffer_bytes` limits them.
std::shared_ptr<RocksMemory> log_memory();

}  // namespace tilth
