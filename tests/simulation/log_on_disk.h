// The real embedded log of a simulated node and its archive, on a disk that fails and loses power.

#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "events/log/event_log.h"
#include "infra/embedded/embedded_event_log.h"
#include "tests/fixtures/temporary_directory.h"
#include "tests/simulation/keys_on_disk.h"
#include "tests/simulation/repeatable_random.h"
#include "tests/simulation/simulated_topic.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

class PowerCutDisk;
class PowerCutFiles;

// Operation: its thread, and those of RocksDB, are steps of the world. The topic gets each record
// that readers can see, in order: one that is there never goes, or changes.
class LogOnDisk {
 public:
  struct Options {
    bool is_archived = false;  // now and then, as archive() is called and the power goes
    bool is_sealed = false;    // what names a person, with keys on the same disk
  };
  // Borrowed; must outlive it.
  LogOnDisk(World& world, SimulatedTopic& topic, Options options);
  ~LogOnDisk();
  LogOnDisk(const LogOnDisk&) = delete;
  LogOnDisk& operator=(const LogOnDisk&) = delete;

  // Until the power goes.
  EmbeddedEventLog& log() { return *log_; }

  // A write fails soon, of which some part may be stored.
  void fail_next_write() { fails_next_ = true; }

  // Whether it takes about a command's timeout until what is appended is written.
  bool is_slow() const;

  // At any operation of the disk. Then there is power again. No reader of the log is left.
  void lose_power();

  // An operator moves the beginning of the log to files, if the options say so. The disk may fail
  // meanwhile.
  void archive();

  // At the end of a world: an operator destroys the keys of some of these, if the log is sealed.
  // The disk may fail meanwhile, or lose power. What named them cannot be read any more, nor what
  // is appended later; all else is there, as it was.
  void erase(const std::set<std::string>& owners);

 private:
  class Background;

  void schedule();
  void turn();
  void carry_out();
  void archive_once();
  void erase(const std::string& owner);
  void append_for(const std::string& owner);
  void cut_power();
  void remove_partial_files();
  void open();
  std::string open_once();
  void copy_new();
  std::shared_ptr<const Record> told_now(const LoggedRecord& known) const;
  void compare();

  World& world_;
  SimulatedTopic& topic_;
  const Options options_;
  const TemporaryDirectory directory_{TemporaryDirectory::memory()};
  const TemporaryDirectory beside_{TemporaryDirectory::memory()};  // the archive, and the keys
  const std::filesystem::path archive_ = beside_.path() / "archive";
  const std::shared_ptr<PowerCutDisk> disk_;
  const std::unique_ptr<Background> background_;
  std::mt19937_64 chance_;  // of what the power leaves
  std::optional<RepeatableRandom> random_;
  std::unique_ptr<PowerCutFiles> files_;  // beside the log; null: there are none
  std::optional<KeysOnDisk> keys_;
  bool fails_next_ = false, is_scheduled_ = false;
  World::Steady::time_point turns_at_{};
  std::size_t lives_ = 0;
  std::unique_ptr<EmbeddedEventLog> log_;
};

}  // namespace tilth::testing
