// Stores a projection's rows in a RocksDB of its own.

#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/values/result.h"
#include "infra/rocksdb/gap_use.h"
#include "infra/rocksdb/rocks_memory.h"
#include "infra/rocksdb/seek_cache.h"
#include "infra/rocksdb/shared_map.h"
#include "infra/rocksdb/value_cache.h"
#include "projections/fold/projection_store.h"

namespace tilth {

// Operation: commits are collected in memory, in layers over the database. A layer that has grown
// large, or is a minute old at a commit, is written to it as a whole while the next one fills. A
// snapshot keeps the database open even after the store is destroyed.
//
// Threads: as ProjectionStore; one of its own writes layers.
//
// Crash: the layers in memory are lost and folded from the event log again. That is the work of
// about a minute, also where many records change few rows.
//
// Failure: while a layer cannot be written the next one fills; once that is full, commits are
// refused until the layer is written. Reads throw UnreadableRows if the disk fails or returns
// corrupt data.
class RocksStore final : public ProjectionStore {
 public:
  using Steady = std::chrono::steady_clock;

  // Opens or creates <name>/<generation>/ under `views`.
  //
  //   kConflict     its rows have another fingerprint.
  //   kDamaged      files are missing or corrupt.
  //   kUnavailable  it cannot be opened for another, possibly temporary reason, such as
  //                 permissions.
  static Result<std::unique_ptr<RocksStore>> open(
      const std::filesystem::path& views, std::string_view name, int generation,
      std::string_view fingerprint, const RocksMemory& memory,
      std::function<Steady::time_point()> steady = Steady::now);

  // Whether an error of open() means that the rows can never be read and must be folded from the
  // log again.
  static bool is_disposable(const Error& why) {
    return why.code == ErrorCode::kConflict || why.code == ErrorCode::kDamaged;
  }

  ~RocksStore() override;

  const RowReader& newest() const override;
  std::shared_ptr<const RowReader> snapshot() const override;
  Status commit(const RowBatch::Changes& changes) override;
  bool holds(const UnreadableRows& rows) const override;

  // Writes all that was committed to the database. Threads: the one that commits. kUnavailable: not
  // all was written.
  Status write_out();

  // Rewrites the files that have keys from `begin` on and before `end`, so that nothing of what was
  // erased there, and written, is left in them. Waits for readers of earlier states while
  // `goes_on` returns true. Threads: any. kUnavailable: something may be left.
  Status compact(std::string_view begin, std::string_view end,
                 const std::function<bool()>& goes_on) const;

  // Makes a copy that can be opened, of the rows as committed some time ago: the rest is folded
  // from the event log. `directory` must not exist. Threads: any.
  //
  //   kUnavailable  it could not be made.
  Status copy_to(const std::filesystem::path& directory) const;

  // Fills a store into which nothing was ever committed, all or nothing. `files` are written by
  // SortedFiles and their key ranges do not overlap; the keys of `others` come before theirs.
  //
  //   kUnavailable  for example, the disk is full.
  Status begin_with(std::vector<std::string> files, std::map<std::string, std::string> others);

  // Where the files for begin_with() are written.
  std::filesystem::path bulk_path() const;
  const RocksMemory& memory() const;
  int generation() const { return generation_; }

  // Removes the store's files once they are no longer in use.
  void remove_when_unused();

 private:
  class Reader;
  struct Database;
  // The layers over the rows of the database.
  struct Layers {
    SharedMap newest;
    SharedMap older;  // is being written to the database
  };

  // What the committing thread has cached of the database.
  struct Known {
    ValueCache values{4 << 20};
    SeekCache gaps{8 << 20};
    GapUse use;
  };

  RocksStore(std::shared_ptr<Database> database, int generation,
             std::function<Steady::time_point()> steady);

  Status make_room();
  Status end_older();
  void drop_older();
  void begin_layer();
  void keep(const RowBatch::Changes& changes);

  const std::shared_ptr<Database> database_;
  Layers layers_;  // changed by the thread that commits, under mutex_
  Known known_;
  const std::function<Steady::time_point()> steady_;
  std::optional<Steady::time_point> begun_;  // when the newest layer got its first commit
  const std::unique_ptr<Reader> newest_;
  const int generation_;

  mutable std::mutex mutex_;
  // The current snapshot, shared by all readers until the next commit; null until it is requested.
  mutable std::shared_ptr<const Reader> committed_;
  // The older layer may get into the database after it: its cursors would pass over each of those
  // rows, one by one.
  mutable bool precedes_a_layer_ = false;
};

}  // namespace tilth
