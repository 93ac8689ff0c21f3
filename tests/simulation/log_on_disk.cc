#include "tests/simulation/log_on_disk.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <utility>
#include <vector>

#include "infra/system/whole_file.h"
#include "tests/fixtures/power_cut_files.h"
#include "tests/infra/embedded/power_cut_disk.h"
#include "tests/simulation/instead_of_waiting.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kFar = 1'000'000'000;      // operations of the disk
constexpr std::uint64_t kOfAWrite = 4;            // operations, or a little more
constexpr std::uint64_t kOfAStart = 30;           // the same
constexpr std::uint64_t kOfAnArchive = 60;        // the same
constexpr std::uint64_t kOfAnErasure = 15;        // the same
constexpr auto kSlow = 4s;                        // a command's timeout is 5 s
constexpr std::size_t kBufferBytes = 256U << 10;  // more than is written in two turns

std::string described(const LoggedRecord& logged) {
  const auto& [position, record] = logged;
  return "offset " + std::to_string(position.offset) + ": " + record->envelope.id + " " +
         record->stream + " " + std::to_string(record->envelope.stream_version) + " " +
         record->json;
}

}  // namespace

// What RocksDB does in the background is done when the world lets it.
class LogOnDisk::Background final : public PowerCutEnv {
 public:
  using PowerCutEnv::PowerCutEnv;

  void Schedule(void (*work)(void*), void* argument, Priority priority, void* tag,
                void (*unschedule)(void*)) override {
    waiting_.push_back({work, unschedule, argument, tag, priority});
  }

  int UnSchedule(void* tag, Priority priority) override {
    std::vector<Job> gone;
    std::erase_if(waiting_, [&](const Job& job) {
      const bool goes = job.tag == tag && job.priority == priority;
      if (goes) gone.push_back(job);
      return goes;
    });
    for (const auto& job : gone) {
      if (job.unschedule != nullptr) job.unschedule(job.argument);
    }
    return static_cast<int>(gone.size());
  }

  unsigned int GetThreadPoolQueueLen(Priority) const override { return 0; }

  void run() {
    while (run_next()) {
    }
  }

  // False: there is nothing to do.
  bool run_next() {
    if (waiting_.empty()) return false;
    const auto job = waiting_.front();
    waiting_.pop_front();
    job.work(job.argument);
    return true;
  }

 private:
  struct Job {
    void (*work)(void*);
    void (*unschedule)(void*);
    void* argument;
    void* tag;
    Priority priority;
  };
  std::deque<Job> waiting_;
};

LogOnDisk::LogOnDisk(World& world, SimulatedTopic& topic, Options options)
    : world_(world),
      topic_(topic),
      options_(options),
      disk_(std::make_shared<PowerCutDisk>()),
      background_(std::make_unique<Background>(disk_)),
      chance_(world.below(1U << 30U)) {
  disk_->leaves_syncs_out = world.has(PlantedBug::kLogIsNotSynced);
  disk_->goes_after(kFar);
  if (options_.is_sealed) {
    random_.emplace(world.below(1U << 30U));
    keys_.emplace(world, beside_.path());
  }
  if (options_.is_archived || options_.is_sealed) {
    std::filesystem::create_directory(archive_);
    files_ = std::make_unique<PowerCutFiles>(beside_.path(),
                                             static_cast<std::uint32_t>(world.below(1U << 30U)),
                                             [this] { return disk_->operates(); });
    files_->leaves_syncs_out = world.has(PlantedBug::kKeysAreNotSynced);
  }
  open();
}

LogOnDisk::~LogOnDisk() = default;

void LogOnDisk::schedule() {
  if (std::exchange(is_scheduled_, true)) return;
  const auto delay =
      world_.fails_once_in(30) ? world_.between(10ms, 7s) : world_.between(50us, 5ms);
  turns_at_ = world_.now() + delay;
  world_.after(delay, [this, life = lives_] {
    if (life == lives_) turn();
  });
}

bool LogOnDisk::is_slow() const { return is_scheduled_ && turns_at_ > world_.now() + kSlow; }

