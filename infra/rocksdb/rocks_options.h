// The parts of RocksMemory; for the .cc files that use RocksDB directly.

#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/write_buffer_manager.h>

#include "events/values/result.h"
#include "infra/rocksdb/rocks_memory.h"

namespace tilth {

struct RocksMemory::Parts {
  std::shared_ptr<rocksdb::Cache> cache;
  std::shared_ptr<rocksdb::WriteBufferManager> writes;
};

// The base options of all our databases.
rocksdb::Options shared_options(const RocksMemory& memory);

// The options of a database of rows.
rocksdb::Options options_of_rows(const RocksMemory& memory);

// Makes a copy of the database that can be opened; `directory` must not exist. `what` begins the
// error message.
Status copy_database(rocksdb::DB& db, const std::filesystem::path& directory,
                     std::string_view what);

}  // namespace tilth
