#include "infra/bulk/shared_rows.h"

#include <utility>

namespace tilth {
namespace {

constexpr std::size_t kChangesOfACommit = 10'000;

}  // namespace

Status SharedRows::change(const std::function<void(RowStore&)>& change) {
  const std::lock_guard lock(mutex_);
  change(*batch_);
  return batch_->changes().size() < kChangesOfACommit ? kDone : commit();
}

// With mutex_.
Status SharedRows::commit() {
  if (!store_) {
    auto made = scratch_.make();
    if (!made) return made.error();
    store_ = std::move(*made);
  }
  if (const auto kept = store_->commit(batch_->changes()); !kept) return kept;
  batch_ = std::make_unique<RowBatch>(store_->newest());
  return kDone;
}

Status SharedRows::take(const BulkRows::Each& each) {
  const std::lock_guard lock(mutex_);
  if (!store_) {
    for (const auto& [key, value] : batch_->changes()) {
      if (value) each(key, *value);
    }
    return kDone;
  }
  if (const auto kept = commit(); !kept) return kept;
  const auto rows = store_->snapshot();
  const auto cursor = rows->cursor();
  for (cursor->seek({}); cursor->valid(); cursor->next()) each(cursor->key(), cursor->value());
  return kDone;
}

}  // namespace tilth
