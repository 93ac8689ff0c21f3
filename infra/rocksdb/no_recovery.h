// Keeps RocksDB from recovering from errors by itself, for databases that are opened again instead.

#pragma once

#include <memory>

#include <rocksdb/listener.h>
#include <rocksdb/options.h>

namespace tilth {

// RocksDB's own recovery would compete with the database's owner.
class NoRecovery final : public rocksdb::EventListener {
 public:
  static void set_in(rocksdb::DBOptions& options) {
    options.max_bgerror_resume_count = 0;
    options.listeners.push_back(std::make_shared<NoRecovery>());
  }

  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason, rocksdb::Status,
                            bool* auto_recovery) override {
    *auto_recovery = false;
  }
};

}  // namespace tilth
