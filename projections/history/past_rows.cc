#include "projections/history/past_rows.h"

#include <array>
#include <set>
#include <utility>

#include "events/log/event_record.h"
#include "events/log/streams.h"
#include "projections/fold/cascade.h"
#include "projections/history/stream_reader.h"
#include "projections/rows/bulk_rows.h"

namespace tilth {
namespace {

constexpr std::size_t kPage = 512;
constexpr std::size_t kAtOnce = 10'000;  // rows to erase or age between calls of make_room()
constexpr std::size_t kSlice = 8;        // events: less than a millisecond

// The rows of one stream, and where they are if they do not fit into memory.
class PastStream {
 public:
  PastStream(const PastSources& from, std::string name, const BulkRows::Pause& pause)
      : from_(from), name_(std::move(name)), rows_(name_, pause) {}

  const std::string& name() const { return name_; }
  BulkRows& rows() { return rows_; }
  const BulkRows& rows() const { return rows_; }

  // Called between two events.
  Status make_room() {
    if (rows_.bytes_of_rows() > from_.row_bytes_in_memory) {
      if (const auto spilled = spill_rows(); !spilled) return spilled;
    }
    return rows_.others().size() < from_.keys_in_memory ? kDone : store_others();
  }

 private:
  Status spill_rows() {
    if (!spill_) {
      auto made = from_.make_spill();
      if (!made) return made.error();
      spill_ = std::move(*made);
    }
    return rows_.spill_rows(*spill_);
  }

  Status store_others() {
    if (!store_) {
      auto made = from_.make_scratch();
      if (!made) return made.error();
      store_ = std::move(*made);
    }
    if (const auto committed = store_->commit(rows_.others()); !committed) return committed;
    rows_.others_are_in(store_->newest());
    return kDone;
  }

  const PastSources& from_;  // used while it grows
  const std::string name_;
  std::unique_ptr<RowSpill> spill_;
  std::unique_ptr<ProjectionStore> store_;
  BulkRows rows_;  // destroyed before the other two
};

// The rows of the owner, and what all owners read. There are no others.
class PastRows final : public RowReader {
 public:
  PastRows(const PastSources& from, const std::string& owner, std::function<bool()> go_on)
      : go_on_(std::move(go_on)),
        streams_{PastStream(from, std::string(kReferenceStream), [this] { look(); }),
                 PastStream(from, owner, [this] { look(); })} {}

  std::array<PastStream, 2>& streams() { return streams_; }
  bool go_on() const { return go_on_(); }

  std::optional<std::string> get(std::string_view key) const override {
    const auto* const rows = rows_of(key);
    return rows != nullptr ? rows->get(key) : std::nullopt;
  }
  std::vector<std::optional<std::string>> get_many(
      const std::vector<std::string>& keys) const override {
    std::vector<std::optional<std::string>> found;
    found.reserve(keys.size());
    for (const auto& key : keys) found.push_back(get(key));
    return found;
  }
  std::unique_ptr<RowCursor> cursor() const override { return std::make_unique<Cursor>(*this); }

 private:
  // Within the stream of the key that was sought.
  class Cursor final : public RowCursor {
   public:
    explicit Cursor(const PastRows& rows) : rows_(rows) {}
    void seek(std::string_view key) override {
      if (within(key)) at_->seek(key);
    }
    void seek_for_prev(std::string_view key) override {
      if (within(key)) at_->seek_for_prev(key);
    }
    void next() override { at_->next(); }
    void prev() override { at_->prev(); }
    bool valid() const override { return at_ && at_->valid(); }
    std::string_view key() const override { return at_->key(); }
    std::string_view value() const override { return at_->value(); }

   private:
    bool within(std::string_view key) {
      const auto* const rows = rows_.rows_of(key);
      if (rows == nullptr) {
        at_.reset();
      } else if (!at_ || rows != of_) {
        at_ = rows->cursor();
      }
      of_ = rows;
      return rows != nullptr;
    }

    const PastRows& rows_;
    const BulkRows* of_ = nullptr;
    std::unique_ptr<RowCursor> at_;
  };

  const BulkRows* rows_of(std::string_view key) const {
    const auto name = key.substr(0, key.find('\0'));
    for (const auto& stream : streams_) {
      if (stream.name() == name) return &stream.rows();
    }
    return nullptr;
  }

