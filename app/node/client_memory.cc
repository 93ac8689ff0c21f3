#include "app/node/client_memory.h"

#include <algorithm>
#include <string_view>

#include "api/platform/batches.h"
#include "infra/system/machine_memory.h"

namespace tilth {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kLeast = 16 * kMiB;      // of a budget
constexpr std::size_t kMostOfOne = 64 * kMiB;  // of an account
constexpr std::size_t kOperatorBody = 256 * kMiB;

std::uint64_t limit_of(const Config& config) {
  return config.limits.memory > 0 ? static_cast<std::uint64_t>(config.limits.memory)
                                  : machine_memory() / 2;
}

std::shared_ptr<MemoryBudget> budget(std::size_t bytes, std::size_t of_one) {
  return std::make_shared<MemoryBudget>(MemoryBudget::Limits{bytes, of_one});
}

// One account may hold a quarter, so that a few clients do not refuse memory to the others.
std::shared_ptr<const MemoryBudgets> for_api(std::uint64_t limit, std::size_t max_body) {
  const auto bodies = std::max({limit / 32, kLeast, 4 * max_body});
  const auto answers = std::max(limit / 32, kLeast);
  const auto streams = std::max(limit / 64, kLeast);
  return std::make_shared<const MemoryBudgets>(MemoryBudgets{
      budget(bodies, std::max({std::min(bodies / 4, kMostOfOne), max_body, Batches::kMostBody})),
      budget(answers, std::min(answers / 4, kMostOfOne)), budget(streams, streams)});
}

// Operators are few and trusted, but their bodies are large.
std::shared_ptr<const MemoryBudgets> for_operators(std::uint64_t limit) {
  const auto bodies = std::max(limit / 8, kOperatorBody);
  return std::make_shared<const MemoryBudgets>(MemoryBudgets{
      budget(bodies, bodies), budget(bodies, bodies), budget(limit / 64 + kLeast, SIZE_MAX)});
}

void report_budget(Samples& to, std::string_view listener, std::string_view name,
                   const MemoryBudget& budget) {
  const MetricLabels labels{{"budget", std::string(name)}, {"listener", std::string(listener)}};
  to.gauge("tilth_memory_budget_used_bytes", "Bytes that clients make the service hold.", labels,
           static_cast<double>(budget.used()));
  to.gauge("tilth_memory_budget_limit_bytes", "Bytes that clients may make the service hold.",
           labels, static_cast<double>(budget.limit()));
  to.counter("tilth_memory_budget_refusals_total",
             "How often a budget had no room: for all clients, or for that one.", labels,
             static_cast<double>(budget.refusals()));
}

}  // namespace

ClientMemory::ClientMemory(const Config& config)
    : limit_(limit_of(config)),
      api_(for_api(limit_, static_cast<std::size_t>(config.limits.max_body_bytes))),
      operators_(for_operators(limit_)) {}

std::shared_ptr<const MemoryBudgets> ClientMemory::of(Listener listener) const {
  return listener == Listener::kApi ? api_ : operators_;
}

void ClientMemory::report(Samples& to) const {
  to.gauge("tilth_memory_limit_bytes", "Memory that the process is meant to use.", {},
           static_cast<double>(limit_));
  for (const auto& [name, budgets] : {std::pair("api", api_), std::pair("operator", operators_)}) {
    report_budget(to, name, "bodies", *budgets->bodies);
    report_budget(to, name, "answers", *budgets->answers);
    report_budget(to, name, "streams", *budgets->streams);
  }
}

}  // namespace tilth
