#include "events/log/log_end.h"

#include <future>
#include <memory>

namespace tilth {
namespace {

constexpr int kTries = 5;  // a log on Kafka takes two seconds for each

}  // namespace

Result<std::int64_t> end_of(EventLog& log, int partition) {
  const auto told = std::make_shared<std::promise<Result<std::int64_t>>>();
  log.end(partition, [told](const Result<std::int64_t>& end) { told->set_value(end); });
  return told->get_future().get();
}

Result<std::vector<Position>> ends_of(EventLog& log) {
  std::vector<Position> ends;
  for (int partition = 0; partition < log.partitions(); ++partition) {
    auto end = end_of(log, partition);
    for (int tries = 1; tries < kTries && !end && end.error().code == ErrorCode::kUnavailable;
         ++tries) {
      end = end_of(log, partition);
    }
    if (!end) return end.error();
    ends.push_back({partition, *end});
  }
  return ends;
}

}  // namespace tilth
