// The generations of a projection's rows, views/<name>/<generation>/: the live one, the previous
// one, and the one being built.

#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/json/described.h"
#include "events/values/result.h"
#include "infra/rocksdb/rocks_store.h"

namespace tilth {

// The role of each generation. Generation numbers only increase.
struct GenerationPlan {
  int live = 1;
  int last = 1;  // the highest number used so far
  std::optional<int> previous = {};
  std::optional<int> next = {};  // being built, or waiting to be switched to
  bool manual = false;           // it waits for an operator
  bool stopped = false;          // by an operator

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("live", live), member("last", last), member("previous", previous),
       member("next", next), member("manual", manual), member("stopped", stopped));
  }
};

// Operation: the plan is stored next to the generations, in the file `plan`. Without a plan the
// newest generation is live. A live generation whose rows have another shape, or that is damaged,
// is discarded, and a new one begins.
//
// Threads: any. Crash: the plan is authoritative; the next open() removes directories that are not
// in it. A partly built generation continues from its own checkpoint.
class Generations {
 public:
  using Store = std::shared_ptr<RocksStore>;

  // `memory` must outlive it. Errors: RocksStore::open()'s, or one sentence about the plan.
  static Result<std::unique_ptr<Generations>> open(std::filesystem::path views, std::string name,
                                                   std::string fingerprint,
                                                   const RocksMemory& memory);

  // The same, with nothing opened or created before open().
  static std::unique_ptr<Generations> closed(std::filesystem::path views, std::string name,
                                             std::string fingerprint, const RocksMemory& memory);
  // Does nothing if they are open. Errors: as above.
  Status open();
  // Whether there are no files, of generations that are closed.
  bool is_absent() const;

  GenerationPlan plan() const;
  Store live() const;  // null: closed
  // Why the live generation was discarded and begun again, if it was: kConflict, its rows had
  // another shape; kDamaged, they cannot be read.
  std::optional<Error> thrown_away() const;

  // Discards the live generation for that reason, the previous one, and any that is to be built,
  // and begins a new one. Those that are still read are removed when they are closed. Not during a
  // build.
  Status begin_again(const Error& why);
  // The same, since the rows are not wanted here.
  Status drop();
  // Whether the files of a former generation are still there, since it is read.
  bool has_former() const;

  // Begins the next generation, with that number or a higher one. kConflict: there is one already.
  // kUnavailable: the disk has no room for it, or for as many of its size as begin `at_once`.
  Result<Store> begin_next(bool manual, int at_least = 1, int at_once = 1);
  // Opens the plan's next generation to continue its build.
  Result<Store> open_next();
  Status set_stopped(bool stopped);
  Status drop_next();  // it is closed

  // The previous generation, to continue folding into it. kConflict: there is none, or it has
  // another shape.
  Result<Store> open_previous();

  // Makes `store`, the next or the previous generation, the live one, and the live one the
  // previous. A generation that is neither any more stays until close_unused(), because closing
  // takes a while.
  Status switch_to(const Store& store);
  void close_unused();

  // Removes the previous generation, if there is one.
  Status release_previous();

  // An empty generation outside the plan, removed when it is closed. kConflict: there is one
  // already.
  Result<Store> open_scratch();

 private:
  Generations(std::filesystem::path views, std::string name, std::string fingerprint,
              const RocksMemory& memory);

  Result<Store> open_generation(int generation) const;
  bool is_stranger(int number) const;
  void remove_strangers() const;
  Status keep(const GenerationPlan& plan);
  Status begin_empty();  // with mutex_
  Status check_room(int at_once) const;

  const std::filesystem::path views_;
  const std::filesystem::path folder_;
  const std::string name_;
  const std::string fingerprint_;
  const RocksMemory& memory_;

  mutable std::mutex mutex_;  // guards what follows
  std::optional<Error> thrown_away_;
  GenerationPlan plan_;
  Store live_;
  Store previous_;  // null also if it is not open
  std::vector<Store> unused_;
  std::vector<int> unused_numbers_;  // of those that are not open
  std::weak_ptr<RocksStore> scratch_;
};

}  // namespace tilth
