#include "infra/bulk/bucket_fold.h"

#include <algorithm>
#include <vector>

#include "projections/fold/cascade.h"
#include "projections/fold/fold_record.h"
#include "projections/rows/stored_head.h"

namespace tilth {
namespace {

constexpr std::size_t kSweptAtOnce = 10'000;
constexpr std::size_t kChangesOfACommit = 10'000;

}  // namespace

RowStore& BucketFold::rows_of(const std::string& name, Stream& stream) {
  if (batch_) return *batch_;
  if (!stream.rows) stream.rows = std::make_unique<BulkRows>(name);
  return *stream.rows;
}

Status BucketFold::fold(const LoggedRecord& logged) {
  const auto& position = logged.position;
  const auto& record = *logged.record;
  auto& stream = streams_[record.stream];
  if (!VersionGate::counts(record, stream.head)) return kDone;
  if (!parts_.passed_over.contains({position.partition, position.offset}) &&
      !parts_.projection.ignored.contains(record.envelope.type)) {
    const auto before = stream.rows ? stream.rows->bytes() : 0;
    if (const auto folded = fold(logged, stream); !folded) return folded;
    if (stream.rows) count(before, stream.rows->bytes());
  }
  stream.head.advance(record);
  if (batch_) {
    batch_->put(stored_head_key(record.stream), stored_head(stream.head));
    return batch_->changes().size() < kChangesOfACommit ? kDone : commit();
  }
  return takes_too_much() ? go_to_disk() : kDone;
}

// Of several folds, those go to disk that free most by it.
bool BucketFold::takes_too_much() const {
  const auto& memory = parts_.memory;
  return memory.bytes >= memory.most_bytes && bytes_ >= memory.most_bytes / memory.folds;
}

void BucketFold::count(std::size_t before, std::size_t after) {
  bytes_ += after - before;
  parts_.memory.bytes += after - before;
}

Status BucketFold::fold(const LoggedRecord& logged, Stream& stream) {
  const auto& name = logged.record->stream;
  const auto event = event_of(logged);
  if (!event) return event.error();
  if (parts_.of_all != nullptr) {
    return parts_.of_all->change([&](RowStore& of_all) {
      MutableRows rows(of_all, name, stream.head.version);
      fold_record(parts_.projection, rows, logged, *event);
    });
  }
  MutableRows rows(rows_of(name, stream), name, stream.head.version);
  fold_record(parts_.projection, rows, logged, *event);
  if (rows.cascade().empty()) return kDone;
  Cascade cascade(rows.cascade());
  for (bool all = cascade.advance(rows, kSweptAtOnce); !all;) {
    if (batch_) {
      if (const auto kept = commit(); !kept) return kept;
    }
    MutableRows swept(rows_of(name, stream), name, stream.head.version);
    all = cascade.advance(swept, kSweptAtOnce);
  }
  return kDone;
}

Status BucketFold::commit() {
  const auto kept = store_->commit(batch_->changes());
  batch_ = std::make_unique<RowBatch>(store_->newest());
  return kept;
}

Status BucketFold::go_to_disk() {
  auto made = parts_.scratch.make();
  if (!made) return made.error();
  store_ = std::move(*made);
  RowBatch::Changes changes;
  Status kept = kDone;
  take([&](std::string_view key, std::string_view value) {
    changes.insert_or_assign(changes.end(), std::string(key), value);
    if (changes.size() < kChangesOfACommit || !kept) return;
    kept = store_->commit(std::exchange(changes, {}));
  });
  if (kept) kept = store_->commit(changes);
  count(bytes_, 0);
  batch_ = std::make_unique<RowBatch>(store_->newest());
  return kept;
}

Status BucketFold::put_heads() {
  return parts_.of_all->change([this](RowStore& rows) {
    for (const auto& [name, stream] : streams_) {
      if (stream.head.version == 0) continue;
      rows.put(stored_head_key(name), stored_head(stream.head));
    }
  });
}

Status BucketFold::write(const BulkRows::Each& each) {
  if (parts_.of_all != nullptr) return put_heads();
  if (!batch_) {
    take(each);
    return kDone;
  }
  if (const auto kept = commit(); !kept) return kept;
  const auto rows = store_->snapshot();
  const auto cursor = rows->cursor();
  for (cursor->seek({}); cursor->valid(); cursor->next()) each(cursor->key(), cursor->value());
  return kDone;
}

// The keys of a stream's rows begin with its name, so the rows sort as the names do.
void BucketFold::take(const BulkRows::Each& each) {
  std::vector<std::pair<std::string_view, Stream*>> streams;
  for (auto& [name, stream] : streams_) {
    if (stream.head.version > 0) streams.emplace_back(name, &stream);
  }
  std::sort(streams.begin(), streams.end());
  for (const auto& [name, stream] : streams) {
    if (!stream->rows) stream->rows = std::make_unique<BulkRows>(name);  // all events skipped
    stream->rows->put(stored_head_key(name), stored_head(stream->head));
    stream->rows->take(each);
    stream->rows.reset();
  }
}

}  // namespace tilth
