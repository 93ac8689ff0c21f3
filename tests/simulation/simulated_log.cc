#include "tests/simulation/simulated_log.h"

#include <algorithm>
#include <utility>

#include "tests/simulation/log_on_disk.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

std::string described(const Record& record) {
  return record.envelope.type + " for " + record.envelope.correlation_id + " on " + record.stream +
         " version " + std::to_string(record.envelope.stream_version);
}

Error unknown() { return {ErrorCode::kUnavailable, "The log did not say."}; }

}  // namespace

SimulatedLog::SimulatedLog(World& world, SimulatedTopic& topic) : world_(world), topic_(topic) {}
SimulatedLog::~SimulatedLog() = default;

void SimulatedLog::keep_on_disk(bool is_archived, bool is_sealed) {
  on_disk_ = std::make_unique<LogOnDisk>(
      world_, topic_, LogOnDisk::Options{.is_archived = is_archived, .is_sealed = is_sealed});
}

void SimulatedLog::archive() { on_disk_->archive(); }

void SimulatedLog::erase(const std::set<std::string>& owners) {
  if (on_disk_) on_disk_->erase(owners);
}

class SimulatedLog::Reader final : public LogReader {
 public:
  Reader(SimulatedLog& log, std::vector<Position> next) : log_(log), next_(std::move(next)) {
    const bool forgets = log_.world_.has(PlantedBug::kPartitionIsForgotten) && next_.size() > 1;
    if (!log_.world_.has(PlantedBug::kReaderSkipsARecord) && !forgets) return;
    for (auto& each : next_) {
      if (forgets && each.partition != next_.back().partition) continue;
      if (each.offset > 0 && each.offset < log_.topic_.end(each.partition)) ++each.offset;
    }
  }

  Result<std::vector<LoggedRecord>> next(std::size_t limit, std::chrono::milliseconds) override {
    auto& world = log_.world_;
    if (!log_.reachable_) return std::vector<LoggedRecord>();
    if (world.fails_once_in(40)) return unknown();
    const auto at_most = world.once_in(3) ? 1 + world.below(4) : limit;
    std::vector<LoggedRecord> found;
    // Partitions arrive in any order.
    std::ranges::rotate(next_,
                        next_.begin() + static_cast<std::ptrdiff_t>(world.below(next_.size())));
    for (auto& [partition, offset] : next_) {
      const auto& records = log_.topic_.records(partition);
      if (log_.is_slow(partition)) continue;
      auto visible = log_.visible_end(partition);
      // A follower may be behind the writer's broker.
      if (log_.topic_.kind() == SimulatedTopic::Kind::kShared && visible > offset &&
          world.fails_once_in(3)) {
        visible = offset + static_cast<std::int64_t>(
                               world.below(static_cast<std::uint64_t>(visible - offset)));
      }
      while (offset < visible && found.size() < at_most) {
        auto& logged = found.emplace_back(records[static_cast<std::size_t>(offset++)]);
        if (!log_.misses_predecessors_) continue;
        auto record = std::make_shared<Record>(*logged.record);
        record->envelope.predecessor.clear();
        logged.record = std::move(record);
      }
    }
    return found;
  }

  void wake() override {}

  void skip_to(const Position& position) override {
    for (auto& [partition, offset] : next_) {
      if (partition == position.partition) offset = std::max(offset, position.offset);
    }
  }

 private:
  SimulatedLog& log_;
  std::vector<Position> next_;
};

// Of the log on disk: now and then the disk cannot be read.
class SimulatedLog::DiskReader final : public LogReader {
 public:
  DiskReader(SimulatedLog& log, std::unique_ptr<LogReader> reader)
      : log_(log), reader_(std::move(reader)) {}

  Result<std::vector<LoggedRecord>> next(std::size_t limit, std::chrono::milliseconds) override {
    auto& world = log_.world_;
    if (!log_.reachable_) return std::vector<LoggedRecord>();
    if (world.fails_once_in(40)) return unknown();
    return reader_->next(world.once_in(3) ? 1 + world.below(4) : limit, 0ms);
  }
  void wake() override { reader_->wake(); }
  void skip_to(const Position& position) override { reader_->skip_to(position); }

 private:
  SimulatedLog& log_;
  const std::unique_ptr<LogReader> reader_;
};

