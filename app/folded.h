// A projection in service: its rows, the loop that folds them and carries out the commands decided
// on them, if any are, and the loop's thread.

#pragma once

#include <memory>
#include <string>

#include "app/loop_thread.h"
#include "command/command_loop.h"
#include "infra/metrics/service_watch.h"
#include "infra/rocksdb/rocks_store.h"

namespace tilth {

struct Folded {
  std::string name;
  std::unique_ptr<RocksStore> store;
  std::unique_ptr<CommandLoop> loop;
  std::unique_ptr<LoopThread> thread;

  // For metrics, while it lives.
  WatchedProjection watched() const {
    return {name, [&at = *loop] { return at.projector().progress(); },
            [&at = *loop] { return at.waiting(); }};
  }
};

}  // namespace tilth
