// Keeps a projection's rows in a RocksDB of its own.

#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "events/result.h"
#include "infra/rocksdb/newest_values.h"
#include "projections/bulk_fold.h"
#include "projections/projection_store.h"

namespace tilth {

// Memory that the databases of one process share.
class RocksMemory {
 public:
  // `cache_bytes` for blocks that were read, `write_bytes` for what is not yet flushed.
  RocksMemory(std::size_t cache_bytes, std::size_t write_bytes);
  ~RocksMemory();

  struct Parts;
  const Parts& parts() const { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

// Operation: a commit is one write batch, without a log of its own: what a crash takes from memory,
// the event log tells again. What snapshot() gave keeps the database open, whatever becomes of the
// store.
//
// Threads: as ProjectionStore says.
//
// Failure: a commit that fails leaves the state as it was; the next one asks RocksDB to go on.
// Reading throws std::runtime_error when the disk is dead.
class RocksStore final : public ProjectionStore, public BulkStore {
 public:
  // Opens views/<name>/<generation>/ under `views`, or makes it.
  //
  //   kConflict     its rows have another fingerprint.
  //   kDamaged, kUnavailable  one sentence.
  static Result<std::unique_ptr<RocksStore>> open(const std::filesystem::path& views,
                                                  std::string_view name, int generation,
                                                  std::string_view fingerprint,
                                                  const RocksMemory& memory);
  ~RocksStore() override;

  const RowReader& newest() const override;
  std::shared_ptr<const RowReader> snapshot() const override;
  Status commit(const RowBatch::Changes& changes) override;

  // Pieces become files of their own, sorted as they are, and come in all at once. Nobody may have
  // asked for newest() before.
  std::shared_ptr<const RowReader> state() const override { return snapshot(); }
  Status ingest(BulkRows& rows) override;

  // A copy that can be opened, of what is committed now; `directory` must not exist. Threads: any.
  //
  //   kUnavailable  it could not be made.
  Status copy_to(const std::filesystem::path& directory) const;

  int generation() const { return generation_; }

  // Its files go once nobody reads them any more.
  void remove_when_unused();

 private:
  class Reader;
  struct Database;

  RocksStore(std::shared_ptr<Database> database, int generation);

  const std::shared_ptr<Database> database_;
  const std::unique_ptr<Reader> stored_;
  const std::unique_ptr<NewestRows> newest_;
  const int generation_;

  mutable std::mutex mutex_;
  // What is committed now, for all readers until the next commit; null while nobody has asked.
  mutable std::shared_ptr<const Reader> committed_;
};

}  // namespace tilth
