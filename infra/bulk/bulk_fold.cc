#include "infra/bulk/bulk_fold.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <unordered_map>

#include "api/platform/thread_name.h"
#include "events/log/event_record.h"
#include "infra/bulk/bucket_fold.h"
#include "infra/bulk/sorted_files.h"
#include "infra/system/thread_priority.h"
#include "projections/fold/fold_record.h"
#include "projections/fold/projector.h"
#include "projections/rows/stored_offsets.h"

namespace tilth {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::uint64_t kSteps = 3;  // per record: one when put into a bucket, two when folded
constexpr std::size_t kMostBuckets = 256;
constexpr std::size_t kRuns = 32;  // of buckets; the rows of a run share files
constexpr std::size_t kMostThreads = 8;
constexpr std::size_t kPage = 1'024;
// Owners may write in turns: many small samples find more of them than a few large ones. They are
// so far apart that a reader seeks from one to the next.
constexpr std::int64_t kSamples = 1'024, kApart = 8'192;
constexpr std::int64_t kOfASample = 8, kOfAPartition = 1'024;  // records, at least
constexpr auto kTimeout = 200ms, kBeforeAskingAgain = 100ms;
constexpr int kMostEmptyAnswers = 50;
constexpr std::size_t kNextToJson = 120;  // bytes of a record in a spool besides its JSON
constexpr std::uintmax_t kRoomBeside = 64 << 20;
constexpr char kStreamless = '\1';  // begins the keys that belong to no stream

Error ended() { return {ErrorCode::kUnavailable, "It was stopped."}; }

// A temporary directory, removed with its contents; if a crash left one, the next removes it.
class Workshop {
 public:
  explicit Workshop(fs::path path) : path_(std::move(path)) {
    clear();
    std::error_code ignored;  // the first write there reports it
    fs::create_directories(path_, ignored);
  }
  ~Workshop() { clear(); }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  const fs::path& path() const { return path_; }

 private:
  void clear() const {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path path_;
};

}  // namespace

// A target, and what is written for it.
//
// Threads: any.
class BulkFold::Filling {
 public:
  Filling(Target target, const std::vector<Position>& ends)
      : target_(std::move(target)), workshop_(target_.store.bulk_path()) {
    for (const auto& end : ends) {
      if (!target_.projection.reads(end.partition)) continue;
      ends_.push_back(end);
      records_ += static_cast<std::uint64_t>(end.offset);
    }
    for (const auto& skipped : target_.overrides.skipped) {
      passed_over_.emplace(skipped.partition, skipped.offset);
    }
  }

  const Projection& projection() const { return target_.projection; }
  RocksStore& store() const { return target_.store; }
  const std::set<std::pair<int, std::int64_t>>& passed_over() const { return passed_over_; }
  const std::vector<Position>& ends() const { return ends_; }
  std::uint64_t records() const { return records_; }
  const fs::path& directory() const { return workshop_.path(); }

  bool follows(const Record& record) const {
    return !failed_ && record.foreign.empty() && projection().follows(record.stream);
  }

  // kDamaged: a foreign record, which stops the projection until an operator skips it.
  Status may_pass_over(const LoggedRecord& logged) const {
    const auto& position = logged.position;
    const auto& record = *logged.record;
    if (record.foreign.empty() || !concerns(projection(), record)) return kDone;
    if (passed_over_.contains({position.partition, position.offset})) return kDone;
    return Error{ErrorCode::kDamaged, record.foreign};
  }

  bool shares_rows() const { return !projection().of_all.empty(); }

  bool failed() const { return failed_; }
  void fail(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!failed_.exchange(true)) status_ = error;
  }

  void take(const std::vector<std::string>& files, std::map<std::string, std::string> streamless) {
    const std::lock_guard lock(mutex_);
    streamless_.merge(streamless);
    files_.insert(files_.end(), files.begin(), files.end());
  }

  // Once all is folded. Threads: one at a time.
  Status write(SharedRows& shared) {
    SortedFiles files(directory(), "shared", store().memory());
    std::map<std::string, std::string> streamless;
    const auto taken = shared.take([&](std::string_view key, std::string_view value) {
      if (key.starts_with(kStreamless)) {
        streamless.emplace(key, value);
      } else {
        files.add(key, value);
      }
    });
    if (!taken) return taken;
    if (const auto ended = files.end(); !ended) return ended;
    take(files.paths(), std::move(streamless));
    return kDone;
  }

  // Once all is written. Threads: one.
  Status finish() {
    if (failed_ || records_ == 0) return status_;
    for (const auto& end : ends_) streamless_.insert(stored_offset(end));
    return store().begin_with(std::move(files_), std::move(streamless_));
  }

