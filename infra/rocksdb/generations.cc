#include "infra/rocksdb/generations.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>
#include <vector>

#include "events/json/json.h"
#include "events/json/json_reader.h"
#include "events/json/json_writer.h"
#include "infra/system/whole_file.h"

namespace tilth {
namespace {

namespace fs = std::filesystem;

// A generation is larger while it is built than at the end, and the log needs room, too.
constexpr double kRoomOverLive = 1.5;
constexpr std::uintmax_t kRoomBeside = 64 << 20;

constexpr int kScratch = 0;  // never a generation's number

std::optional<int> number_of(const fs::path& directory) {
  const auto name = directory.filename().string();
  int number = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool whole = read.ec == std::errc{} && read.ptr == name.data() + name.size();
  return whole && number > 0 ? std::optional(number) : std::nullopt;
}

std::vector<int> generations_in(const fs::path& folder) {
  std::vector<int> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (const auto number = number_of(entry.path())) found.push_back(*number);
  }
  return found;
}

std::uintmax_t bytes_in(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const auto size = entry.file_size(ignored);
    if (!ignored) bytes += size;
  }
  return bytes;
}

}  // namespace

Result<std::unique_ptr<Generations>> Generations::open(fs::path views, std::string name,
                                                       std::string fingerprint,
                                                       const RocksMemory& memory) {
  auto generations = closed(std::move(views), std::move(name), std::move(fingerprint), memory);
  if (const auto opened = generations->open(); !opened) return opened.error();
  return generations;
}

std::unique_ptr<Generations> Generations::closed(fs::path views, std::string name,
                                                 std::string fingerprint,
                                                 const RocksMemory& memory) {
  return std::unique_ptr<Generations>(
      new Generations(std::move(views), std::move(name), std::move(fingerprint), memory));
}

Generations::Generations(fs::path views, std::string name, std::string fingerprint,
                         const RocksMemory& memory)
    : views_(std::move(views)),
      folder_(views_ / name),
      name_(std::move(name)),
      fingerprint_(std::move(fingerprint)),
      memory_(memory) {}

Status Generations::open() {
  const std::lock_guard lock(mutex_);
  if (live_) return kDone;
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed) {
    return Error{ErrorCode::kUnavailable,
                 "The read models' folder cannot be made: " + failed.message() + "."};
  }
  const auto kept = read_whole_file(folder_ / "plan");
  if (!kept) return kept.error();
  if (*kept) {
    Issues issues;
    const auto json = parse_json(**kept);
    if (json) JsonReader::read(*json, Reading::kStored, plan_, issues);
    if (!json || !issues.empty()) {
      return Error{ErrorCode::kDamaged, (folder_ / "plan").string() + " cannot be read: remove " +
                                            folder_.string() + ", its rows are recreated."};
    }
  } else {
    const auto found = generations_in(folder_);
    plan_.live = plan_.last = found.empty() ? 1 : *std::max_element(found.begin(), found.end());
  }
  auto live = open_generation(plan_.live);
  if (live) {
    live_ = std::move(*live);
  } else if (!RocksStore::is_disposable(live.error())) {
    return live.error();
  } else if (const auto begun = begin_empty(); !begun) {
    return begun;
  } else {
    thrown_away_ = live.error();
  }
  std::error_code ignored;
  fs::remove_all(folder_ / std::to_string(kScratch), ignored);
  remove_strangers();
  return kDone;
}

bool Generations::is_absent() const {
  std::error_code ignored;
  return !fs::exists(folder_ / "plan", ignored) && generations_in(folder_).empty();
}

Status Generations::begin_again(const Error& why) {
  const std::lock_guard lock(mutex_);
  if (const auto begun = begin_empty(); !begun) return begun;
  thrown_away_ = why;
  return kDone;
}

Status Generations::drop() {
  const std::lock_guard lock(mutex_);
  return begin_empty();
}

Status Generations::begin_empty() {
  const auto former = plan_;
  const int next = plan_.last + 1;
  auto live = open_generation(next);
  if (!live) return live.error();
  if (const auto done = keep({next, next}); !done) return (*live)->remove_when_unused(), done;
  for (auto* store : {&live_, &previous_}) {
    if (*store) (*store)->remove_when_unused();
  }
  std::error_code ignored;
  if (!live_) fs::remove_all(folder_ / std::to_string(former.live), ignored);
  if (!previous_ && former.previous) {
    fs::remove_all(folder_ / std::to_string(*former.previous), ignored);
  }
  if (former.next) fs::remove_all(folder_ / std::to_string(*former.next), ignored);
  previous_.reset();
  live_ = std::move(*live);
  return kDone;
}

bool Generations::has_former() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(generations_in(folder_),
                             [this](int number) { return is_stranger(number); });
}

std::optional<Error> Generations::thrown_away() const {
  const std::lock_guard lock(mutex_);
  return thrown_away_;
}

Result<Generations::Store> Generations::open_generation(int generation) const {
  auto opened = RocksStore::open(views_, name_, generation, fingerprint_, memory_);
  if (!opened) return opened.error();
  return Store(std::move(*opened));
}

bool Generations::is_stranger(int number) const {
  return number != plan_.live && number != plan_.previous && number != plan_.next;
}

// What a switch or a kill left behind.
void Generations::remove_strangers() const {
  std::error_code ignored;
  for (const int number : generations_in(folder_)) {
    if (is_stranger(number)) fs::remove_all(folder_ / std::to_string(number), ignored);
  }
}

