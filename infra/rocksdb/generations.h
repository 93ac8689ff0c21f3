// The generations of a projection's rows, views/<name>/<generation>/: the live one, the former one,
// and the one that is being built.

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

// Which generation is what. Generations grow.
struct GenerationPlan {
  int live = 1;
  int last = 1;  // that ever began
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

// Operation: the plan lies next to the generations, in the file `plan`. Where there is none the
// newest generation is live. A live generation whose rows have another shape, or that is damaged,
// is thrown away, and a new one begins.
//
// Threads: any. Crash: the plan says what holds; directories that are none of it go at the next
// open(). What is half built goes on from its own checkpoint.
class Generations {
 public:
  using Store = std::shared_ptr<RocksStore>;

  // `memory` must outlive it. Errors are RocksStore's, or one sentence about the plan.
  static Result<std::unique_ptr<Generations>> open(std::filesystem::path views, std::string name,
                                                   std::string fingerprint,
                                                   const RocksMemory& memory);

  GenerationPlan plan() const;
  Store live() const;
  // Why the live one began again, if what was there was thrown away: kConflict, its rows had
  // another shape; kDamaged, they cannot be read.
  const std::optional<Error>& thrown_away() const { return thrown_away_; }

  // Throws the live one away for that reason, and whatever is being built, and begins a new one.
  // Before anybody has begun to build or reads it.
  Status begin_again(const Error& why);

  // Begins the next generation. kConflict: there is one. kUnavailable: the disk has no room for it.
  Result<Store> begin_next(bool manual);
  // Goes on with the one of the plan.
  Result<Store> open_next();
  Status set_stopped(bool stopped);
  Status drop_next();

  // The former one, to go on with it. kConflict: there is none, or it has another shape.
  Result<Store> open_previous();

  // Makes `store`, the next or the former generation, the live one, and the live one the former.
  // What is neither any more stays until close_unused(), for that takes a while.
  Status switch_to(const Store& store);
  void close_unused();

  // Removes the former one, if there is one.
  Status release_previous();

  // An empty generation that no one reads, gone when it is closed. kConflict: there is one.
  Result<Store> open_scratch();

 private:
  Generations(std::filesystem::path views, std::string name, std::string fingerprint,
              const RocksMemory& memory);

  Status open();
  Result<Store> open_generation(int generation) const;
  void remove_strangers() const;
  Status keep(const GenerationPlan& plan);
  Status check_room() const;

  const std::filesystem::path views_;
  const std::filesystem::path folder_;
  const std::string name_;
  const std::string fingerprint_;
  const RocksMemory& memory_;
  std::optional<Error> thrown_away_;

  mutable std::mutex mutex_;  // guards what follows
  GenerationPlan plan_;
  Store live_;
  Store previous_;  // null also where it is not open
  std::vector<Store> unused_;
  std::vector<int> unused_numbers_;  // of those that are not open
  std::weak_ptr<RocksStore> scratch_;
};

}  // namespace tilth