 private:
  const Target target_;
  const Workshop workshop_;
  std::vector<Position> ends_;
  std::uint64_t records_ = 0;
  std::set<std::pair<int, std::int64_t>> passed_over_;
  std::atomic<bool> failed_ = false;

  std::mutex mutex_;  // guards what follows
  Status status_ = kDone;
  std::vector<std::string> files_;
  std::map<std::string, std::string> streamless_;  // keys that belong to no stream
};

// The folds of one run of buckets, for all targets.
//
// Threads: one.
class BulkFold::Folds {
 public:
  Folds(const std::vector<std::unique_ptr<Filling>>& targets, ScratchStores& scratch,
        const AllShared& shared, std::size_t run, std::size_t most_bytes)
      : memory_{most_bytes, targets.size()} {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (targets[i]->records() == 0) continue;
      auto& each = all_.emplace_back(*targets[i], scratch, shared[i].get(), run, memory_);
      each.fold.emplace(each.parts);
    }
  }

  // `record` is that of `logged`, and may get its event.
  void fold(const LoggedRecord& logged, Record& record) {
    const auto& its = followers_of(logged);
    if (its.size() > 1) decode(record);
    for (auto* each : its) {
      if (each->to.failed()) continue;
      if (const auto folded = each->fold->fold(logged); !folded) each->to.fail(folded.error());
    }
  }

  // Writes what was folded since the last call.
  void end_bucket() {
    followers_.clear();
    for (auto& each : all_) {
      if (!each.to.failed()) each.write();
      each.fold.emplace(each.parts);
    }
    memory_.bytes = 0;
  }
  void end() {
    for (auto& each : all_) {
      const auto ended = each.to.failed() ? Status(kDone) : each.files.end();
      if (!ended) each.to.fail(ended.error());
      each.to.take(each.files.paths(), std::move(each.streamless));
    }
  }

 private:
  struct One {
    One(Filling& target, ScratchStores& scratch, SharedRows* shared, std::size_t run,
        BucketMemory& memory)
        : to(target),
          parts{to.projection(), to.passed_over(), scratch, memory, shared},
          files(to.directory(), "run-" + std::to_string(run), to.store().memory()) {}

    void write() {
      const auto done = fold->write([&](std::string_view key, std::string_view value) {
        if (key.starts_with(kStreamless)) {
          streamless.emplace(key, value);
        } else {
          files.add(key, value);
        }
      });
      if (!done) to.fail(done.error());
    }

    Filling& to;
    const BucketFoldParts parts;
    std::optional<BucketFold> fold;
    SortedFiles files;
    std::map<std::string, std::string> streamless;
  };

  const std::vector<One*>& followers_of(const LoggedRecord& logged) {
    const auto [known, is_new] = followers_.try_emplace(logged.record->stream);
    if (is_new) {
      for (auto& each : all_) {
        if (each.to.follows(*logged.record)) known->second.push_back(&each);
      }
    }
    return known->second;
  }

  // An event that cannot be read stops those that do not pass over it.
  static void decode(Record& record) {
    if (auto event = read_event(record)) record.event = std::move(*event);
  }

  BucketMemory memory_;
  std::deque<One> all_;
  std::unordered_map<std::string, std::vector<One*>> followers_;  // by stream
};

BulkFold::BulkFold(EventLog& log, std::vector<Target> targets, const std::vector<Position>& ends,
                   Limits limits)
    : log_(log),
      limits_(limits),
      threads_(std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostThreads)) {
  for (auto& target : targets) {
    targets_.push_back(std::make_unique<Filling>(std::move(target), ends));
    for (const auto& end : targets_.back()->ends()) {
      readers_[end.partition].push_back(targets_.back().get());
    }
  }
  for (const auto& end : ends) {
    if (!readers_.contains(end.partition)) continue;
    ends_.push_back(end);
    records_ += static_cast<std::uint64_t>(end.offset);
  }
}

BulkFold::~BulkFold() = default;

bool BulkFold::may_fill(const Projection& projection, const ProjectionStore& store,
                        const EventLog& log) {
  const auto at = Projector::checkpoint_of(*store.snapshot(), projection.partitions_of(log));
  return at &&
         std::all_of(at->begin(), at->end(), [](const auto& next) { return next.offset == 0; });
}

std::vector<Status> BulkFold::run(const GoOn& go_on) {
  if (records_ > 0) {
    if (const auto done = read_and_fold(go_on); !done) {
      for (const auto& target : targets_) target->fail(done.error());
    }
  }
  std::vector<Status> outcomes;
  for (const auto& target : targets_) outcomes.push_back(target->finish());
  return outcomes;
}

