// Serves the history on a node: the index of its streams, owners' own histories, and responses as
// of an earlier time.

#pragma once

#include <memory>

#include "api/platform/as_of.h"
#include "api/v1/history/own_history.h"
#include "api/v1/history/stream_bell.h"
#include "app/node/index_thread.h"
#include "app/node/node_work.h"
#include "infra/config/config.h"
#include "infra/node/backup.h"
#include "infra/node/overrides_file.h"
#include "infra/rocksdb/rocks_store.h"
#include "infra/rocksdb/scratch_store.h"
#include "projections/history/stream_index.h"

namespace tilth {

// Parts are constructed in this order and destroyed in reverse.
class HistoryService {
 public:
  // Borrowed; must outlive this.
  struct Parts {
    const Config& config;
    const RocksMemory& memory;
    EventLog& log;
    EventLog& followed;  // the same log, for the index
    const Clock& clock;
    const KeyDigest& digest;
    const KeyRing& keys;
    LogLines& log_lines;
    const OverridesFile& overrides;
    AccessLease* lease;
    NodeWork& work;
  };

  // Errors: RocksStore::open()'s and StreamIndex::open()'s.
  static Result<std::unique_ptr<HistoryService>> open(const Parts& parts);

  StreamIndex& index() { return *index_; }
  StreamBell& bell() { return bell_; }
  OwnHistory& own_history() { return *own_history_; }
  AsOf& as_of() { return *as_of_; }
  BackedUp backed_up() const;  // the index

  // Call it once the servers are closed and all work has ended.
  void stop();

 private:
  HistoryService(const Parts& parts, std::unique_ptr<RocksStore> store);

  static Result<std::unique_ptr<HistoryService>> try_open(const Parts& parts);

  AsOf::Sources past_sources(const Parts& parts);

  const std::unique_ptr<RocksStore> store_;
  const std::unique_ptr<StreamIndex> index_;
  ScratchStores scratch_;
  StreamBell bell_;
  std::unique_ptr<OwnHistory> own_history_;
  std::unique_ptr<AsOf> as_of_;
  std::unique_ptr<IndexThread> thread_;
};

}  // namespace tilth
