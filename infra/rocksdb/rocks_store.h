// Keeps a projection's rows in a RocksDB of its own.

#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "events/values/result.h"
#include "infra/rocksdb/rocks_memory.h"
#include "infra/rocksdb/seek_cache.h"
#include "infra/rocksdb/shared_map.h"
#include "infra/rocksdb/value_cache.h"
#include "projections/fold/projection_store.h"

namespace tilth {

// Operation: commits are collected in memory, in layers over the database. A layer that has become
// large is written into it as a whole, while the next one fills. What snapshot() gave keeps the
// database open, whatever becomes of the store.
//
// Threads: as ProjectionStore says; one more writes layers.
//
// Crash: takes the layers, which the event log tells again.
//
// Failure: while a layer cannot be written the next one fills; then commits are refused, until it
// can. Reading throws UnreadableRows when the disk is dead, or gives back other bytes.
class RocksStore final : public ProjectionStore {
 public:
  // Opens views/<name>/<generation>/ under `views`, or makes it.
  //
  //   kConflict     its rows have another fingerprint.
  //   kDamaged      files are missing, or hold other bytes than were written.
  //   kUnavailable  it cannot be opened for another reason, one that may pass: no permission, say.
  static Result<std::unique_ptr<RocksStore>> open(const std::filesystem::path& views,
                                                  std::string_view name, int generation,
                                                  std::string_view fingerprint,
                                                  const RocksMemory& memory);

  // Whether an error of open() says that what lies there will never be read: the log tells it
  // again.
  static bool is_disposable(const Error& why) {
    return why.code == ErrorCode::kConflict || why.code == ErrorCode::kDamaged;
  }

  ~RocksStore() override;

  const RowReader& newest() const override;
  std::shared_ptr<const RowReader> snapshot() const override;
  Status commit(const RowBatch::Changes& changes) override;
  bool holds(const UnreadableRows& rows) const override;

  // A copy that can be opened, of what was committed up to some time ago: the event log tells the
  // rest. `directory` must not exist. Threads: any.
  //
  //   kUnavailable  it could not be made.
  Status copy_to(const std::filesystem::path& directory) const;

  // What a store into which nothing was ever committed begins with: all of it or nothing. `files`
  // are SortedFiles', none of whose keys lie between another's; `next to` come before them.
  //
  //   kUnavailable  the disk is full, say.
  Status begin_with(std::vector<std::string> files, std::map<std::string, std::string> beside);

  // Where such files are written.
  std::filesystem::path bulk_path() const;
  const RocksMemory& memory() const;
  int generation() const { return generation_; }

  // Its files go once no one reads them any more.
  void remove_when_unused();

 private:
  class Reader;
  struct Database;
  // Over the rows of the database.
  struct Layers {
    SharedMap newest;
    SharedMap older;  // is being written into the database
  };

  // Of the database, to the thread that commits.
  struct Known {
    ValueCache values{4 << 20};
    SeekCache gaps{8 << 20};
  };

  RocksStore(std::shared_ptr<Database> database, int generation);

  Status make_room();
  Status end_older();
  void keep(const RowBatch::Changes& changes);

  const std::shared_ptr<Database> database_;
  Layers layers_;  // changed by the thread that commits, under mutex_
  Known known_;
  const std::unique_ptr<Reader> newest_;
  const int generation_;

  mutable std::mutex mutex_;
  // What is committed now, for all readers until the next commit; null while no one has asked.
  mutable std::shared_ptr<const Reader> committed_;
};

}  // namespace tilth
