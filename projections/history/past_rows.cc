#include "projections/history/past_rows.h"

#include <set>
#include <utility>

#include "events/log/event_record.h"
#include "events/log/streams.h"
#include "projections/fold/cascade.h"
#include "projections/history/stream_reader.h"

namespace tilth {
namespace {

constexpr std::size_t kPage = 512;
constexpr std::size_t kAtOnce = 10'000;  // rows to erase or age between calls of make_room()

// Rows that grow in memory, and beyond a limit in a store that is created on demand.
class PastRows final : public RowReader {
 public:
  explicit PastRows(const PastSources& from) : from_(from) {}

  std::optional<std::string> get(std::string_view key) const override { return batch_->get(key); }
  std::vector<std::optional<std::string>> get_many(
      const std::vector<std::string>& keys) const override {
    return batch_->get_many(keys);
  }
  std::unique_ptr<RowCursor> cursor() const override { return batch_->cursor(); }

  RowStore& changes() { return *batch_; }

  // Called between two events.
  Status make_room() {
    if (batch_->changes().size() < from_.changes_in_memory) return kDone;
    if (!store_) {
      auto made = from_.make_scratch();
      if (!made) return made.error();
      store_ = std::move(*made);
    }
    if (const auto committed = store_->commit(batch_->changes()); !committed) return committed;
    batch_ = std::make_unique<RowBatch>(store_->newest());
    return kDone;
  }

 private:
  const PastSources& from_;  // used while it grows
  std::unique_ptr<ProjectionStore> store_;
  std::unique_ptr<RowBatch> batch_ = std::make_unique<RowBatch>();  // destroyed before its store
};

constexpr std::size_t kSlice = 8;  // events: about a millisecond

Error not_wanted() { return {ErrorCode::kUnavailable, "Nothing waits for it any more."}; }

class Fold {
 public:
  Fold(const PastSources& from, Timestamp at, const std::function<bool()>& go_on, PastRows& rows)
      : from_(from), at_(at), go_on_(go_on), rows_(rows) {
    for (const auto& skipped : from.orders().skipped) {
      passed_over_.emplace(skipped.partition, skipped.offset);
    }
  }

  Status stream(const std::string& name) {
    StreamReader reader(from_.log, from_.index, name);
    if (const auto known = reader.refresh(); !known) return known;
    if (const auto fits = check_length(reader); !fits) return fits;
    for (std::uint64_t version = 0;;) {
      const auto page = reader.next(kPage);
      if (!page) return page.error();
      if (page->empty()) return kDone;
      for (const auto& [position, record] : *page) {
        if (record.envelope.time > at_) return kDone;
        if (++folded_ > from_.most_events) return too_long();
        const bool counts = !passed_over_.contains({position.partition, position.offset});
        if (const auto done = counts ? event(record, version) : Status(kDone); !done) return done;
        ++version;
        if (folded_ % kSlice == 0 && !go_on_()) return not_wanted();
      }
      if (!go_on_()) return not_wanted();
    }
  }

  Status age(const std::string& name) {
    for (;;) {
      MutableRows rows(rows_.changes(), name, 0);
      const bool all = from_.projection.age(rows, at_, kAtOnce);
      if (const auto room = rows_.make_room(); !room) return room;
      if (all) return kDone;
    }
  }

 private:
  // Refuses a history that is too long before it is folded.
  Status check_length(StreamReader& reader) {
    const auto left = from_.most_events - folded_;
    if (reader.version() <= left) return kDone;
    reader.go_to(left);
    const auto beyond = reader.next(1);
    if (!beyond) return beyond.error();
    if (!beyond->empty() && beyond->front().record.envelope.time <= at_) return too_long();
    reader.go_to(0);
    return kDone;
  }

  Status event(const Record& record, std::uint64_t version) {
    const auto& envelope = record.envelope;
    if (from_.projection.ignored.contains(envelope.type)) return kDone;
    const auto event = read_event(record);
    if (!event) {
      return Error{ErrorCode::kDamaged, "Event " + envelope.id + ": " + event.error().message};
    }
    MutableRows rows(rows_.changes(), record.stream, version);
    from_.projection.evolve(rows, *event);
    if (rows.cascade().empty()) return rows_.make_room();
    for (Cascade cascade(rows.cascade());;) {
      MutableRows swept(rows_.changes(), record.stream, version);
      const bool all = cascade.advance(swept, kAtOnce);
      if (const auto room = rows_.make_room(); !room || all) return room;
    }
  }

  Error too_long() const {
    return {ErrorCode::kAsOfLimitExceeded,
            "There are more than " + std::to_string(from_.most_events) +
                " events up to then, which is more than this service folds for an answer."};
  }

  const PastSources& from_;
  const Timestamp at_;
  const std::function<bool()>& go_on_;
  PastRows& rows_;
  std::set<std::pair<int, std::int64_t>> passed_over_;
  std::size_t folded_ = 0;
};

Result<RowView> fold_all(const PastSources& from, const std::string& owner, Timestamp at, bool aged,
                         const std::function<bool()>& go_on) {
  auto rows = std::make_shared<PastRows>(from);
  Fold fold(from, at, go_on, *rows);
  for (const auto& stream : {std::string(kReferenceStream), owner}) {
    if (const auto folded = fold.stream(stream); !folded) return folded.error();
  }
  if (aged && from.projection.age) {
    if (const auto done = fold.age(owner); !done) return done.error();
  }
  Rows of_owner(*rows, owner, 0);
  return RowView{std::move(rows), std::move(of_owner)};
}

}  // namespace

Result<RowView> fold_past(const PastSources& from, const std::string& owner, Timestamp at,
                          bool aged, const std::function<bool()>& go_on) {
  try {
    return fold_all(from, owner, at, aged, go_on);
  } catch (const UnreadableRows& rows) {
    from.index.cannot_read(rows);
    return Error{ErrorCode::kDamaged,
                 "What was so then cannot be told: the records of where it "
                 "lies cannot be read."};
  }
}

}  // namespace tilth
