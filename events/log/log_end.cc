#include "events/log/log_end.h"

#include <future>
#include <memory>
#include <optional>
#include <utility>

namespace tilth {
namespace {

constexpr int kTries = 5;  // a log on Kafka takes two seconds for each

std::future<Result<std::int64_t>> ask(EventLog& log, int partition) {
  const auto promise = std::make_shared<std::promise<Result<std::int64_t>>>();
  log.end(partition, [promise](const Result<std::int64_t>& end) { promise->set_value(end); });
  return promise->get_future();
}

}  // namespace

Result<std::int64_t> end_of(EventLog& log, int partition) { return ask(log, partition).get(); }

Result<std::vector<Position>> ends_of(EventLog& log) {
  std::vector<int> partitions;
  for (int partition = 0; partition < log.partitions(); ++partition)
    partitions.push_back(partition);
  return ends_of(log, partitions);
}

Result<std::vector<Position>> ends_of(EventLog& log, const std::vector<int>& partitions) {
  std::vector<Position> ends;
  for (const int partition : partitions) ends.push_back({partition, 0});
  std::vector<Position*> unknown;
  for (auto& end : ends) unknown.push_back(&end);
  for (int tries = 1;; ++tries) {
    std::vector<std::future<Result<std::int64_t>>> asked;
    for (const auto* end : unknown) asked.push_back(ask(log, end->partition));
    std::vector<Position*> unavailable;
    std::optional<Error> why;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const auto end = asked[i].get();
      if (end) {
        unknown[i]->offset = *end;
        continue;
      }
      if (end.error().code != ErrorCode::kUnavailable) return end.error();
      unavailable.push_back(unknown[i]);
      why = end.error();
    }
    if (!why) return ends;
    if (tries == kTries) return *why;
    unknown = std::move(unavailable);
  }
}

}  // namespace tilth