void LogOnDisk::turn() {
  is_scheduled_ = false;
  const bool fails = std::exchange(fails_next_, false) || world_.fails_once_in(30);
  if (fails) {
    world_.note("the disk of the log fails");
    disk_->goes_after(static_cast<std::int64_t>(world_.below(kOfAWrite)));
  }
  carry_out();
  disk_->goes_after(kFar);
  copy_new();
}

void LogOnDisk::carry_out() {
  log_->turn();
  background_->run();
}

void LogOnDisk::cut_power() {
  disk_->goes_after(0);
  if (files_) files_->lose_power();
  log_.reset();
  if (keys_) keys_->close();
  disk_->cut(chance_);
  if (!files_) return;
  files_->cut();
  disk_->goes_after(kFar);
  remove_partial_files();
}

// As operators may. Their names are random, and would change the course of a seed.
void LogOnDisk::remove_partial_files() {
  std::vector<std::filesystem::path> partial;
  for (const auto& file : std::filesystem::directory_iterator(archive_)) {
    if (file.path().extension() != ".records") partial.push_back(file.path());
  }
  for (const auto& path : partial) std::filesystem::remove(path);
  if (const auto synced = sync_directory(archive_); !synced) {
    world_.violated(synced.error().message);
  }
}

void LogOnDisk::lose_power() {
  if (files_) disk_->when_off = [this] { files_->lose_power(); };
  if (world_.once_in(2)) {
    disk_->goes_after(static_cast<std::int64_t>(world_.below(kOfAWrite)));
    carry_out();
  } else if (options_.is_archived && world_.once_in(2)) {
    disk_->goes_after(static_cast<std::int64_t>(world_.below(kOfAnArchive)));
    archive_once();
  }
  cut_power();
  if (world_.fails_once_in(3)) {
    disk_->goes_after(static_cast<std::int64_t>(world_.below(kOfAStart)));
    open_once();
    cut_power();
  }
  disk_->when_off = {};
  disk_->goes_after(kFar);
  open();
}

void LogOnDisk::archive() {
  if (!options_.is_archived) return;
  const bool fails = world_.fails_once_in(2);
  if (fails) disk_->goes_after(static_cast<std::int64_t>(world_.below(kOfAnArchive)));
  archive_once();
  const bool has_failed = disk_->is_off();
  disk_->goes_after(kFar);
  has_failed ? copy_new() : compare();
}

// Operators have it done on a thread of the API, while the log's thread goes on and RocksDB works
// in the background.
void LogOnDisk::archive_once() {
  const auto end = static_cast<std::uint64_t>(topic_.end(0));
  ArchiveOrder order{
      .directory = archive_,
      .end = world_.once_in(2) ? INT64_MAX : static_cast<std::int64_t>(world_.below(end + 1)),
      .file_bytes = 4'000 + world_.below(20'000)};
  if (end > 0 && world_.once_in(4)) {
    order.before = topic_.records(0)[world_.below(end)].record->envelope.time;
  }
  order.goes_on = [this](std::string_view, std::int64_t) {
    if (world_.once_in(3)) carry_out();
    return !world_.fails_once_in(20);  // it does not if the service stops
  };
  // A compaction whose disk fails right after it has begun a file ends the process: Debian's
  // RocksDB 7.8.3 has its assertions, and one of them asks for the file's first key.
  const InsteadOfWaiting works([this] {
    if (!disk_->is_off()) disk_->goes_after(kFar);
    return background_->run_next();
  });
  const auto reached = log_->archive(order);
  // What an earlier attempt has left must not be in the way.
  if (!reached && reached.error().code != ErrorCode::kUnavailable) {
    world_.violated("A log cannot be archived: " + reached.error().message);
  }
  world_.note(reached ? "the log is archived up to " + std::to_string(*reached)
                      : "the log is not archived: " + reached.error().message);
}

void LogOnDisk::open() {
  const auto refused = open_once();
  if (refused.empty()) {
    if (keys_) keys_->check();
    return compare();
  }
  // RocksDB takes the names in a new directory to be written in order (docs/reliability.md): an
  // operator may have to remove a log that holds nothing yet. Others go on for the end of the run.
  if (topic_.end(0) > 0) world_.violated("A log does not open: " + refused);
  for (const auto& file : std::filesystem::directory_iterator(directory_.path())) {
    std::filesystem::remove_all(file);
  }
  if (const auto again = open_once(); !again.empty()) world_.violated(again);
}

