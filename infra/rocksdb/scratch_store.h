// Temporary rows, on disk since they may not fit into memory.

#pragma once

#include <atomic>
#include <filesystem>
#include <memory>

#include "infra/rocksdb/rocks_store.h"

namespace tilth {

// Makes stores below one directory, which is emptied first: files that a crash left are worthless.
// Threads: any. The stores must not outlive `memory`.
class ScratchStores {
 public:
  ScratchStores(std::filesystem::path directory, const RocksMemory& memory);

  // A store whose files are removed with it. kUnavailable, kDamaged: as RocksStore::open().
  Result<std::unique_ptr<ProjectionStore>> make();

 private:
  const std::filesystem::path directory_;
  const RocksMemory& memory_;
  std::atomic<int> made_ = 0;
};

}  // namespace tilth
