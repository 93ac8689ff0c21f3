#include "tests/simulation/simulated_topic.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "events/log/event_record.h"

namespace tilth::testing {

// Readers get the event as the stored JSON says it, which is decoded once for all of them.
Position SimulatedTopic::store(int partition, Record record) {
  auto& records = partitions_.at(static_cast<std::size_t>(partition));
  const Position position{partition, std::ssize(records)};
  record.event.reset();
  if (auto event = read_event(record)) record.event = std::move(*event);
  records.push_back({position, std::make_shared<const Record>(std::move(record))});
  return position;
}

void SimulatedTopic::lose_last(int partition, std::uint64_t records) {
  auto& all = partitions_.at(static_cast<std::size_t>(partition));
  all.resize(all.size() - std::min<std::size_t>(all.size(), records));
}

}  // namespace tilth::testing