class SimulatedLog::Part final : public EventLog {
 public:
  Part(SimulatedLog& whole, std::function<bool(std::string_view)> wanted)
      : whole_(whole), wanted_(std::move(wanted)) {}

  void append(Record record, OnAppended done) override {
    whole_.append(std::move(record), std::move(done));
  }
  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override {
    return whole_.read(from, wanted_);
  }
  void end(int partition, OnEnd done) override { whole_.end(partition, std::move(done)); }
  bool is_sequential() const override { return whole_.is_sequential(); }
  int partitions() const override { return whole_.partitions(); }
  int virtual_partitions() const override { return whole_.virtual_partitions(); }

 private:
  SimulatedLog& whole_;
  const std::function<bool(std::string_view)> wanted_;
};

std::unique_ptr<EventLog> SimulatedLog::only(std::function<bool(std::string_view)> wanted) {
  return std::make_unique<Part>(*this, std::move(wanted));
}

void SimulatedLog::follow_stale_leader(bool stale) {
  stale_ends_.clear();
  for (int partition = 0; stale && partition < topic_.partitions(); ++partition) {
    stale_ends_.push_back(topic_.end(partition));
  }
}

void SimulatedLog::slow_down(int partition, World::Steady::time_point until) {
  slow_until_[partition] = until;
}

bool SimulatedLog::is_slow(int partition) const {
  const auto until = slow_until_.find(partition);
  return !world_.calm() && until != slow_until_.end() && world_.now() < until->second;
}

std::int64_t SimulatedLog::visible_end(int partition) const {
  return stale_ends_.empty() ? topic_.end(partition)
                             : stale_ends_[static_cast<std::size_t>(partition)];
}

bool SimulatedLog::is_sequential() const {
  return topic_.kind() == SimulatedTopic::Kind::kOwn ||
         world_.has(PlantedBug::kSaysThatItIsSequential);
}

World::Micros SimulatedLog::delay() {
  return world_.fails_once_in(30) ? world_.between(10ms, 7s) : world_.between(50us, 5ms);
}

void SimulatedLog::append(Record record, OnAppended done) {
  if (world_.has(PlantedBug::kRetryGetsANewId) && !sent_.insert(record.envelope.id).second) {
    record.envelope.id = world_.uuid().text();
    record.envelope.stream_version = gate_.version(record.stream);
  }
  if (world_.has(PlantedBug::kActorIsNotStored)) record.envelope.actor = "key_2";
  const bool is_lost = topic_.takes_loss(record.stream);
  if (on_disk_) {
    if (is_lost) on_disk_->fail_next_write();
    if (is_lost && on_disk_->is_slow()) topic_.note_late_loss(record.stream);
    return on_disk_->log().append(std::move(record), std::move(done));
  }
  if (topic_.kind() == SimulatedTopic::Kind::kShared) {
    return is_lost ? lose(std::move(record), done) : send(std::move(record), std::move(done));
  }
  if (!gate_.admit(record)) {
    world_.note(described(record) + " is stale");
    return tell(done, Error{ErrorCode::kStale, "Its stream is at another version."});
  }
  sync_is_lost_ = sync_is_lost_ || is_lost;
  unsynced_.push_back({std::move(record), std::move(done)});
  if (std::exchange(sync_begun_, true)) return;
  world_.after(delay(), [this] { sync(); });
}

void SimulatedLog::send(Record record, OnAppended done) {
  // The gate follows what this client has sent, for the planted bug alone.
  gate_.admit(record);
  if (!reachable_ || !stale_ends_.empty() || world_.fails_once_in(20)) {
    return tell(done, unknown());
  }
  world_.after(delay(), [this, record = std::move(record), done = std::move(done)] {
    arrive(record, done);
  });
}

// Which a broker tells long after a command's timeout, or at once.
void SimulatedLog::lose(Record record, const OnAppended& done) {
  world_.note(described(record) + " has no known outcome");
  const bool is_late = !world_.once_in(2);
  world_.after(is_late ? 8s : delay(), [done] { done(unknown()); });
  if (world_.once_in(2)) {
    if (is_late) topic_.note_late_loss(record.stream);
    return;
  }
  world_.after(delay(), [this, record = std::move(record)] {
    topic_.store(partition_of(record.stream), record);
  });
}

