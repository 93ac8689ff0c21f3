// Writes rows that were collected in memory to their database, as one sorted file that RocksDB
// ingests as it is.

#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <rocksdb/db.h>

#include "events/values/result.h"
#include "infra/rocksdb/shared_map.h"

namespace tilth {

// Writes one layer at a time, on its own thread, since writing a file takes as long as many
// commits. Threads: begin() and end() from one, ended() from any.
//
// Crash: a layer is in the database whole or not at all.
class LayerWriter {
 public:
  // `db`, which was opened with `options`, must outlive it.
  LayerWriter(rocksdb::DB& db, const rocksdb::Options& options);

  // Not while another layer is being written.
  void begin(SharedMap layer);

  // The result, once the layer is done. kUnavailable: nothing was written; begin() may be retried.
  std::optional<Status> ended();
  Status end();  // waits for it

 private:
  void run(const std::stop_token& stop);
  void wait_for_room(const std::stop_token& stop);
  rocksdb::Status write(const SharedMap& layer) const;

  rocksdb::DB& db_;
  const rocksdb::Options options_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::optional<SharedMap> layer_;  // to be written
  std::optional<Status> ended_;

  std::jthread thread_;
};

}  // namespace tilth