Status BulkFold::read_and_fold(const GoOn& go_on) {
  const auto& directory = targets_.front()->directory();
  if (const auto sampled = sample(directory); !sampled) return sampled;
  Spools spools(threads_);
  const auto parts = parts_of_threads();
  const auto dealt = side_by_side([&](std::size_t thread) -> Status {
    auto spool = Spool::make(directory, ranges_->size());
    if (!spool) return spool.error();
    spools[thread] = std::move(*spool);
    const auto done = deal_out(*spools[thread], parts[thread], go_on);
    return done ? spools[thread]->end() : done;
  });
  if (!dealt) return dealt;
  ScratchStores scratch(directory / "rows", targets_.front()->store().memory());
  AllShared shared(targets_.size());
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (targets_[i]->shares_rows()) shared[i] = std::make_unique<SharedRows>(scratch);
  }
  const auto folded =
      side_by_side([&](std::size_t) { return fold_buckets(scratch, shared, spools, go_on); });
  if (!folded) return folded;
  return side_by_side([&](std::size_t thread) {
    for (auto i = thread; i < targets_.size(); i += threads_) {
      auto& target = *targets_[i];
      if (!shared[i] || target.failed()) continue;
      if (const auto written = target.write(*shared[i]); !written) target.fail(written.error());
    }
    return Status(kDone);
  });
}

BulkFold::Progress BulkFold::progress(std::size_t target) const {
  const auto& its = *targets_[target];
  const auto share =
      records_ == 0 ? 0.0 : static_cast<double>(steps_) / static_cast<double>(kSteps * records_);
  const auto part_of = [&](auto whole) {
    return static_cast<decltype(whole)>(static_cast<double>(whole) * share);
  };
  Progress progress{its.ends(), part_of(its.records())};
  for (auto& end : progress.next) end.offset = part_of(end.offset);
  return progress;
}

// There is nothing left to fold for.
bool BulkFold::all_failed() const {
  return std::ranges::all_of(targets_, [](const auto& target) { return target->failed(); });
}

const std::vector<BulkFold::Filling*>& BulkFold::readers_of(int partition) const {
  return readers_.at(partition);
}

// Runs `work` on all threads in parallel; returns the first error.
Status BulkFold::side_by_side(const std::function<Status(std::size_t)>& work) {
  Status all = kDone;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < threads_; ++i) {
      threads.emplace_back([&, i] {
        name_thread("bulk fold");
        lower_thread_priority();
        const auto done = [&]() -> Status {
          try {
            return work(i);
          } catch (const UnreadableRows& rows) {  // of the scratch stores
            return Error{ErrorCode::kUnavailable, rows.what()};
          }
        }();
        if (done) return;
        const std::lock_guard lock(mutex_);
        if (!failed_.exchange(true)) all = done;
      });
    }
  }
  return all;
}

// Samples which streams there are, and checks that the disk has room for all records.
Status BulkFold::sample(const fs::path& directory) {
  std::vector<std::string> streams;
  std::size_t read = 0, bytes = 0;
  const auto most = std::max<std::int64_t>(1, kSamples / std::ssize(ends_));
  for (const auto& [partition, end] : ends_) {
    if (end == 0) continue;
    const auto points = std::clamp<std::int64_t>(end / kApart, 1, most);
    const auto of_a_sample = std::max(kOfASample, kOfAPartition / points);
    const auto reader = log_.read({{partition, 0}});
    if (!reader) return reader.error();
    for (std::int64_t point = 0; point < points; ++point) {
      (*reader)->skip_to({partition, end * point / points});
      const auto page = (*reader)->next(static_cast<std::size_t>(of_a_sample), kTimeout);
      if (!page) return page.error();
      for (const auto& [position, record] : *page) {
        ++read;
        const auto& readers = readers_of(partition);
        if (std::ranges::none_of(readers, [&](auto* each) { return each->follows(*record); })) {
          continue;
        }
        streams.push_back(record->stream);
        bytes += record->json.size() + kNextToJson;
      }
    }
  }
  std::error_code failed;
  const auto space = fs::space(directory, failed);
  const auto needed = kRoomBeside + bytes * records_ / std::max<std::size_t>(1, read);
  if (!failed && space.available < needed) {
    return Error{ErrorCode::kUnavailable,
                 "The disk has no room to sort the history: " + std::to_string(needed >> 20) +
                     " MiB are needed, " + std::to_string(space.available >> 20) +
                     " MiB are free."};
  }
  const auto followed = records_ * streams.size() / std::max<std::size_t>(1, read);
  const auto buckets =
      std::clamp<std::uint64_t>(followed / limits_.records_of_a_bucket, threads_, kMostBuckets);
  ranges_.emplace(std::move(streams), buckets);
  return kDone;
}

