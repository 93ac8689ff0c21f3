#include "app/node/bulk_fill.h"

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace tilth {
namespace {

bool may_fill(const BulkFold::Target& target, const EventLog& log) {
  try {
    return BulkFold::may_fill(target.projection, target.store, log);
  } catch (const UnreadableRows&) {  // folding page by page hits and reports them
    return false;
  }
}

// The other cells of a projection may be filled at the same time, by others.
BulkFold::Limits limits_of(const std::vector<BulkFold::Target>& targets) {
  BulkFold::Limits limits;
  std::size_t bytes = 0;
  for (const auto& target : targets) {
    bytes += limits.most_bytes / static_cast<std::size_t>(target.projection.cells);
  }
  limits.most_bytes = std::min(limits.most_bytes, bytes);
  return limits;
}

}  // namespace

std::vector<std::uint64_t> fill_in_bulk(EventLog& log, LogLines& log_lines,
                                        const std::vector<BulkFill>& fills,
                                        const std::vector<Position>& ends) {
  std::vector<std::uint64_t> filled(fills.size());
  std::vector<BulkFold::Target> targets;
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < fills.size(); ++i) {
    if (!may_fill(fills[i].target, log)) continue;
    targets.push_back(fills[i].target);
    which.push_back(i);
  }
  if (targets.empty()) return filled;
  BulkFold fold(log, targets, ends, limits_of(targets));
  std::atomic<bool> is_ended = false;
  const auto outcomes = fold.run([&] {
    for (std::size_t i = 0; i < which.size(); ++i) {
      if (!fills[which[i]].on_filled(fold.progress(i))) is_ended = true;
    }
    return !is_ended;
  });
  for (std::size_t i = 0; i < which.size(); ++i) {
    if (outcomes[i]) {
      filled[which[i]] = fold.progress(i).folded;
    } else if (!is_ended) {
      log_lines.warn(
          "A projection cannot be folded in bulk; it is folded page by page.",
          {{"projection", targets[i].projection.title()}, {"reason", outcomes[i].error().message}});
    }
  }
  return filled;
}

}  // namespace tilth
