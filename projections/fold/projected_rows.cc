#include "projections/fold/projected_rows.h"

#include <utility>

#include "projections/rows/stored_head.h"

namespace tilth {
namespace {

constexpr std::size_t kKnownHeads = 16'384;
// Of all cells of a projection together.
constexpr std::size_t kCacheBytes = 16 << 20;
constexpr std::size_t kListPartBytes = 8 << 20;
constexpr std::size_t kListBlockBytes = 64 << 20;
constexpr std::size_t kListCounts = 131'072;  // some 8 MiB

}  // namespace

ProjectedRows::ProjectedRows(ProjectionStore& store, const Projection& projection,
                             ProgressTracker& progress)
    : projection_(projection),
      progress_(progress),
      store_(&store),
      cache_(kCacheBytes / static_cast<std::size_t>(projection.cells)),
      scanned_{ListPartsCache(kListPartBytes / static_cast<std::size_t>(projection.cells)),
               ListBlockCache(kListBlockBytes / static_cast<std::size_t>(projection.cells)),
               ListCountCache(kListCounts / static_cast<std::size_t>(projection.cells))} {}

bool ProjectedRows::adopt(ProjectionStore& store) {
  const std::lock_guard lock(mutex_);
  store_ = &store;
  visible_.reset();
  cache_.clear();
  heads_.clear();
  if (!progress_.clear_rows_fault()) return false;
  held_.clear();
  swept_ = std::make_shared<const SweptStreams>();
  return true;
}

void ProjectedRows::start_over(ProjectionStore& store) {
  const std::lock_guard lock(mutex_);
  store_ = &store;
  held_.clear();
  swept_ = std::make_shared<const SweptStreams>();
  visible_.reset();
  cache_.clear();
  heads_.clear();
  progress_.start_over();
}

void ProjectedRows::cannot_read(const UnreadableRows& rows) {
  const std::lock_guard lock(mutex_);
  if (store_->holds(rows)) progress_.set_rows_fault({ErrorCode::kDamaged, rows.what()});
}

const RowReader& ProjectedRows::newest() const {
  const auto& stored = store_->newest();
  if (swept_->empty()) return stored;
  if (!visible_) visible_ = visible({std::shared_ptr<const RowReader>(), &stored});
  return *visible_;
}

std::shared_ptr<const RowReader> ProjectedRows::visible(
    std::shared_ptr<const RowReader> rows) const {
  return std::make_shared<VisibleRows>(std::move(rows), swept_);
}

Rows ProjectedRows::of(const std::string& stream) const {
  return {is_swept(stream) ? newest() : store_->newest(), stream, version(stream)};
}

std::shared_ptr<const RowReader> ProjectedRows::snapshot_of(const std::string& stream) const {
  return is_swept(stream) ? visible(store_->snapshot()) : store_->snapshot();
}

// Nothing else commits, so a head that is known is that of the store.
const StreamHead& ProjectedRows::head(const std::string& stream) const {
  if (const auto known = heads_.find(stream); known != heads_.end()) return known->second;
  if (heads_.size() >= kKnownHeads) heads_.clear();
  const auto stored = store_->newest().get(stored_head_key(stream));
  return heads_[stream] = stored ? read_stored_head(*stored) : StreamHead();
}

Status ProjectedRows::commit(const RowBatch::Changes& changes) {
  const DerivedCache::Commit commit(cache_, changes);
  auto committed = store_->commit(changes);
  visible_.reset();
  return committed;
}

void ProjectedRows::set_heads(VersionGate::Heads heads) {
  for (auto& [stream, head] : heads) heads_[stream] = std::move(head);
}

void ProjectedRows::hold(const std::string& stream, std::shared_ptr<const RowReader> before) {
  const std::lock_guard lock(mutex_);
  held_[stream] = std::move(before);
}

void ProjectedRows::release(const std::string& stream) {
  const std::lock_guard lock(mutex_);
  held_.erase(stream);
}

void ProjectedRows::set_swept(const std::string& stream, std::set<Uuid> removed) {
  if (removed.empty() && !is_swept(stream)) return;
  auto streams = std::make_shared<SweptStreams>(*swept_);
  if (removed.empty()) {
    streams->erase(stream);
  } else {
    streams->insert_or_assign(stream, std::move(removed));
  }
  const std::lock_guard lock(mutex_);
  swept_ = std::move(streams);
  visible_.reset();
}

std::size_t ProjectedRows::swept_streams() const {
  const std::lock_guard lock(mutex_);
  return swept_->size();
}

std::optional<RowView> ProjectedRows::view(const std::string& stream,
                                           const std::optional<Position>& since) const {
  const std::lock_guard lock(mutex_);
  const auto held = held_.find(stream);
  if (since) {
    const bool of_all = stream.empty() || stream == projection_.of_all;
    const bool whole = of_all ? held_.empty() : held == held_.end();
    if (!progress_.has_read(*since) || !whole) return std::nullopt;
  }
  if (held != held_.end())
    return RowView{held->second, Rows(*held->second, stream, 0, {.scanned = &scanned_})};
  if (is_swept(stream)) {  // the cache has hidden rows, too
    auto state = visible(store_->snapshot());
    Rows rows(*state, stream, 0, {.scanned = &scanned_});
    return RowView{std::move(state), std::move(rows)};
  }
  // If a commit comes between the two, the snapshot belongs to no known state.
  const auto before = cache_.state();
  auto state = store_->snapshot();
  const bool same = cache_.state() == before;
  Rows rows(*state, stream, 0, {&cache_, same ? before : DerivedCache::kNoState, &scanned_});
  return RowView{std::move(state), std::move(rows)};
}

}  // namespace tilth
