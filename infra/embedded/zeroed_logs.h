// Write-ahead logs of RocksDB whose next bytes are on the disk already, as zeros.

#pragma once

#include <filesystem>
#include <memory>

#include <rocksdb/env.h>

namespace tilth {

// `base`, but that a write-ahead log of the database in `directory` is extended by many zeros at
// once, which its writes then replace. A sync that changes neither the length of a file nor where
// it lies need not wait for the file system's journal: it takes about 0.6 of the time
// (docs/decisions/0099-a-write-ahead-log-is-extended-by-zeros.md).
//
// A log that was closed is as long as what was written to it. One that was not, as after a crash,
// ends in zeros; RocksDB reads up to them.
//
// Threads: any. `base` must outlive it.
std::unique_ptr<rocksdb::Env> with_zeroed_logs(rocksdb::Env& base,
                                               const std::filesystem::path& directory);

}  // namespace tilth
