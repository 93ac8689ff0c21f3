#include "tests/simulation/plain_past.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "events/log/event_record.h"
#include "events/log/streams.h"
#include "infra/embedded/memory_event_log.h"
#include "projections/history/past_rows.h"
#include "projections/rows/row_keys.h"
#include "tests/fixtures/memory_projection_store.h"
#include "tests/fixtures/spec.h"
#include "tests/simulation/plain_rules.h"

namespace tilth::testing {
namespace {

using Change = RowBatch::Changes::value_type;

// Is read in one log, and asked for its end in another one that holds the same: that of a log on
// disk would come in a later step of the world.
class ReadElsewhere final : public EventLog {
 public:
  ReadElsewhere(EventLog& read, EventLog& copy) : read_(read), copy_(copy) {}

  void append(Record record, OnAppended done) override {
    copy_.append(std::move(record), std::move(done));
  }
  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override {
    return read_.read(from);
  }
  void end(int partition, OnEnd done) override { copy_.end(partition, std::move(done)); }
  bool is_sequential() const override { return read_.is_sequential(); }
  int partitions() const override { return read_.partitions(); }
  int virtual_partitions() const override { return read_.virtual_partitions(); }

 private:
  EventLog& read_;
  EventLog& copy_;
};

}  // namespace

struct PlainPast::History {
  History(int partitions, EventLog* folded)
      : copy(partitions, MemoryEventLog::Refused::kKept),
        log(folded != nullptr ? *folded : copy, copy) {}

  MemoryEventLog copy;
  ReadElsewhere log;
  MemoryProjectionStore places{MemoryProjectionStore::Commits::kInPlace};
  StreamIndex index{log, places};
  PastSources sources{
      .log = log,
      .index = index,
      .projection = registry(),
      .make_spill = [] { return Result<std::unique_ptr<RowSpill>>(Error{}); },
      .make_scratch = [] { return Result<std::unique_ptr<ProjectionStore>>(Error{}); }};
  std::map<std::string, std::vector<Record>> accepted;  // by stream
};

PlainPast::PlainPast(const SimulatedTopic& topic, EventLog* log)
    : history_(std::make_unique<History>(topic.partitions(), log)) {
  for (int partition = 0; partition < topic.partitions(); ++partition) {
    VersionGate gate;
    for (const auto& [position, record] : topic.records(partition)) {
      history_->copy.append(*record, [](const auto&) {});
      if (gate.admit(*record)) history_->accepted[record->stream].push_back(*record);
    }
  }
}

PlainPast::~PlainPast() = default;

Timestamp PlainPast::middle_of(const std::string& stream) const {
  const auto found = history_->accepted.find(stream);
  if (found == history_->accepted.end()) return Timestamp::earliest();
  return found->second[found->second.size() / 2].envelope.time;
}

// docs/api.md, "As it was": clocks differ, so it ends at the first event that is later.
void PlainPast::fold_until(const std::string& stream, Timestamp at, RowBatch& rows) const {
  std::uint64_t version = 0;
  for (const auto& record : history_->accepted[stream]) {
    if (record.envelope.time > at) return;
    fold(rows, stream, *read_event(record), version++);
  }
}

std::string PlainPast::wrong_at(const std::string& owner, Timestamp at,
                                const std::map<std::string, RowBatch>& now) {
  if (const auto opened = history_->index.open(); !opened) return opened.error().message;
  const auto past = fold_past(history_->sources, owner, at, true, [] { return true; });
  if (!past) return "the past cannot be told: " + past.error().message;
  const RowBatch nothing;
  RowBatch rows(static_cast<const RowReader&>(nothing));  // so it knows what was erased
  fold_until(std::string(kReferenceStream), at, rows);
  fold_until(owner, at, rows);
  age_up_to(at, owner, rows);
  for (const auto& stream : {std::string(kReferenceStream), owner}) {
    const auto begin = stream + '\0' + kRowKey;
    const auto wrong = [&](const auto& key) {
      return key.starts_with(begin) && past->state->get(key) != rows.get(key);
    };
    const auto later = now.find(stream);
    if (std::ranges::any_of(rows.changes(), wrong, &Change::first) ||
        (later != now.end() &&
         std::ranges::any_of(later->second.changes(), wrong, &Change::first))) {
      return "the past has another row of " + stream;
    }
  }
  return wrong_among_overdue(past->rows, at);
}

}  // namespace tilth::testing
