#include "infra/bulk/bulk_fold.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>

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

Error ended() { return {ErrorCode::kUnavailable, "It was told to end."}; }

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

BulkFold::BulkFold(EventLog& log, const Projection& projection, const OperatorOverrides& orders,
                   std::vector<Position> ends, Limits limits)
    : log_(log),
      projection_(projection),
      ends_(std::move(ends)),
      limits_(limits),
      threads_(std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostThreads)) {
  for (const auto& skipped : orders.skipped) {
    passed_over_.emplace(skipped.partition, skipped.offset);
  }
  for (const auto& end : ends_) records_ += static_cast<std::uint64_t>(end.offset);
}

bool BulkFold::may_fill(const Projection& projection, const ProjectionStore& store,
                        const EventLog& log) {
  const auto at = Projector::checkpoint_of(*store.snapshot(), projection.partitions_of(log));
  return projection.of_all.empty() && at &&
         std::all_of(at->begin(), at->end(), [](const auto& next) { return next.offset == 0; });
}

Status BulkFold::run(RocksStore& store, const GoOn& go_on) {
  if (records_ == 0) return kDone;
  const Workshop workshop(store.bulk_path());
  if (const auto sampled = sample(workshop.path()); !sampled) return sampled;
  Spools spools(threads_);
  const auto dealt = side_by_side([&](std::size_t part) -> Status {
    auto spool = Spool::make(workshop.path(), ranges_->size());
    if (!spool) return spool.error();
    spools[part] = std::move(*spool);
    const auto done = deal_out(*spools[part], part, go_on);
    return done ? spools[part]->end() : done;
  });
  if (!dealt) return dealt;
  ScratchStores scratch(workshop.path() / "rows", store.memory());
  const auto folded =
      side_by_side([&](std::size_t) { return fold_buckets(store, scratch, spools, go_on); });
  if (!folded) return folded;
  for (const auto& end : ends_) written_.streamless.insert(stored_offset(end));
  return store.begin_with(std::move(written_.files), std::move(written_.streamless));
}

BulkFold::Progress BulkFold::progress() const {
  Progress progress{ends_, steps_ / kSteps};
  const auto share = static_cast<double>(progress.folded) / static_cast<double>(records_);
  for (auto& [partition, offset] : progress.next) {
    offset = static_cast<std::int64_t>(static_cast<double>(offset) * share);
  }
  return progress;
}

// Runs `work` on all threads in parallel; returns the first error.
Status BulkFold::side_by_side(const std::function<Status(std::size_t)>& work) {
  Status all = kDone;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < threads_; ++i) {
      threads.emplace_back([&, i] {
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
        if (!record.foreign.empty() || !projection_.follows(record.stream)) continue;
        streams.push_back(record.stream);
        bytes += record.json.size() + kNextToJson;
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

// Reads a part of each partition.
Status BulkFold::deal_out(Spool& spool, std::size_t part, const GoOn& go_on) {
  for (const auto& [partition, end] : ends_) {
    const auto threads = static_cast<std::int64_t>(threads_);
    const auto number = static_cast<std::int64_t>(part);
    const auto from = end * number / threads, until = end * (number + 1) / threads;
    if (const auto done = deal_out(spool, {partition, from}, until, go_on); !done) return done;
  }
  return kDone;
}

Status BulkFold::deal_out(Spool& spool, const Position& from, std::int64_t until,
                          const GoOn& go_on) {
  if (from.offset >= until) return kDone;
  const auto reader = log_.read({from});
  if (!reader) return reader.error();
  int empty = 0;
  for (auto next = from.offset; next < until;) {
    if (failed_ || !go_on()) return ended();
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
    std::uint64_t steps = 0;
    for (const auto& logged : *page) {
      next = logged.position.offset + 1;
      if (next > until) break;
      if (const auto read = may_pass_over(logged); !read) return read;
      const bool follows =
          logged.record.foreign.empty() && projection_.follows(logged.record.stream);
      steps += follows ? 1 : kSteps;
      if (!follows) continue;
      if (const auto kept = spool.add(ranges_->of(logged.record.stream), logged); !kept) {
        return kept;
      }
    }
    steps_ += steps;
  }
  return kDone;
}

// kDamaged: a foreign record, which stops the projection until an operator skips it.
Status BulkFold::may_pass_over(const LoggedRecord& logged) const {
  const auto& [position, record] = logged;
  if (record.foreign.empty() || !concerns(projection_, record)) return kDone;
  if (passed_over_.contains({position.partition, position.offset})) return kDone;
  return Error{ErrorCode::kDamaged, record.foreign};
}

// Folds one run of buckets after another, until none is left.
Status BulkFold::fold_buckets(const RocksStore& store, ScratchStores& scratch, const Spools& spools,
                              const GoOn& go_on) {
  const BucketFoldParts parts{projection_, passed_over_, scratch, limits_.most_bytes / threads_};
  const auto runs = std::min(ranges_->size(), kRuns);
  for (std::size_t run = next_run_++; run < runs; run = next_run_++) {
    SortedFiles files(store.bulk_path(), "run-" + std::to_string(run), store.memory());
    std::map<std::string, std::string> streamless;
    const auto last = (run + 1) * ranges_->size() / runs;
    for (auto bucket = run * ranges_->size() / runs; bucket < last; ++bucket) {
      BucketFold fold(parts);
      if (const auto done = fold_bucket(fold, bucket, spools, go_on); !done) return done;
      const auto done = fold.write([&](std::string_view key, std::string_view value) {
        if (key.starts_with('\1')) {
          streamless.emplace(key, value);
        } else {
          files.add(key, value);
        }
      });
      if (!done) return done;
    }
    if (const auto done = files.end(); !done) return done;
    const std::lock_guard lock(mutex_);
    written_.streamless.merge(streamless);
    written_.files.insert(written_.files.end(), files.paths().begin(), files.paths().end());
  }
  return kDone;
}

Status BulkFold::fold_bucket(BucketFold& fold, std::size_t bucket, const Spools& spools,
                             const GoOn& go_on) {
  LoggedRecord logged;
  for (const auto& spool : spools) {
    Spool::Reader records(*spool, bucket);
    for (std::size_t count = 1;; ++count) {
      const auto more = records.next(logged);
      if (!more) return more.error();
      if (!*more) break;
      if (const auto folded = fold.fold(logged); !folded) return folded;
      steps_ += kSteps - 1;
      if (count % kPage == 0 && (failed_ || !go_on())) return ended();
    }
  }
  return kDone;
}

}  // namespace tilth
