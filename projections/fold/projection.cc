#include "projections/fold/projection.h"

#include <algorithm>
#include <numeric>

#include "events/access/audit.h"
#include "events/log/event_log.h"
#include "events/log/streams.h"
#include "projections/fold/row_list.h"
#include "projections/market/market.h"
#include "projections/work/overdue.h"

namespace tilth {
namespace {

// Whether this is an owner's stream or the reference stream.
bool is_land(std::string_view stream) {
  return stream.starts_with("user_") || stream == kReferenceStream;
}

// A reader that needs a change waits until it is folded, so lingering delays no reader.
constexpr std::chrono::milliseconds kLinger{2};

Projection projection(std::string_view name, int fold_version) {
  const auto* handlers = &handlers_of(name);
  return {.name = std::string(name),
          .fingerprint = fingerprint_of(name, fold_version),
          .follows = is_land,
          .evolve = [handlers](MutableRows& rows, const Event& event) {
            handlers->handle(rows, event);
          }};
}

}  // namespace

std::vector<int> Projection::partitions_of(const EventLog& log) const {
  if (!partitions.empty()) return partitions;
  std::vector<int> all(static_cast<std::size_t>(log.partitions()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

bool Projection::reads(int partition) const {
  return partitions.empty() || std::ranges::find(partitions, partition) != partitions.end();
}

Projection registry() {
  auto registry = projection("registry", 11);
  registry.age = age;
  registry.decides = true;
  return registry;
}

Projection finance() {
  auto finance = projection("finance", 10);
  finance.ignored = handlers_of("finance").ignored();
  finance.linger = kLinger;
  return finance;
}

Projection market() {
  auto market = projection("market", 6);
  market.age = age_market;
  market.of_all = kMarketStream;
  market.ignored = handlers_of("market").ignored();
  market.linger = kLinger;
  return market;
}

Projection access() {
  auto access = projection("access", 6);
  access.streams = {kAccessStream, kAuditStream};
  access.follows = [streams = access.streams](std::string_view stream) {
    return std::ranges::find(streams, stream) != streams.end();
  };
  access.decides = true;
  access.linger = kLinger;
  return access;
}

}  // namespace tilth
