#include "infra/rocksdb/scratch_store.h"

#include <system_error>
#include <utility>

namespace tilth {

ScratchStores::ScratchStores(std::filesystem::path directory, const RocksMemory& memory)
    : directory_(std::move(directory)), memory_(memory) {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

Result<std::unique_ptr<ProjectionStore>> ScratchStores::make() {
  auto store = RocksStore::open(directory_, "rows", ++made_, "", memory_);
  if (!store) return store.error();
  (*store)->remove_when_unused();
  return std::unique_ptr<ProjectionStore>(std::move(*store));
}

}  // namespace tilth