  void look() const {
    if (!go_on_()) throw PastNotWanted{};
  }

  const std::function<bool()> go_on_;
  std::array<PastStream, 2> streams_;
};

Error not_wanted() { return {ErrorCode::kUnavailable, "Nothing waits for it any more."}; }

class Fold {
 public:
  Fold(const PastSources& from, Timestamp at, PastRows& rows) : from_(from), at_(at), rows_(rows) {
    for (const auto& skipped : from.overrides().skipped) {
      passed_over_.emplace(skipped.partition, skipped.offset);
    }
  }

  Status all_of(PastStream& stream) {
    StreamReader reader(from_.log, from_.index, stream.name());
    if (const auto known = reader.refresh(); !known) return known;
    if (const auto fits = check_length(reader); !fits) return fits;
    for (std::uint64_t version = 0;;) {
      const auto page = reader.next(kPage);
      if (!page) return page.error();
      if (page->empty()) return kDone;
      for (const auto& [position, record] : *page) {
        if (record->envelope.time > at_) return kDone;
        if (++folded_ > from_.most_events) return too_long();
        const bool counts = !passed_over_.contains({position.partition, position.offset});
        if (const auto done = counts ? event(stream, *record, version) : Status(kDone); !done)
          return done;
        ++version;
        if (folded_ % kSlice == 0 && !rows_.go_on()) return not_wanted();
      }
      if (!rows_.go_on()) return not_wanted();
    }
  }

  Status age(PastStream& stream) {
    for (;;) {
      MutableRows rows(stream.rows(), stream.name(), 0);
      const bool all = from_.projection.age(rows, at_, kAtOnce);
      if (const auto room = stream.make_room(); !room || all) return room;
      if (!rows_.go_on()) return not_wanted();
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
    if (!beyond->empty() && beyond->front().record->envelope.time <= at_) return too_long();
    reader.go_to(0);
    return kDone;
  }

  Status event(PastStream& stream, const Record& record, std::uint64_t version) {
    const auto& envelope = record.envelope;
    if (from_.projection.ignored.contains(envelope.type)) return kDone;
    const auto event = read_event(record);
    if (!event) {
      return Error{ErrorCode::kDamaged, "Event " + envelope.id + ": " + event.error().message};
    }
    MutableRows rows(stream.rows(), stream.name(), version);
    rows.show({});  // no response shows the row, so it need not be copied for that
    from_.projection.evolve(rows, *event);
    if (rows.cascade().empty()) return stream.make_room();
    for (Cascade cascade(rows.cascade());;) {
      MutableRows swept(stream.rows(), stream.name(), version);
      const bool all = cascade.advance(swept, kAtOnce);
      if (const auto room = stream.make_room(); !room || all) return room;
      if (!rows_.go_on()) return not_wanted();
    }
  }

  Error too_long() const {
    return {ErrorCode::kAsOfLimitExceeded,
            "There are more than " + std::to_string(from_.most_events) +
                " events up to then, which is more than this service folds for an answer."};
  }

  const PastSources& from_;
  const Timestamp at_;
  PastRows& rows_;
  std::set<std::pair<int, std::int64_t>> passed_over_;
  std::size_t folded_ = 0;
};

Result<RowView> fold_all(const PastSources& from, const std::string& owner, Timestamp at, bool aged,
                         const std::function<bool()>& go_on) {
  auto rows = std::make_shared<PastRows>(from, owner, go_on);
  Fold fold(from, at, *rows);
  for (auto& stream : rows->streams()) {
    if (const auto folded = fold.all_of(stream); !folded) return folded.error();
    stream.rows().settle();
  }
  if (aged && from.projection.age) {
    if (const auto done = fold.age(rows->streams().back()); !done) return done.error();
  }
  Rows of_owner(*rows, owner, 0);
  return RowView{std::move(rows), std::move(of_owner)};
}

}  // namespace

Result<RowView> fold_past(const PastSources& from, const std::string& owner, Timestamp at,
                          bool aged, const std::function<bool()>& go_on) {
  try {
    return fold_all(from, owner, at, aged, go_on);
  } catch (const PastNotWanted&) {
    return not_wanted();
  } catch (const UnreadableRows& rows) {
    from.index.cannot_read(rows);
    return Error{ErrorCode::kDamaged,
                 "The state at that time cannot be shown: the index of its events cannot be "
                 "read."};
  }
}

}  // namespace tilth
