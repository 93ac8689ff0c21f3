#include "app/node/node_work.h"

#include <algorithm>
#include <string>
#include <thread>

#include "api/platform/thread_name.h"
#include "infra/system/thread_priority.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr auto kTimeToEnd = 3s;  // less than the drain of the server

int processors() { return std::max(2, static_cast<int>(std::thread::hardware_concurrency())); }

FairExecutor::Limits for_requests() {
  const int slots = processors();
  return {.slots = slots, .slots_per_owner = std::max(1, slots / 2)};
}

FairExecutor::Limits for_as_of() {
  return {.slots = 2, .begun = 4, .begun_per_owner = 1, .waiting = 64, .waiting_per_owner = 16};
}

FairExecutor::Limits for_passwords() {
  return {.slots = 2, .begun = 2, .begun_per_owner = 1, .waiting = 100, .waiting_per_owner = 25};
}

// Its work waits for another service.
FairExecutor::Limits for_provider() {
  return {.slots = 4, .begun = 4, .begun_per_owner = 1, .waiting = 100, .waiting_per_owner = 25};
}

FairExecutor::Environment at_low_priority(const std::string& name) {
  return {.on_thread = [name] { name_thread(name), lower_thread_priority(); }};
}

}  // namespace

NodeWork::NodeWork()
    : requests_(for_requests(), at_low_priority("requests")),
      as_of_(for_as_of(), at_low_priority("as of")),
      passwords_(for_passwords(), at_low_priority("passwords")),
      provider_(for_provider(), {.on_thread = [] { name_thread("provider"); }}),
      streams_(std::make_unique<StreamedResponses>(requests_)) {}

void NodeWork::report(Samples& to) const {
  std::array<FairExecutor::Counts, FairExecutor::kKinds> all{};
  for (const auto* executor : {&requests_, &as_of_, &passwords_, &provider_}) {
    const auto counts = executor->counts();
    for (std::size_t i = 0; i < all.size(); ++i) all.at(i).add(counts.at(i));
  }
  for (const auto& [kind, name] : labels(WorkKind{})) {
    const auto& counts = all.at(static_cast<std::size_t>(kind));
    const MetricLabels of_kind{{"kind", std::string(name)}};
    const auto number = [](auto count) { return static_cast<double>(count); };
    to.gauge("tilth_work_waiting", "Expensive work that has not begun.", of_kind,
             number(counts.waiting));
    to.gauge("tilth_work_running", "Expensive work that has begun.", of_kind,
             number(counts.running));
    to.counter("tilth_work_completed_total", "Expensive work that has ended.", of_kind,
               number(counts.completed));
    to.counter("tilth_work_refused_total", "Expensive work that was too much.", of_kind,
               number(counts.refused));
    to.counter("tilth_work_cpu_seconds_total", "CPU time of expensive work.", of_kind,
               std::chrono::duration<double>(counts.cpu).count());
    for (const auto& [end, reason] : labels(EarlyEnd{})) {
      to.counter("tilth_work_cancelled_total", "Expensive work that ended early, by its reason.",
                 {{"kind", std::string(name)}, {"reason", std::string(reason)}},
                 number(counts.ended_early.at(static_cast<std::size_t>(end))));
    }
  }
}

void NodeWork::close() {
  for (auto* executor : {&requests_, &as_of_, &passwords_, &provider_}) executor->close(kTimeToEnd);
}

void NodeWork::stop() {
  for (auto* executor : {&requests_, &as_of_, &passwords_, &provider_}) executor->stop();
  streams_.reset();
}

}  // namespace tilth
