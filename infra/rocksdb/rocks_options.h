// The parts of RocksMemory; for the .cc files that use RocksDB directly.

#pragma once

#include <filesystem>
#include <functional>
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

// Rewrites the files that have keys from `begin` on and before `end`, both empty for all: nothing
// of what was erased there, and that no snapshot sees, is left in them. Waits until files that were
// replaced are removed, which readers of them delay, while `goes_on` returns true. Incomplete: some
// are still there.
rocksdb::Status compact_range(rocksdb::DB& db, std::string_view begin, std::string_view end,
                              const std::function<bool()>& goes_on);

// Makes a copy of the database that can be opened; `directory` must not exist. `what` begins the
// error message.
Status copy_database(rocksdb::DB& db, const std::filesystem::path& directory,
                     std::string_view what);

}  // namespace tilth