Status Generations::keep(const GenerationPlan& plan) {
  const auto kept = write_whole_file(folder_ / "plan", JsonWriter::text(plan) + "\n", 0600);
  if (kept) plan_ = plan;
  return kept;
}

GenerationPlan Generations::plan() const {
  const std::lock_guard lock(mutex_);
  return plan_;
}

Generations::Store Generations::live() const {
  const std::lock_guard lock(mutex_);
  return live_;
}

Status Generations::check_room(int at_once) const {
  std::error_code failed;
  const auto space = fs::space(folder_, failed);
  if (failed) return kDone;
  const auto live = bytes_in(folder_ / std::to_string(plan_.live));
  const auto needed =
      static_cast<std::uintmax_t>(at_once * static_cast<double>(live) * kRoomOverLive) +
      kRoomBeside;
  if (space.available >= needed) return kDone;
  return Error{ErrorCode::kUnavailable,
               "The disk has no room for another generation of " + name_ + ": " +
                   std::to_string(needed >> 20) + " MiB are needed, " +
                   std::to_string(space.available >> 20) + " MiB are free."};
}

Result<Generations::Store> Generations::begin_next(bool manual, int at_least, int at_once) {
  const std::lock_guard lock(mutex_);
  if (plan_.next) {
    return Error{ErrorCode::kConflict, "Generation " + std::to_string(*plan_.next) + " of " +
                                           name_ + " is being built already."};
  }
  if (const auto room = check_room(at_once); !room) return room.error();
  auto plan = plan_;
  plan.last = std::max(plan.last + 1, at_least);
  plan.next = plan.last;
  plan.manual = manual;
  plan.stopped = false;
  // Opened before the plan names it, or else a generation that cannot be opened would count as
  // being built until a restart.
  auto next = open_generation(*plan.next);
  if (!next) {
    std::error_code ignored;
    fs::remove_all(folder_ / std::to_string(*plan.next), ignored);
    return next;
  }
  if (const auto kept = keep(plan); !kept) {
    (*next)->remove_when_unused();
    return kept.error();
  }
  return next;
}

Result<Generations::Store> Generations::open_next() {
  const std::lock_guard lock(mutex_);
  auto opened = open_generation(plan_.next.value());
  if (opened || !RocksStore::is_disposable(opened.error())) return opened;
  std::error_code ignored;  // written by another version, for example: starts over
  fs::remove_all(folder_ / std::to_string(*plan_.next), ignored);
  return open_generation(*plan_.next);
}

Status Generations::set_stopped(bool stopped) {
  const std::lock_guard lock(mutex_);
  auto plan = plan_;
  plan.stopped = stopped;
  return keep(plan);
}

Status Generations::drop_next() {
  const std::lock_guard lock(mutex_);
  auto plan = plan_;
  const auto dropped = std::exchange(plan.next, {});
  plan.manual = plan.stopped = false;
  if (const auto kept = keep(plan); !kept) return kept;
  std::error_code ignored;
  if (dropped) fs::remove_all(folder_ / std::to_string(*dropped), ignored);
  return kDone;
}

Result<Generations::Store> Generations::open_previous() {
  const std::lock_guard lock(mutex_);
  if (!plan_.previous) {
    return Error{ErrorCode::kConflict, "There is no former generation of " + name_ + "."};
  }
  if (previous_) return previous_;
  return open_generation(*plan_.previous);
}

Status Generations::switch_to(const Store& store) {
  const std::lock_guard lock(mutex_);
  auto plan = plan_;
  plan.previous = plan_.live;
  plan.live = store->generation();
  if (plan.next == plan.live) {
    plan.next.reset();
    plan.manual = plan.stopped = false;
  }
  const auto former = plan_.previous;
  if (const auto kept = keep(plan); !kept) return kept;
  if (previous_ && previous_ != store) {
    previous_->remove_when_unused();
    unused_.push_back(std::move(previous_));
  } else if (!previous_ && former && former != plan.live) {
    unused_numbers_.push_back(*former);
  }
  previous_ = std::exchange(live_, store);
  return kDone;
}

void Generations::close_unused() {
  const std::lock_guard lock(mutex_);
  unused_.clear();
  std::error_code ignored;
  for (const int number : std::exchange(unused_numbers_, {})) {
    fs::remove_all(folder_ / std::to_string(number), ignored);
  }
}

Status Generations::release_previous() {
  const std::lock_guard lock(mutex_);
  if (!plan_.previous) return kDone;
  const auto released = *plan_.previous;
  auto plan = plan_;
  plan.previous.reset();
  if (const auto kept = keep(plan); !kept) return kept;
  if (previous_) {
    previous_->remove_when_unused();
    previous_.reset();
  } else {
    std::error_code ignored;
    fs::remove_all(folder_ / std::to_string(released), ignored);
  }
  return kDone;
}

Result<Generations::Store> Generations::open_scratch() {
  const std::lock_guard lock(mutex_);
  if (!scratch_.expired()) {
    return Error{ErrorCode::kConflict, "The rows of " + name_ + " are being verified already."};
  }
  if (const auto room = check_room(1); !room) return room.error();
  auto opened = open_generation(kScratch);
  if (!opened) return opened;
  (*opened)->remove_when_unused();
  scratch_ = *opened;
  return opened;
}

}  // namespace tilth
