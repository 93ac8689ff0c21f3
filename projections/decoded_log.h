// Reads a part of the log ahead of who folds it, on threads of its own, and decodes the events
// there: most of what folding costs.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "events/catalogue.h"
#include "events/event_log.h"

namespace tilth {

// A record, and its event where somebody follows its stream.
struct DecodedRecord {
  LoggedRecord logged;
  std::optional<Result<Event>> event = {};
};

// Operation: as many threads as there are processors share the partitions; each reads its own in
// order. They are never more than some pages ahead.
//
// Threads: next() and the destructor belong to one.
class DecodedLog {
 public:
  using Follows = std::function<bool(std::string_view stream)>;

  // From `from` up to and without `ends`, partition by partition in the same order. `log` must
  // outlive it.
  DecodedLog(EventLog& log, const std::vector<Position>& from, const std::vector<Position>& ends,
             Follows follows);
  ~DecodedLog();

  // The next records, those of each partition in its order; empty at the end. Errors: those of
  // LogReader::next(), after which there is nothing more.
  Result<std::vector<DecodedRecord>> next();

 private:
  void read(const std::stop_token& stop, const std::vector<Position>& from,
            const std::vector<Position>& ends);
  bool hand_over(const std::stop_token& stop, Result<std::vector<DecodedRecord>> page);

  EventLog& log_;
  const Follows follows_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::deque<Result<std::vector<DecodedRecord>>> pages_;
  std::size_t readers_ = 0;
  std::vector<std::jthread> threads_;
};

}  // namespace tilth
