// The memory that clients can make the node hold: its budgets, and their metrics.

#pragma once

#include <cstdint>
#include <memory>

#include "infra/config/config.h"
#include "infra/http/memory_budget.h"
#include "infra/metrics/metrics.h"

namespace tilth {

// Threads: any, once it is constructed.
class ClientMemory {
 public:
  explicit ClientMemory(const Config& config);

  std::shared_ptr<const MemoryBudgets> of(Listener listener) const;
  void report(Samples& to) const;

 private:
  const std::uint64_t limit_;  // of the process
  const std::shared_ptr<const MemoryBudgets> api_, operators_;
};

}  // namespace tilth
