#include "projections/fold/projector.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "events/log/event_record.h"
#include "projections/fold/fold_record.h"
#include "projections/rows/stored_head.h"
#include "projections/rows/stored_offsets.h"

namespace tilth {
namespace {

constexpr std::size_t kPage = 512;
constexpr std::size_t kPagesForEachSweep = 8;  // at most: a sweep always goes on
constexpr std::size_t kAgeBudget = 500;        // rows at once
constexpr std::size_t kMostChanges = 100'000;  // keys of a commit, or one record's: tens of MB
constexpr std::uint64_t kSkipsPerCommit = 10'000;

std::vector<Position> offsets_in(const RowReader& state, const std::vector<int>& partitions) {
  std::vector<Position> offsets;
  for (const int partition : partitions) {
    const auto stored = state.get(stored_offset({partition, 0}).first);
    offsets.push_back({partition, stored ? read_stored_number(*stored) : 0});
  }
  return offsets;
}

// All records before `position` were read. Returns how many that are: a log may leave out those
// that the projection does not follow.
std::size_t move_up_to(std::map<int, std::int64_t>& next, const Position& position) {
  auto& its = next[position.partition];
  const auto records = position.offset - std::exchange(its, position.offset);
  return static_cast<std::size_t>(std::max<std::int64_t>(records, 0));
}

// And the record there.
std::size_t move_past(std::map<int, std::int64_t>& next, const Position& position) {
  return move_up_to(next, {position.partition, position.offset + 1});
}

void put_place(RowBatch& batch, const std::map<int, std::int64_t>& next) {
  for (const auto& [partition, offset] : next) {
    auto [key, value] = stored_offset({partition, offset});
    batch.put(std::move(key), std::move(value));
  }
}

}  // namespace

std::optional<std::vector<Position>> Projector::checkpoint_of(const RowReader& state,
                                                              const std::vector<int>& partitions) {
  if (PendingCascades::any_in(state)) return std::nullopt;
  return offsets_in(state, partitions);
}

Projector::Projector(EventLog& log, ProjectionStore& store, Projection projection,
                     OnRecord on_record)
    : log_(log),
      projection_(std::move(projection)),
      on_record_(std::move(on_record)),
      rows_(store, projection_, progress_),
      cascades_(rows_, projection_.cascade_budget, on_record_) {}

Status Projector::open() {
  std::vector<Position> from;
  try {
    from = offsets_in(rows_.stored(), projection_.partitions_of(log_));
  } catch (const UnreadableRows& rows) {
    return Error{ErrorCode::kDamaged, rows.what()};
  }
  for (const auto& [partition, offset] : from) next_[partition] = offset;
  auto reader = log_.read(from);
  if (!reader) return reader.error();
  {
    const std::lock_guard lock(waking_);
    reader_ = std::move(*reader);
  }
  try {
    cascades_.resume();
    for (bool more = true; more;) {
      const auto advanced = cascades_.advance();
      if (!advanced) return advanced.error();
      more = *advanced;
    }
  } catch (const UnreadableRows& rows) {
    cannot_read(rows);
    progress_.set_lacks_events();  // a half-done removal is not a valid state
  }
  progress_.publish(next_, {}, 0);
  return kDone;
}

Result<bool> Projector::follow(std::chrono::milliseconds timeout) {
  auto followed = go_on(timeout);
  progress_.note_followed(followed);
  return followed;
}

Result<bool> Projector::go_on(std::chrono::milliseconds timeout) {
  if (const auto why = progress_.fault()) {
    if (unreadable()) static_cast<void>(look_ahead(timeout));
    return *why;
  }
  try {
    const auto advanced = cascades_.advance();
    if (!advanced) return advanced.error();
    if (!cascades_.empty()) timeout = std::chrono::milliseconds(0);
    auto folded = progress_.paused() ? look_ahead(timeout) : fold_page(timeout);
    if (!folded) {
      if (progress_.paused()) static_cast<void>(cascades_.sweep());
      return folded;
    }
    bool swept = false;
    if (!*folded || ++pages_since_sweep_ >= kPagesForEachSweep) {
      pages_since_sweep_ = 0;
      const auto erased = cascades_.sweep();
      if (!erased) return erased;
      swept = *erased;
    }
    return *advanced || *folded || swept;
  } catch (const UnreadableRows& rows) {
    cannot_read(rows);  // nothing of the page is committed, so it is folded again
    return Error{ErrorCode::kDamaged, rows.what()};
  }
}

Status Projector::read_page(std::chrono::milliseconds timeout) {
  if (!page_.empty()) return kDone;
  auto read = reader_->next(kPage, timeout);
  if (!read) {
    return read.error().code == ErrorCode::kUnavailable ? read.error()
                                                        : progress_.set_fault(read.error());
  }
  page_ = std::move(*read);
  return kDone;
}

// While nothing is folded: reads up to the first record that it would fold, so that the present
// rows can be shown until then.
Result<bool> Projector::look_ahead(std::chrono::milliseconds timeout) {
  if (const auto read = read_page(timeout); !read) return read.error();
  const auto first = std::find_if(page_.begin(), page_.end(), [this](const auto& logged) {
    return concerns(projection_, *logged.record);
  });
  std::size_t passed_records = 0;
  for (auto passed = page_.begin(); passed != first; ++passed) {
    passed_records += move_past(next_, passed->position);
  }
  if (first != page_.end()) passed_records += move_up_to(next_, first->position);
  uncommitted_skips_ += passed_records;
  page_.erase(page_.begin(), first);
  progress_.publish(next_, {}, passed_records);
  if (page_.empty()) return passed_records > 0;
  progress_.set_lacks_events();
  return Error{ErrorCode::kUnavailable, std::string(kPausedByAnOperator)};
}

Result<bool> Projector::fold_page(std::chrono::milliseconds timeout) {
  if (const auto read = read_page(timeout); !read) return read.error();
  if (page_.empty()) {
    progress_.set_running();
    return false;
  }
  for (const auto& logged : page_) {
    if (!cascading(logged.record->stream)) continue;
    if (const auto finished = cascades_.finish(logged.record->stream); !finished) {
      return finished.error();
    }
  }
  PageFold folding(rows_.newest(), next_);
  if (const auto stream = fold_records(folding)) {
    const auto finished = cascades_.finish(*stream);
    return finished ? Result<bool>(true) : finished.error();  // page_ is folded again
  }
  if (const auto committed = commit(folding); !committed) return committed.error();  // the same
  caught_up_ = page_.size() < kPage;
  next_ = std::move(folding.next);
  const auto taken = page_.begin() + static_cast<std::ptrdiff_t>(folding.taken);
  progress_.publish(
      next_,
      folding.taken > 0 ? std::optional(std::prev(taken)->record->envelope.time) : std::nullopt,
      folding.read);
  report(folding);
  page_.erase(page_.begin(), taken);
  cascades_.add(std::move(folding.begun));
  if (caught_up_ && page_.empty()) progress_.set_running();
  if (!folding.poisoned) return true;
  return progress_.set_fault(*folding.poisoned,
                             Poison{page_.front().position, page_.front().record->envelope.id});
}

// As many of the page's records as go into one commit. A stream: none can be committed before its
// cascade is finished.
std::optional<std::string> Projector::fold_records(PageFold& folding) {
  for (const auto& logged : page_) {
    const auto& record = *logged.record;
    if (folding.begun.contains(record.stream)) break;  // its cascade is not finished yet
    if (folding.batch.changes().size() > kMostChanges) break;
    if (concerns(projection_, record)) {
      auto folded = fold(folding, logged);
      if (!folded) {
        folding.poisoned = folded.error();
        break;
      }
      if (folded->meets_leftovers) return record.stream;
      folding.records.push_back(std::move(*folded));
    }
    folding.read += move_past(folding.next, logged.position);
    ++folding.taken;
  }
  if (folding.taken < page_.size())
    folding.read += move_up_to(folding.next, page_[folding.taken].position);
  return std::nullopt;
}

// A page of records that do not concern this projection is committed now and then only.
Status Projector::commit(PageFold& folding) {
  uncommitted_skips_ += folding.read;
  if (folding.records.empty() && uncommitted_skips_ < kSkipsPerCommit && !folding.poisoned)
    return kDone;
  for (const auto& [stream, head] : folding.heads) {
    folding.batch.put(stored_head_key(stream), stored_head(head));
  }
  put_place(folding.batch, folding.next);
  cascades_.hold(folding.begun);
  if (const auto committed = rows_.commit(folding.batch.changes()); !committed) {
    cascades_.release(folding.begun);
    return committed;
  }
  uncommitted_skips_ = 0;
  rows_.set_heads(std::move(folding.heads));
  for (const auto& folded : folding.records) {
    if (folded.accepted) note_read(*page_[folded.at].record);
  }
  return kDone;
}

// The records of a stream whose cascade has begun are reported once readers see what it leaves.
void Projector::report(PageFold& folding) {
  for (auto& folded : folding.records) {
    auto& logged = page_[folded.at];
    const auto begun = folding.begun.find(logged.record->stream);
    if (begun != folding.begun.end() && !begun->second.cascade.is_hidden()) {
      begun->second.unreported.push_back(
          {std::move(logged), folded.accepted, std::move(folded.event), std::move(folded.row)});
    } else {
      on_record_(logged, folded.accepted, folded.event, std::move(folded.row));
    }
  }
}

Status Projector::keep_place() {
  if (uncommitted_skips_ == 0 || unreadable()) return kDone;
  RowBatch batch(rows_.newest());
  put_place(batch, next_);
  if (const auto committed = rows_.commit(batch.changes()); !committed) return committed.error();
  uncommitted_skips_ = 0;
  return kDone;
}

Result<Projector::Folded> Projector::fold(PageFold& folding, const LoggedRecord& logged) {
  Folded folded{folding.taken};
  const auto& position = logged.position;
  const auto& record = *logged.record;
  const bool passes = progress_.skips(position);
  if (!record.foreign.empty()) {
    return passes ? Result<Folded>(folded) : Error{ErrorCode::kDamaged, record.foreign};
  }
  const auto known = folding.heads.find(record.stream);
  const auto& current = known != folding.heads.end() ? known->second : rows_.head(record.stream);
  folded.accepted = VersionGate::counts(record, current);
  if (!folded.accepted) return folded;
  const auto count = [&] {
    auto& after = folding.heads[record.stream];  // may be `current`
    after.version = current.version;
    after.advance(record);
  };
  if (passes || projection_.ignored.contains(record.envelope.type)) {
    count();
    return folded;
  }
  auto& batch = folding.batch;
  LeftoverGuard guard(batch, rows_.newest(), rows_.stored());
  const bool swept = rows_.is_swept(record.stream);
  MutableRows rows(swept ? static_cast<RowStore&>(guard) : batch, record.stream, current.version);
  if (const auto done = fold_event(batch, rows, logged, folded); !done) return done.error();
  folded.meets_leftovers = guard.met_leftovers();
  count();
  if (!folded.meets_leftovers) cascades_.begin(batch, rows, folding.begun);
  return folded;
}

// By the changes that were found when it was folded ahead, if it was.
Status Projector::fold_event(RowBatch& batch, MutableRows& rows, const LoggedRecord& logged,
                             Folded& folded) {
  auto event = event_of(logged);
  if (!event) return event.error();
  if (auto known = take_ahead(*logged.record)) {
    batch.put_all(std::move(known->changes));
    folded.row = std::move(known->row);
    remember_request(projection_, rows, logged, *event, folded.row);
  } else {
    fold_record(projection_, rows, logged, *event);
    folded.row = rows.first_put();
  }
  folded.event = std::move(*event);
  return kDone;
}

// Null: fold it. What is put on a stream with hidden rows has to be checked (LeftoverGuard).
std::optional<RowsAhead::Folded> Projector::take_ahead(const Record& record) {
  const auto ahead = ahead_.find(record.stream);
  if (ahead == ahead_.end() || rows_.is_swept(record.stream)) return std::nullopt;
  return ahead->second.take(record.envelope.id);
}

bool Projector::fold_ahead(const Record& record) {
  const auto& stream = record.stream;
  if (is_halted() || cascades_.contains(stream) || !projection_.follows(stream)) return false;
  if (projection_.ignored.contains(record.envelope.type)) return false;
  const auto event = read_event(record);
  if (!event) return false;
  const auto read = rows_.version(stream);
  const auto found = ahead_.try_emplace(stream).first;
  auto& ahead = found->second;
  const bool is_next = record.envelope.stream_version == read + ahead.size();
  try {
    if (is_next && !ahead.full() && ahead.fold(rows_.stored(), projection_, record, *event)) {
      return true;
    }
  } catch (const UnreadableRows& rows) {
    ahead_.erase(found);
    cannot_read(rows);
    return false;
  }
  if (ahead.size() == 0) ahead_.erase(found);
  return false;
}

std::size_t Projector::folded_ahead(const std::string& stream) const {
  const auto found = ahead_.find(stream);
  return found == ahead_.end() || !found->second.is_whole() ? 0 : found->second.size();
}

Rows Projector::rows_ahead(const std::string& stream) {
  const auto found = ahead_.find(stream);
  if (found == ahead_.end()) return rows(stream);
  return {found->second.rows(rows_.stored()), stream, rows_.version(stream) + found->second.size()};
}

// The record counts, and its changes are committed.
void Projector::note_read(const Record& record) {
  const auto found = ahead_.find(record.stream);
  if (found == ahead_.end()) return;
  if (!found->second.read(record) || found->second.size() == 0) ahead_.erase(found);
}

Result<bool> Projector::age(const std::string& stream, Timestamp now) {
  if (!projection_.age) return true;
  if (const auto why = progress_.fault()) return *why;
  try {
    RowBatch batch(rows_.newest());
    MutableRows rows(batch, stream, rows_.version(stream));
    const bool finished = projection_.age(rows, now, kAgeBudget);
    if (batch.changes().empty()) return finished;
    ahead_.erase(stream);  // it was folded on the lists as they were
    const auto committed = rows_.commit(batch.changes());
    return committed ? Result<bool>(finished) : committed.error();
  } catch (const UnreadableRows& rows) {
    cannot_read(rows);
    return Error{ErrorCode::kDamaged, rows.what()};
  }
}

std::int64_t Projector::next(int partition) const {
  const auto found = next_.find(partition);
  return found == next_.end() ? 0 : found->second;
}

void Projector::wake() {
  const std::lock_guard lock(waking_);
  if (reader_) reader_->wake();
}

void Projector::start_over(ProjectionStore& store) {
  cascades_.clear();
  rows_.start_over(store);
  std::unique_ptr<LogReader> ended;  // ends without the lock: that may take a while
  {
    const std::lock_guard lock(waking_);
    ended = std::move(reader_);
  }
  for (auto& [partition, offset] : next_) offset = 0;
  progress_.publish(next_, {}, 0);
  ahead_.clear();
  page_.clear();
  caught_up_ = false;
  uncommitted_skips_ = 0;
}

// Reports the records that waited for the end of a cascade: in the other store it is finished.
void Projector::adopt(ProjectionStore& store) {
  ahead_.clear();
  if (rows_.adopt(store)) cascades_.report_and_clear();
}

ProjectionProgress Projector::progress() const {
  auto progress = progress_.progress();
  progress.swept_streams = rows_.swept_streams();
  return progress;
}

}  // namespace tilth
