#include "events/log_end.h"

#include <future>
#include <memory>

namespace tilth {

Result<std::int64_t> end_of(EventLog& log, int partition) {
  const auto told = std::make_shared<std::promise<Result<std::int64_t>>>();
  log.end(partition, [told](const Result<std::int64_t>& end) { told->set_value(end); });
  return told->get_future().get();
}

Result<std::vector<Position>> ends_of(EventLog& log) {
  std::vector<Position> ends;
  for (int partition = 0; partition < log.partitions(); ++partition) {
    const auto end = end_of(log, partition);
    if (!end) return end.error();
    ends.push_back({partition, *end});
  }
  return ends;
}

}  // namespace tilth
