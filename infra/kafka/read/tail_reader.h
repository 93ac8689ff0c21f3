// Follows the topic: at its end with all other followers of this node, before that by itself.
// Before the first next() it has no client: a cell that is not held never reads, and a client
// fetches megabytes ahead.

#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "infra/kafka/read/kafka_tail.h"

namespace tilth {

class TailReader final : public LogReader {
 public:
  using Steady = std::chrono::steady_clock;
  // Opens a client that reads on from there by itself.
  using ReadAlone = std::function<Result<std::unique_ptr<LogReader>>(const std::vector<Position>&)>;

  struct Options {
    // For how long it lets records accumulate before it reads again, unless a caller waits.
    std::chrono::milliseconds linger{0};
  };

  // `tail` must outlive it.
  TailReader(KafkaTail& tail, const std::vector<Position>& next, ReadAlone read_alone,
             Options options);
  ~TailReader() override { tail_.leave(place_); }

  Result<std::vector<LoggedRecord>> next(std::size_t limit,
                                         std::chrono::milliseconds timeout) override;
  void wake() override;
  void prefetch_now(const Position& position) override;
  void skip_to(const Position& position) override;

 private:
  Result<std::vector<LoggedRecord>> next_alone(std::size_t limit,
                                               std::chrono::milliseconds timeout);
  Status go_alone();
  bool is_wanted();

  KafkaTail& tail_;
  const ReadAlone read_alone_;
  const Options options_;
  KafkaTail::Place place_;
  bool joined_;  // the tail, unless it reads alone
  std::map<int, std::pair<std::int64_t, Steady::time_point>> wanted_;  // last offset, valid until
  Steady::time_point looks_again_ = {};
  KafkaTail::Listener listener_;

  std::mutex mutex_;  // guards the replacement of what follows
  std::unique_ptr<LogReader> alone_;
};

}  // namespace tilth