void LogOnDisk::erase(const std::set<std::string>& owners) {
  if (!keys_) return;
  carry_out();
  copy_new();
  for (const auto& owner : owners) {
    if (!world_.violations().empty()) return;
    if (world_.once_in(2)) keys_->copy();
    if (!world_.once_in(3)) erase(owner);
  }
  lose_power();
}

void LogOnDisk::erase(const std::string& owner) {
  for (bool done = false; !done;) {
    const bool is_cut = world_.once_in(3), fails = is_cut || world_.once_in(2);
    if (is_cut) disk_->when_off = [this] { files_->lose_power(); };
    if (fails) disk_->goes_after(static_cast<std::int64_t>(world_.below(kOfAnErasure)));
    done = keys_->destroy(owner);
    if (!done && !disk_->is_off()) return world_.violated(owner + " cannot be erased.");
    disk_->goes_after(kFar);
    if (is_cut) lose_power();
  }
  log_->forget_recent();
  compare();
  if (world_.violations().empty() && world_.once_in(2)) append_for(owner);
}

// As a request of before may.
void LogOnDisk::append_for(const std::string& owner) {
  const auto& records = topic_.records(0);
  const auto last = std::find_if(records.rbegin(), records.rend(), [&](const auto& logged) {
    return logged.record->stream == owner;
  });
  if (last == records.rend()) return;
  auto record = *last->record;
  record.envelope.id = world_.uuid().text();
  ++record.envelope.stream_version;
  log_->append(std::move(record), [](const auto&) {});
  carry_out();
  copy_new();
  log_->forget_recent();
  compare();
}

// Empty, or why not.
std::string LogOnDisk::open_once() {
  ++lives_;
  is_scheduled_ = false;
  EmbeddedEventLogOptions options;
  if (keys_) {
    if (const auto opened = keys_->open(); !opened) return opened.error().message;
    options.store.keys = keys_->files();
    options.store.seal_new = true;
  }
  options.store.env = background_.get();
  options.store.write_buffer_bytes = kBufferBytes;
  options.tail_bytes = world_.once_in(2) ? 2'000 : 1 << 20;
  options.cached_streams = 1 + world_.below(3);
  options.steady = [this] { return world_.now(); };
  options.wake = [this] { schedule(); };
  auto opened = EmbeddedEventLog::open(directory_.path(), std::move(options));
  if (!opened) return opened.error().message;
  log_ = std::move(*opened);
  background_->run();
  return {};
}

// Of that record, the log tells this.
std::shared_ptr<const Record> LogOnDisk::told_now(const LoggedRecord& known) const {
  return keys_ ? std::make_shared<const Record>(keys_->told(*known.record)) : known.record;
}

// What was there is there, as it was; and perhaps more.
void LogOnDisk::compare() {
  const auto reader = log_->read({{0, 0}});
  std::int64_t offset = 0;
  while (true) {
    const auto page = (*reader)->next(100, 0ms);
    if (!page) return world_.violated("A log cannot be read: " + page.error().message);
    if (page->empty()) break;
    for (const auto& logged : *page) {
      if (offset == topic_.end(0)) topic_.store(0, *logged.record);
      const auto& known = topic_.records(0)[static_cast<std::size_t>(offset++)];
      const auto was = described({known.position, told_now(known)});
      if (was == described(logged)) continue;
      return world_.violated("A log has " + described(logged) + ", and had " + was);
    }
  }
  if (offset < topic_.end(0)) {
    world_.violated("A log has lost what was read: it ends at " + std::to_string(offset) +
                    ", and ended at " + std::to_string(topic_.end(0)));
  }
}

void LogOnDisk::copy_new() {
  const auto reader = log_->read({{0, topic_.end(0)}});
  if (!reader) return world_.violated("A log has lost what was read: " + reader.error().message);
  while (true) {
    const auto page = (*reader)->next(100, 0ms);
    if (!page) return;  // until it is open again
    if (page->empty()) return;
    for (const auto& logged : *page) topic_.store(0, *logged.record);
  }
}

}  // namespace tilth::testing
