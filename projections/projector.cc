#include "projections/projector.h"

#include <algorithm>
#include <utility>

#include "events/version_gate.h"
#include "projections/fold_record.h"
#include "projections/stored_offsets.h"

namespace tilth {
namespace {

// No stream begins with this byte.
const std::string kSweeps = "\1sweep";
constexpr std::size_t kPage = 512;
constexpr std::size_t kSweepBudget = 1'000;    // rows or keys at once: a few milliseconds
constexpr std::size_t kAgeBudget = 500;        // rows at once
constexpr std::size_t kMostChanges = 100'000;  // keys of a commit, or one record's: tens of MB
constexpr std::uint64_t kSkipsPerCommit = 10'000;
constexpr std::size_t kKnownVersions = 16'384;

std::vector<Position> offsets_in(const RowReader& state, int partitions) {
  std::vector<Position> offsets;
  for (int partition = 0; partition < partitions; ++partition) {
    const auto stored = state.get(stored_offset({partition, 0}).first);
    offsets.push_back({partition, stored ? read_stored_number(*stored) : 0});
  }
  return offsets;
}

}  // namespace

std::optional<std::vector<Position>> Projector::stands_at(const RowReader& state, int partitions) {
  const auto cursor = state.cursor();
  cursor->seek(kSweeps);
  if (cursor->valid() && cursor->key().starts_with(kSweeps)) return std::nullopt;
  return offsets_in(state, partitions);
}

Projector::Projector(EventLog& log, ProjectionStore& store, Projection projection,
                     OnRecord on_record)
    : log_(log),
      store_(&store),
      projection_(std::move(projection)),
      on_record_(std::move(on_record)) {}

Status Projector::open() {
  std::vector<Position> from;
  try {
    from = offsets_in(store_->newest(), log_.partitions());
  } catch (const UnreadableRows& rows) {
    return Error{ErrorCode::kDamaged, rows.what()};
  }
  for (const auto& [partition, offset] : from) next_[partition] = offset;
  auto reader = log_.read(from);
  if (!reader) return reader.error();
  reader_ = std::move(*reader);
  try {
    const auto cursor = store_->newest().cursor();
    for (cursor->seek(kSweeps); cursor->valid() && cursor->key().starts_with(kSweeps);
         cursor->next()) {
      const std::string stream(cursor->key().substr(kSweeps.size()));
      sweeps_.insert({stream, {Sweep(Sweep::decode(cursor->value())), nullptr, {}}});
    }
    while (!sweeps_.empty()) {
      const auto finished = finish_sweep(std::string(sweeps_.begin()->first));
      if (!finished) return finished;
    }
  } catch (const UnreadableRows& rows) {
    cannot_read(rows);
    lacks_events_ = true;  // half of a removal is no state
  }
  publish({}, 0);
  return kDone;
}

Status Projector::await(std::chrono::milliseconds patience) {
  if (!sweeps_.empty() || (fault() && !unreadable())) return kDone;
  auto read = read_page(patience);
  if (!read) note(read.error());
  return read;
}

Result<bool> Projector::follow(std::chrono::milliseconds patience) {
  auto followed = go_on(patience);
  note(followed);
  return followed;
}

Result<bool> Projector::go_on(std::chrono::milliseconds patience) {
  if (const auto why = fault()) {
    if (unreadable()) static_cast<void>(look_ahead(patience));
    return *why;
  }
  try {
    const bool swept = !sweeps_.empty();
    if (const auto carried = carry_on_sweeps(); !carried) return carried.error();
    if (swept) patience = std::chrono::milliseconds(0);
    auto folded = orders_.paused ? look_ahead(patience) : fold_page(patience);
    if (!folded) return folded;
    return swept || *folded;
  } catch (const UnreadableRows& rows) {
    cannot_read(rows);  // nothing of the page is committed, and it is folded again
    return Error{ErrorCode::kDamaged, rows.what()};
  }
}

Status Projector::read_page(std::chrono::milliseconds patience) {
  if (!page_.empty()) return kDone;
  auto read = reader_->next(kPage, patience);
  if (!read) {
    return read.error().code == ErrorCode::kUnavailable ? read.error() : fault(read.error());
  }
  page_ = std::move(*read);
  return kDone;
}

// While it folds nothing: reads on to the first record that it would fold, so that what it has
// shown so far can be shown until then.
Result<bool> Projector::look_ahead(std::chrono::milliseconds patience) {
  if (const auto read = read_page(patience); !read) return read.error();
  const auto first = std::find_if(page_.begin(), page_.end(), [this](const auto& logged) {
    return concerns(projection_, logged.record);
  });
  for (auto passed = page_.begin(); passed != first; ++passed) {
    next_[passed->position.partition] = passed->position.offset + 1;
    ++uncommitted_skips_;
  }
  const auto passed = first - page_.begin();
  page_.erase(page_.begin(), first);
  publish({}, static_cast<std::size_t>(passed));
  if (page_.empty()) return passed > 0;
  lacks_events_ = true;
  return Error{ErrorCode::kUnavailable, std::string(kPausedByAnOperator)};
}

Result<bool> Projector::fold_page(std::chrono::milliseconds patience) {
  if (const auto read = read_page(patience); !read) return read.error();
  if (page_.empty()) {
    set_running();
    return false;
  }
  for (const auto& logged : page_) {
    if (!sweeps_.contains(logged.record.stream)) continue;
    if (const auto finished = finish_sweep(logged.record.stream); !finished) {
      return finished.error();
    }
  }

  RowBatch batch(store_->newest());
  std::vector<Folded> page;
  std::map<std::string, Unfinished> begun;
  Versions ahead;
  std::optional<Error> poisoned;
  auto next = next_;
  std::size_t taken = 0;
  for (const auto& logged : page_) {
    if (begun.contains(logged.record.stream)) break;  // its rows are not all there again yet
    if (batch.changes().size() > kMostChanges) break;
    if (concerns(projection_, logged.record)) {
      page.push_back({taken});
      if (const auto done = fold(batch, ahead, logged, page.back(), begun); !done) {
        page.pop_back();
        poisoned = done.error();
        break;
      }
    } else {
      ++uncommitted_skips_;
    }
    next[logged.position.partition] = logged.position.offset + 1;
    ++taken;
  }
  if (!page.empty() || uncommitted_skips_ >= kSkipsPerCommit || poisoned) {
    for (const auto& [partition, offset] : next) {
      auto [key, value] = stored_offset({partition, offset});
      batch.put(std::move(key), std::move(value));
    }
    hold(begun);
    if (const auto committed = store_->commit(batch.changes()); !committed) {
      release(begun);
      return committed.error();  // page_ is folded again
    }
    uncommitted_skips_ = 0;
    for (const auto& [stream, version] : ahead) versions_[stream] = version;
  }
  caught_up_ = page_.size() < kPage;
  next_ = std::move(next);
  publish(taken > 0 ? std::optional(page_[taken - 1].record.envelope.time) : std::nullopt, taken);
  for (auto& folded : page) {
    auto& logged = page_[folded.at];
    const auto unfinished = begun.find(logged.record.stream);
    if (unfinished != begun.end()) {
      unfinished->second.untold.push_back({std::move(logged), std::move(folded)});
    } else {
      on_record_(logged, folded.accepted, folded.event, std::move(folded.row));
    }
  }
  page_.erase(page_.begin(), page_.begin() + static_cast<std::ptrdiff_t>(taken));
  sweeps_.merge(begun);
  if (caught_up_ && page_.empty()) set_running();
  if (!poisoned) return true;
  return fault(*poisoned, Poison{page_.front().position, page_.front().record.envelope.id});
}

// Folds one record. What it takes with it and is more than a moment's work goes to `begun`.
Status Projector::fold(RowBatch& batch, Versions& ahead, const LoggedRecord& logged, Folded& folded,
                       std::map<std::string, Unfinished>& begun) const {
  const auto& [position, record] = logged;
  const bool passes = passed_over_.contains({position.partition, position.offset});
  if (!record.foreign.empty()) {
    return passes ? kDone : Status(Error{ErrorCode::kDamaged, record.foreign});
  }
  const auto known = ahead.find(record.stream);
  MutableRows rows(batch, record.stream,
                   known != ahead.end() ? known->second : version(record.stream));
  folded.accepted = VersionGate::counts(record, rows.version());
  if (!folded.accepted) return kDone;
  const auto count = [&] {
    batch.put(rows.own_key('v'), std::to_string(rows.version() + 1));
    ahead[record.stream] = rows.version() + 1;
  };
  if (passes || projection_.ignored.contains(record.envelope.type)) {
    count();
    return kDone;
  }
  auto event = event_of(logged);
  if (!event) return event.error();
  fold_record(projection_, rows, logged, **event);
  folded.row = rows.first_put();
  count();
  folded.event = std::move(*event);
  if (rows.sweeps().empty()) return kDone;
  Sweep sweep(rows.sweeps());
  if (sweep.advance(rows, kSweepBudget)) return kDone;
  batch.put(kSweeps + record.stream, Sweep::encode(rows.sweeps()));
  begun.insert({record.stream, {std::move(sweep), store_->snapshot(), {}}});
  return kDone;
}

// From before the commit that begins a sweep, so that no reader sees half of it.
void Projector::hold(const std::map<std::string, Unfinished>& begun) {
  const std::lock_guard lock(mutex_);
  for (const auto& [stream, unfinished] : begun) held_[stream] = unfinished.before;
}

void Projector::release(const std::map<std::string, Unfinished>& begun) {
  const std::lock_guard lock(mutex_);
  for (const auto& [stream, unfinished] : begun) held_.erase(stream);
}

Status Projector::carry_on_sweeps() {
  std::vector<std::string> streams;
  for (const auto& [stream, unfinished] : sweeps_) streams.push_back(stream);
  for (const auto& stream : streams) {
    const auto finished = carry_on_sweep(stream);
    if (!finished) return finished.error();
  }
  return kDone;
}

Status Projector::finish_sweep(const std::string& stream) {
  while (true) {
    const auto finished = carry_on_sweep(stream);
    if (!finished) return finished.error();
    if (*finished) return kDone;
  }
}

Result<bool> Projector::carry_on_sweep(const std::string& stream) {
  auto& unfinished = sweeps_.at(stream);
  RowBatch batch(store_->newest());
  MutableRows rows(batch, stream, version(stream));
  Sweep ahead = unfinished.sweep;  // kept as it was until the commit
  const bool finished = ahead.advance(rows, kSweepBudget);
  if (finished) batch.erase(kSweeps + stream);
  if (const auto committed = store_->commit(batch.changes()); !committed) return committed.error();
  unfinished.sweep = std::move(ahead);
  if (!finished) return false;
  auto untold = std::move(unfinished.untold);
  sweeps_.erase(stream);
  {
    const std::lock_guard lock(mutex_);
    held_.erase(stream);
  }
  tell(std::move(untold));
  return true;
}

void Projector::tell(std::vector<Untold> untold) {
  for (auto& each : untold) {
    auto& [at, accepted, event, row] = each.folded;
    on_record_(each.logged, accepted, event, std::move(row));
  }
}

Result<bool> Projector::age(const std::string& stream, Timestamp now) {
  if (!projection_.age) return true;
  if (const auto why = fault()) return *why;
  try {
    RowBatch batch(store_->newest());
    MutableRows rows(batch, stream, version(stream));
    const bool finished = projection_.age(rows, now, kAgeBudget);
    if (batch.changes().empty()) return finished;
    const auto committed = store_->commit(batch.changes());
    return committed ? Result<bool>(finished) : committed.error();
  } catch (const UnreadableRows& rows) {
    cannot_read(rows);
    return Error{ErrorCode::kDamaged, rows.what()};
  }
}

// As it is committed; nobody else commits.
std::uint64_t Projector::version(const std::string& stream) const {
  if (const auto known = versions_.find(stream); known != versions_.end()) return known->second;
  if (versions_.size() >= kKnownVersions) versions_.clear();
  const auto stored = store_->newest().get(Rows(store_->newest(), stream, 0).own_key('v'));
  return versions_[stream] = stored ? static_cast<std::uint64_t>(read_stored_number(*stored)) : 0;
}

Rows Projector::rows(const std::string& stream) const {
  return {store_->newest(), stream, version(stream)};
}

std::int64_t Projector::next(int partition) const {
  const auto found = next_.find(partition);
  return found == next_.end() ? 0 : found->second;
}

std::optional<RowView> Projector::view(const std::string& stream,
                                       const std::optional<Position>& since) const {
  const std::lock_guard lock(mutex_);
  const auto held = held_.find(stream);
  if (since) {
    const auto next =
        std::find_if(progress_.next.begin(), progress_.next.end(),
                     [&](const auto& each) { return each.partition == since->partition; });
    const bool reached = next != progress_.next.end() && next->offset > since->offset;
    const bool of_all = !projection_.of_all.empty() && stream == projection_.of_all;
    const bool whole = of_all ? held_.empty() : held == held_.end();
    if (!reached || !whole) return std::nullopt;
  }
  auto state = held != held_.end() ? held->second : store_->snapshot();
  Rows rows(*state, stream, 0);
  return RowView{std::move(state), std::move(rows)};
}

void Projector::wake() {
  if (reader_) reader_->wake();
}

}  // namespace tilth
