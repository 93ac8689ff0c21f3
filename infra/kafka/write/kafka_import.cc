#include "infra/kafka/write/kafka_import.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "events/log/log_end.h"
#include "infra/embedded/embedded_import.h"

namespace tilth {
namespace {

constexpr std::size_t kPage = 512, kMostUnderWay = 8'192;
constexpr std::chrono::seconds kTimeout{15};  // longer than an append may take

// Tracks the records in flight, and the first of them that may be missing.
class UnderWay {
 public:
  void begin() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return count_ < kMostUnderWay; });
    ++count_;
  }
  void end(std::int64_t offset, bool durable) {
    const std::lock_guard lock(mutex_);
    if (!durable) missing_ = std::min(offset, missing_.value_or(offset));
    --count_;
    changed_.notify_all();
  }
  bool all_durable_so_far() {
    const std::lock_guard lock(mutex_);
    return !missing_;
  }
  std::optional<std::int64_t> missing() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return count_ == 0; });
    return missing_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t count_ = 0;
  std::optional<std::int64_t> missing_;
};

// Produces what `staged` holds from `from` on; returns where to continue, `end` if nothing is left.
Result<std::int64_t> produce(EmbeddedEventLog& staged, KafkaEventLog& log, std::int64_t from,
                             std::int64_t end) {
  auto reader = staged.read({{0, from}});
  if (!reader) return reader.error();
  UnderWay under_way;
  std::optional<Error> unreadable;
  for (auto next = from; next < end && !unreadable && under_way.all_durable_so_far();) {
    const auto page = (*reader)->next(kPage, std::chrono::milliseconds(0));
    if (!page) unreadable = page.error();
    if (!page || page->empty()) break;
    for (const auto& [position, record] : *page) {
      under_way.begin();
      log.append_held(*record,
                      [&under_way, offset = position.offset](const Result<Position>& done) {
                        under_way.end(offset, static_cast<bool>(done));
                      });
      next = position.offset + 1;
    }
  }
  const auto missing = under_way.missing();
  if (unreadable) return *unreadable;
  return missing.value_or(end);
}

Status produce_all(EmbeddedEventLog& staged, KafkaEventLog& log) {
  const auto end = end_of(staged, 0);
  if (!end) return end.error();
  for (std::int64_t from = 0; from < *end;) {
    const auto next = produce(staged, log, from, *end);
    if (!next) return next.error();
    if (*next == from) {
      return Error{ErrorCode::kUnavailable,
                   "Kafka does not take all of the history that is imported; the next start of "
                   "this node goes on with it."};
    }
    from = *next;
  }
  return kDone;
}

std::filesystem::path staged_in(const std::filesystem::path& directory) {
  return directory / "staged";
}

Status is_empty(KafkaEventLog& log) {
  const auto ends = ends_of(log);
  if (!ends) return ends.error();
  const bool empty = std::ranges::all_of(*ends, [](const auto& end) { return end.offset == 0; });
  return empty ? Status(kDone) : Status(Error{ErrorCode::kConflict, "The log is not empty."});
}

}  // namespace

Result<std::unique_ptr<HistoryImport>> KafkaImport::begin(KafkaEventLog& log,
                                                          const std::filesystem::path& directory) {
  if (const auto empty = is_empty(log); !empty) return empty.error();
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (!std::filesystem::create_directory(staged_in(directory), failed) && !failed) {
    return Error{ErrorCode::kConflict, "Another import is under way."};
  }
  if (failed) {
    return Error{ErrorCode::kUnavailable, "The import cannot be kept: " + failed.message() + "."};
  }
  std::unique_ptr<KafkaImport> import(new KafkaImport(log, directory));
  if (const auto staged = import->stage(); !staged) return staged.error();
  return std::unique_ptr<HistoryImport>(std::move(import));
}

Status KafkaImport::resume(KafkaEventLog& log, const std::filesystem::path& directory) {
  const auto path = staged_in(directory);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return kDone;
  {
    auto staged = EmbeddedEventLog::open(path);
    if (!staged) return staged.error();
    if (const auto produced = produce_all(**staged, log); !produced) return produced;
  }
  std::filesystem::remove_all(path, ignored);
  return kDone;
}

KafkaImport::KafkaImport(KafkaEventLog& log, std::filesystem::path directory)
    : log_(log), directory_(std::move(directory)) {}

KafkaImport::~KafkaImport() {
  import_.reset();
  staged_.reset();
  std::error_code ignored;
  if (!happens_) std::filesystem::remove_all(staged_in(directory_), ignored);
}

Status KafkaImport::stage() {
  auto opened = EmbeddedEventLog::open(staged_in(directory_));
  if (!opened) return opened.error();
  staged_ = std::move(*opened);
  auto begun = EmbeddedImport::begin(*staged_, directory_);
  if (!begun) return begun.error();
  import_ = std::move(*begun);
  return kDone;
}

Status KafkaImport::finish() {
  if (const auto held = log_.hold(kTimeout); !held) return held;
  auto done = is_empty(log_);
  if (done) done = import_->finish();
  if (done) {
    happens_ = true;
    done = produce_all(*staged_, log_);
    if (!done) return done;  // the gate stays closed: a partial history must not be read
    happens_ = false;
  }
  log_.let_go();
  return done;
}

}  // namespace tilth