void SimulatedLog::arrive(Record record, const OnAppended& done) {
  const int partition = partition_of(record.stream);
  auto& predecessor = record.envelope.predecessor;
  if (world_.has(PlantedBug::kPredecessorIsNotStored)) predecessor.clear();
  if (world_.has(PlantedBug::kFollowersAreKept) && !predecessor.empty()) {
    predecessor = last_id(record.stream);
  }
  const auto position = topic_.store(partition, record);
  world_.note(described(record) + " is stored at " + std::to_string(position.offset));
  if (world_.fails_once_in(20)) {  // a retry within the client, whose first try arrived
    world_.after(delay(), [this, partition, record = std::move(record)] {
      const auto copy = topic_.store(partition, record);
      world_.note(described(record) + " is stored again at " + std::to_string(copy.offset));
    });
  }
  const bool lost = !reachable_ || world_.fails_once_in(20);
  tell(done, lost ? Result<Position>(unknown()) : position);
}

// Of the last record of a stream that counts.
std::string SimulatedLog::last_id(const std::string& stream) const {
  VersionGate gate;
  std::string id;
  for (const auto& logged : topic_.records(partition_of(stream))) {
    if (gate.admit(*logged.record) && logged.record->stream == stream) {
      id = logged.record->envelope.id;
    }
  }
  return id;
}

// All that waits is synced at once.
void SimulatedLog::sync() {
  sync_begun_ = false;
  auto batch = std::exchange(unsynced_, {});
  const bool fails = std::exchange(sync_is_lost_, false) || world_.fails_once_in(30);
  const bool stored = !fails || world_.once_in(2);
  for (auto& [record, done] : batch) {
    const int partition = partition_of(record.stream);
    const auto position = stored ? topic_.store(partition, record) : Position{partition, 0};
    world_.note(described(record) + (stored ? " is synced" : " is not synced"));
    tell(done, fails ? Result<Position>(unknown()) : position);
  }
  if (stored || world_.has(PlantedBug::kLostVersionIsTaken)) return;
  // What followed in the gate is stale now, as is what waits.
  read_back();
}

void SimulatedLog::lose_power() {
  if (on_disk_) return on_disk_->lose_power();
  auto batch = std::exchange(unsynced_, {});
  if (world_.has(PlantedBug::kReadBeforeSync)) topic_.lose_last(0, world_.below(3));
  const auto stored = world_.below(batch.size() + 1);
  for (std::size_t at = 0; at < stored; ++at) {
    const int partition = partition_of(batch[at].record.stream);
    world_.note(described(batch[at].record) + " is kept over the power failure");
    topic_.store(partition, std::move(batch[at].record));
  }
  read_back();
}

// The gate is as what is stored says.
void SimulatedLog::read_back() {
  gate_ = VersionGate();
  for (int partition = 0; partition < topic_.partitions(); ++partition) {
    for (const auto& logged : topic_.records(partition)) gate_.admit(*logged.record);
  }
}

void SimulatedLog::tell(const OnAppended& done, Result<Position> result) {
  world_.after(delay(), [done, result = std::move(result)] { done(result); });
}

Result<std::unique_ptr<LogReader>> SimulatedLog::read(
    const std::vector<Position>& from, std::function<bool(std::string_view stream)> wanted) {
  if (on_disk_) {
    auto reader =
        wanted ? on_disk_->log().only(std::move(wanted))->read(from) : on_disk_->log().read(from);
    if (!reader) return reader.error();
    return std::unique_ptr<LogReader>(new DiskReader(*this, std::move(*reader)));
  }
  for (const auto& [partition, offset] : from) {
    if (offset > topic_.end(partition)) {
      return Error{ErrorCode::kLost, "The log ends before " + std::to_string(offset) + "."};
    }
  }
  return std::unique_ptr<LogReader>(new Reader(*this, from));
}

void SimulatedLog::end(int partition, OnEnd done) {
  if (on_disk_) return on_disk_->log().end(partition, std::move(done));
  const bool fails = !reachable_ || world_.fails_once_in(30);
  const auto then = [this, partition, fails, done = std::move(done)] {
    if (fails || !reachable_) return done(unknown());
    const auto end = visible_end(partition);
    done(world_.has(PlantedBug::kEndIsOld) ? std::max<std::int64_t>(end - 3, 0) : end);
  };
  world_.after(delay(), then);
}

}  // namespace tilth::testing
