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

// No stream begins with this byte.
const std::string kCascades = "\1cascade";
constexpr std::size_t kPage = 512;
constexpr std::size_t kSweepsPerBudget = 4;    // of a cascade: others may be waiting
constexpr std::size_t kPagesForEachSweep = 8;  // at most: a sweep always goes on
constexpr std::size_t kAgeBudget = 500;        // rows at once
constexpr std::size_t kMostChanges = 100'000;  // keys of a commit, or one record's: tens of MB
constexpr std::uint64_t kSkipsPerCommit = 10'000;
constexpr std::size_t kKnownHeads = 16'384;

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
  const auto cursor = state.cursor();
  cursor->seek(kCascades);
  if (cursor->valid() && cursor->key().starts_with(kCascades)) return std::nullopt;
  return offsets_in(state, partitions);
}

Projector::Projector(EventLog& log, ProjectionStore& store, Projection projection,
                     OnRecord on_record)
    : log_(log),
      store_(&store),
      projection_(std::move(projection)),
      on_record_(std::move(on_record)),
      cache_(kCacheBytes / static_cast<std::size_t>(projection_.cells)),
      scanned_{ListBlockCache(kListBlockBytes / static_cast<std::size_t>(projection_.cells)),
               ListCountCache(kListCounts / static_cast<std::size_t>(projection_.cells))} {}

