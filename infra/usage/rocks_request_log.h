// Keeps the request log over restarts.

#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/usage/request_log.h"
#include "infra/rocksdb/rocks_memory.h"

namespace tilth {

// Operation: requests are collected in memory and stored by keep(), which its owner calls about
// every half second. The key of a request is its owner and a number that counts up, so the newest
// are found from the end; each one that is stored erases the one a thousand before it. keep() also
// looks at some entries in turn, and erases what is too old.
//
// Threads: note() and find() from any, keep() from one.
//
// Crash: what was noted since the last keep() is lost; a power failure may lose some seconds.
class RocksRequestLog final : public RequestLog {
 public:
  // Opens or creates the database. kUnavailable, kDamaged: as UsageStore::open().
  static Result<std::unique_ptr<RocksRequestLog>> open(const std::filesystem::path& directory,
                                                       const RocksMemory& memory);
  ~RocksRequestLog() override;

  void note(const std::string& owner, LoggedRequest request) override;
  Result<std::vector<LoggedRequest>> find(const std::string& owner, const Filter& filter,
                                          Timestamp now) override;

  // kUnavailable: it could not be written. What was noted is lost: it is not worth the memory.
  Status keep(Timestamp now);

 private:
  struct Database;
  using Noted = std::unordered_map<std::string, std::deque<LoggedRequest>>;

  explicit RocksRequestLog(std::unique_ptr<Database> database);

  const std::unique_ptr<Database> database_;
  std::mutex noting_;  // guards noted_
  Noted noted_;
  std::mutex storing_;  // guards what follows; taken before noting_
  std::string looked_until_;
};

}  // namespace tilth