// Several partitions are divided among the threads as they are, since each reader of Kafka is a
// consumer of its own; a few are cut into parts.
std::vector<std::vector<BulkFold::Part>> BulkFold::parts_of_threads() const {
  std::vector<std::vector<Part>> parts(threads_);
  if (ends_.size() < threads_) {
    const auto threads = static_cast<std::int64_t>(threads_);
    for (std::int64_t number = 0; number < threads; ++number) {
      for (const auto& [partition, end] : ends_) {
        const Part part{partition, end * number / threads, end * (number + 1) / threads};
        if (part.from < part.until) parts[static_cast<std::size_t>(number)].push_back(part);
      }
    }
    return parts;
  }
  auto longest_first = ends_;
  std::ranges::sort(longest_first, std::greater<>(), &Position::offset);
  std::vector<std::int64_t> records(threads_);
  for (const auto& [partition, end] : longest_first) {
    if (end == 0) continue;
    const auto least = std::ranges::min_element(records);
    *least += end;
    parts[static_cast<std::size_t>(least - records.begin())].push_back({partition, 0, end});
  }
  return parts;
}

Status BulkFold::deal_out(Spool& spool, const std::vector<Part>& parts, const GoOn& go_on) {
  if (parts.empty()) return kDone;
  std::vector<Position> from;
  std::map<int, std::int64_t> until;  // of the partitions that are not read to their end
  for (const auto& part : parts) {
    from.push_back({part.partition, part.from});
    until[part.partition] = part.until;
  }
  const auto reader = log_.read(from);
  if (!reader) return reader.error();
  for (int empty = 0; !until.empty();) {
    if (failed_ || all_failed() || !go_on()) return ended();
    const auto page = (*reader)->next(kPage, kTimeout);
    if (!page && page.error().code != ErrorCode::kUnavailable) return page.error();
    if (!page || page->empty()) {
      if (++empty > kMostEmptyAnswers) {
        return page ? Error{ErrorCode::kUnavailable, "The log ends too early."} : page.error();
      }
      std::this_thread::sleep_for(kBeforeAskingAgain);
      continue;
    }
    empty = 0;
    for (const auto& logged : *page) {
      const auto left = until.find(logged.position.partition);
      if (left == until.end()) continue;
      if (logged.position.offset < left->second) {
        if (const auto dealt = deal_out(spool, logged); !dealt) return dealt;
      }
      if (logged.position.offset + 1 >= left->second) until.erase(left);
    }
  }
  return kDone;
}

Status BulkFold::deal_out(Spool& spool, const LoggedRecord& logged) {
  bool is_followed = false;
  for (auto* target : readers_of(logged.position.partition)) {
    if (const auto read = target->may_pass_over(logged); !read) target->fail(read.error());
    is_followed = is_followed || target->follows(*logged.record);
  }
  steps_ += is_followed ? 1 : kSteps;
  return is_followed ? spool.add(ranges_->of(logged.record->stream), logged) : Status(kDone);
}

// Folds one run of buckets after another, until none is left.
Status BulkFold::fold_buckets(ScratchStores& scratch, const AllShared& shared, const Spools& spools,
                              const GoOn& go_on) {
  const auto runs = std::min(ranges_->size(), kRuns);
  for (std::size_t run = next_run_++; run < runs; run = next_run_++) {
    Folds folds(targets_, scratch, shared, run, limits_.most_bytes / threads_);
    const auto last = (run + 1) * ranges_->size() / runs;
    for (auto bucket = run * ranges_->size() / runs; bucket < last; ++bucket) {
      if (const auto done = fold_bucket(folds, bucket, spools, go_on); !done) return done;
      folds.end_bucket();
    }
    folds.end();
  }
  return kDone;
}

Status BulkFold::fold_bucket(Folds& folds, std::size_t bucket, const Spools& spools,
                             const GoOn& go_on) {
  const auto record = std::make_shared<Record>();  // one for all, to reuse its memory
  LoggedRecord logged{{}, record};
  for (const auto& spool : spools) {
    Spool::Reader records(*spool, bucket);
    for (std::size_t count = 1;; ++count) {
      record->event.reset();
      const auto more = records.next(logged.position, *record);
      if (!more) return more.error();
      if (!*more) break;
      folds.fold(logged, *record);
      steps_ += kSteps - 1;
      if (count % kPage == 0 && (failed_ || all_failed() || !go_on())) return ended();
    }
  }
  return kDone;
}

}  // namespace tilth
