// The real embedded log of a simulated node and its archive, on a disk that fails and loses power.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <random>
#include <string>

#include "events/log/event_log.h"
#include "infra/embedded/embedded_event_log.h"
#include "tests/fixtures/temporary_directory.h"
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

 private:
  class Background;

  void schedule();
  void turn();
  void carry_out();
  void archive_once();
  void cut_power();
  void remove_partial_files();
  void open();
  std::string open_once();
  void copy_new();
  void compare();

  World& world_;
  SimulatedTopic& topic_;
  const Options options_;
  const TemporaryDirectory directory_{TemporaryDirectory::memory()};
  const TemporaryDirectory archive_{TemporaryDirectory::memory()};
  const std::shared_ptr<PowerCutDisk> disk_;
  const std::unique_ptr<Background> background_;
  std::mt19937_64 chance_;                // of what the power leaves
  std::unique_ptr<PowerCutFiles> files_;  // in the archive; null: there is none
  bool fails_next_ = false, is_scheduled_ = false;
  World::Steady::time_point turns_at_{};
  std::size_t lives_ = 0;
  std::unique_ptr<EmbeddedEventLog> log_;
};

}  // namespace tilth::testing