Status Projector::open() {
  std::vector<Position> from;
  try {
    from = offsets_in(store_->newest(), projection_.partitions_of(log_));
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
    const auto cursor = store_->newest().cursor();
    for (cursor->seek(kCascades); cursor->valid() && cursor->key().starts_with(kCascades);
         cursor->next()) {
      const std::string stream(cursor->key().substr(kCascades.size()));
      std::string stored(cursor->value());
      Cascade cascade(Cascade::decode(stored));
      set_swept(stream, cascade.hidden_below());
      cascades_.insert({stream, {std::move(cascade), std::move(stored), nullptr, {}}});
    }
    for (bool more = true; more;) {
      const auto advanced = advance_cascades();
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
    const auto advanced = advance_cascades();
    if (!advanced) return advanced.error();
    if (!cascades_.empty()) timeout = std::chrono::milliseconds(0);
    auto folded = progress_.paused() ? look_ahead(timeout) : fold_page(timeout);
    if (!folded) {
      if (progress_.paused()) static_cast<void>(sweep());
      return folded;
    }
    bool swept = false;
    if (!*folded || ++pages_since_sweep_ >= kPagesForEachSweep) {
      pages_since_sweep_ = 0;
      const auto erased = sweep();
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
    if (const auto finished = finish_cascade(logged.record->stream); !finished) {
      return finished.error();
    }
  }
  PageFold folding(newest(), next_);
  if (const auto stream = fold_records(folding)) {
    const auto finished = finish_cascade(*stream);
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
  for (auto& [stream, unfinished] : folding.begun) {
    cascades_.insert_or_assign(stream, std::move(unfinished));
  }
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
  hold(folding.begun);
  if (const auto committed = commit(folding.batch.changes()); !committed) {
    release(folding.begun);
    return committed;
  }
  uncommitted_skips_ = 0;
  for (auto& [stream, head] : folding.heads) heads_[stream] = std::move(head);
  for (const auto& folded : folding.records) {
    if (folded.accepted) note_read(*page_[folded.at].record);
  }
  return kDone;
}

// The records of a stream whose cascade has begun are reported once readers see what it leaves.
void Projector::report(PageFold& folding) {
  for (auto& folded : folding.records) {
    auto& logged = page_[folded.at];
    const auto unfinished = folding.begun.find(logged.record->stream);
    if (unfinished != folding.begun.end() && !unfinished->second.cascade.is_hidden()) {
      unfinished->second.unreported.push_back({std::move(logged), std::move(folded)});
    } else {
      on_record_(logged, folded.accepted, folded.event, std::move(folded.row));
    }
  }
}

Status Projector::keep_place() {
  if (uncommitted_skips_ == 0 || unreadable()) return kDone;
  RowBatch batch(newest());
  put_place(batch, next_);
  if (const auto committed = commit(batch.changes()); !committed) return committed.error();
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
  const auto& current = known != folding.heads.end() ? known->second : head(record.stream);
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
  LeftoverGuard guard(batch, newest(), store_->newest());
  const bool swept = is_swept(record.stream);
  MutableRows rows(swept ? static_cast<RowStore&>(guard) : batch, record.stream, current.version);
  if (const auto done = fold_event(batch, rows, logged, folded); !done) return done.error();
  folded.meets_leftovers = guard.met_leftovers();
  count();
  if (rows.cascade().empty() || folded.meets_leftovers) return folded;
  Cascade cascade(rows.cascade());
  if (cascade.advance(rows, projection_.cascade_budget)) return folded;
  if (const auto present = cascades_.find(record.stream); present != cascades_.end()) {
    Cascade both = present->second.cascade;
    both.add(std::move(cascade));
    cascade = std::move(both);
  }
  auto stored = Cascade::encode(cascade.steps());
  batch.put(kCascades + record.stream, stored);
  auto before = cascade.is_hidden() ? nullptr
                : swept             ? visible(store_->snapshot())
                                    : store_->snapshot();
  folding.begun.insert(
      {record.stream, {std::move(cascade), std::move(stored), std::move(before), {}}});
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
  if (ahead == ahead_.end() || is_swept(record.stream)) return std::nullopt;
  return ahead->second.take(record.envelope.id);
}

bool Projector::fold_ahead(const Record& record) {
  const auto& stream = record.stream;
  if (is_halted() || cascades_.contains(stream) || !projection_.follows(stream)) return false;
  if (projection_.ignored.contains(record.envelope.type)) return false;
  const auto event = read_event(record);
  if (!event) return false;
  const auto read = version(stream);
  const auto found = ahead_.try_emplace(stream).first;
  auto& ahead = found->second;
  const bool is_next = record.envelope.stream_version == read + ahead.size();
  try {
    if (is_next && !ahead.full() && ahead.fold(store_->newest(), projection_, record, *event)) {
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
  return {found->second.rows(store_->newest()), stream, version(stream) + found->second.size()};
}

// The record counts, and its changes are committed.
void Projector::note_read(const Record& record) {
  const auto found = ahead_.find(record.stream);
  if (found == ahead_.end()) return;
  if (!found->second.read(record) || found->second.size() == 0) ahead_.erase(found);
}

// Called before the commit that begins a cascade, so that no reader sees half of it.
void Projector::hold(const std::map<std::string, Unfinished>& begun) {
  for (const auto& [stream, unfinished] : begun) {
    if (unfinished.cascade.is_hidden()) {
      set_swept(stream, unfinished.cascade.hidden_below());
    } else {
      const std::lock_guard lock(mutex_);
      held_[stream] = unfinished.before;
    }
  }
}

void Projector::release(const std::map<std::string, Unfinished>& begun) {
  for (const auto& [stream, unfinished] : begun) {
    const auto present = cascades_.find(stream);
    set_swept(stream, present == cascades_.end() ? std::set<Uuid>()
                                                 : present->second.cascade.hidden_below());
    const std::lock_guard lock(mutex_);
    held_.erase(stream);
  }
}

// What is not hidden.
Result<bool> Projector::advance_cascades() {
  std::vector<std::string> streams;
  for (const auto& [stream, unfinished] : cascades_) {
    if (!unfinished.cascade.is_hidden()) streams.push_back(stream);
  }
  for (const auto& stream : streams) {
    const auto finished = advance_cascade(stream, projection_.cascade_budget);
    if (!finished) return finished.error();
  }
  return !streams.empty();
}

// Erases a little of what is hidden, of each stream in turn.
Result<bool> Projector::sweep() {
  const auto is_due = [](const auto& each) { return each.second.cascade.is_hidden(); };
  auto next = std::find_if(cascades_.upper_bound(swept_last_), cascades_.end(), is_due);
  if (next == cascades_.end()) next = std::find_if(cascades_.begin(), cascades_.end(), is_due);
  if (next == cascades_.end()) return false;
  swept_last_ = next->first;
  const auto budget = std::max<std::size_t>(projection_.cascade_budget / kSweepsPerBudget, 1);
  const auto finished = advance_cascade(swept_last_, budget);
  return finished ? Result<bool>(true) : finished.error();
}

Status Projector::finish_cascade(const std::string& stream) {
  while (true) {
    const auto finished = advance_cascade(stream, projection_.cascade_budget);
    if (!finished) return finished.error();
    if (*finished) return kDone;
  }
}

Result<bool> Projector::advance_cascade(const std::string& stream, std::size_t budget) {
  auto& unfinished = cascades_.at(stream);
  RowBatch batch(store_->newest());
  MutableRows rows(batch, stream, version(stream));
  Cascade ahead = unfinished.cascade;  // the stored one stays unchanged until the commit
  const bool finished = ahead.advance(rows, budget);
  auto stored = Cascade::encode(ahead.steps());
  if (finished) {
    batch.erase(kCascades + stream);
  } else if (stored != unfinished.stored) {
    batch.put(kCascades + stream, stored);
  }
  const bool hides = !unfinished.cascade.is_hidden() && ahead.is_hidden() && !finished;
  if (hides) set_swept(stream, ahead.hidden_below());  // while readers see the rows before
  if (const auto committed = commit(batch.changes()); !committed) return committed.error();
  unfinished.cascade = std::move(ahead);
  unfinished.stored = std::move(stored);
  if (!unfinished.cascade.is_hidden()) return false;
  auto unreported = std::move(unfinished.unreported);
  unfinished.unreported.clear();
  unfinished.before.reset();
  if (finished) {
    cascades_.erase(stream);
    set_swept(stream, {});
  }
  {
    const std::lock_guard lock(mutex_);
    held_.erase(stream);
  }
  report(std::move(unreported));
  return finished;
}

bool Projector::cascading(const std::string& stream) const {
  const auto found = cascades_.find(stream);
  return found != cascades_.end() && !found->second.cascade.is_hidden();
}

bool Projector::is_swept(const std::string& stream) const { return swept_->contains(stream); }

// Before the commit that hides rows, and after the one that erases the last of them: a removed row
// hides nothing while it is there.
void Projector::set_swept(const std::string& stream, std::set<Uuid> removed) {
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

std::shared_ptr<const RowReader> Projector::visible(std::shared_ptr<const RowReader> rows) const {
  return std::make_shared<VisibleRows>(std::move(rows), swept_);
}

// As ProjectionStore::newest(), without what is hidden.
const RowReader& Projector::newest() const {
  const auto& stored = store_->newest();
  if (swept_->empty()) return stored;
  if (!visible_) visible_ = visible({std::shared_ptr<const RowReader>(), &stored});
  return *visible_;
}

void Projector::report(std::vector<Unreported> unreported) {
  for (auto& each : unreported) {
    auto& folded = each.folded;
    on_record_(each.logged, folded.accepted, folded.event, std::move(folded.row));
  }
}

Result<bool> Projector::age(const std::string& stream, Timestamp now) {
  if (!projection_.age) return true;
  if (const auto why = progress_.fault()) return *why;
  try {
    RowBatch batch(newest());
    MutableRows rows(batch, stream, version(stream));
    const bool finished = projection_.age(rows, now, kAgeBudget);
    if (batch.changes().empty()) return finished;
    ahead_.erase(stream);  // it was folded on the lists as they were
    const auto committed = commit(batch.changes());
    return committed ? Result<bool>(finished) : committed.error();
  } catch (const UnreadableRows& rows) {
    cannot_read(rows);
    return Error{ErrorCode::kDamaged, rows.what()};
  }
}

Status Projector::commit(const RowBatch::Changes& changes) {
  const DerivedCache::Commit commit(cache_, changes);
  auto committed = store_->commit(changes);
  visible_.reset();
  return committed;
}

// As committed; nothing else commits.
const StreamHead& Projector::head(const std::string& stream) const {
  if (const auto known = heads_.find(stream); known != heads_.end()) return known->second;
  if (heads_.size() >= kKnownHeads) heads_.clear();
  const auto stored = store_->newest().get(stored_head_key(stream));
  return heads_[stream] = stored ? read_stored_head(*stored) : StreamHead();
}

Rows Projector::rows(const std::string& stream) const {
  return {is_swept(stream) ? newest() : store_->newest(), stream, version(stream)};
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
    const bool of_all = stream.empty() || stream == projection_.of_all;
    const bool whole = of_all ? held_.empty() : held == held_.end();
    if (!progress_.has_read(*since) || !whole) return std::nullopt;
  }
  if (held != held_.end())
    return RowView{held->second, Rows(*held->second, stream, 0, {.scanned = &scanned_})};
  if (swept_->contains(stream)) {  // the cache has hidden rows, too
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

void Projector::wake() {
  const std::lock_guard lock(waking_);
  if (reader_) reader_->wake();
}

void Projector::start_over(ProjectionStore& store) {
  {
    const std::lock_guard lock(mutex_);
    store_ = &store;
    cascades_.clear();
    held_.clear();
    swept_ = std::make_shared<const SweptStreams>();
    visible_.reset();
    cache_.clear();
    progress_.start_over();
  }
  std::unique_ptr<LogReader> ended;  // ends without the lock: that may take a while
  {
    const std::lock_guard lock(waking_);
    ended = std::move(reader_);
  }
  for (auto& [partition, offset] : next_) offset = 0;
  progress_.publish(next_, {}, 0);
  ahead_.clear();
  heads_.clear();
  page_.clear();
  caught_up_ = false;
  uncommitted_skips_ = 0;
}

// Reports the records that waited for the end of a cascade: in the other store it is finished.
void Projector::adopt(ProjectionStore& store) {
  std::vector<Unreported> unreported;
  {
    const std::lock_guard lock(mutex_);
    store_ = &store;
    ahead_.clear();
    visible_.reset();
    cache_.clear();
    heads_.clear();
    if (!progress_.clear_rows_fault()) return;
    for (auto& [stream, unfinished] : cascades_) {
      std::move(unfinished.unreported.begin(), unfinished.unreported.end(),
                std::back_inserter(unreported));
    }
    cascades_.clear();
    held_.clear();
    swept_ = std::make_shared<const SweptStreams>();
  }
  report(std::move(unreported));
}

void Projector::cannot_read(const UnreadableRows& rows) {
  const std::lock_guard lock(mutex_);
  if (store_->holds(rows)) progress_.set_rows_fault({ErrorCode::kDamaged, rows.what()});
}

ProjectionProgress Projector::progress() const {
  auto progress = progress_.progress();
  const std::lock_guard lock(mutex_);
  progress.swept_streams = swept_->size();
  return progress;
}

}  // namespace tilth
