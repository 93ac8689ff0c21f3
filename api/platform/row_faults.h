// Handles requests whose rows cannot be read.

#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "api/http/exchange.h"
#include "api/http/refusal.h"
#include "projections/rows/unreadable_rows.h"

namespace tilth {

// Threads: any.
class RowFaults {
 public:
  // Faults the projection if it owns the rows.
  using Owner = std::function<void(const UnreadableRows&)>;

  explicit RowFaults(std::vector<Owner> owners = {}) : owners_(std::move(owners)) {}

  void report(const UnreadableRows& rows) const {
    for (const auto& owner : owners_) owner(rows);
  }

  // Runs work that computes a response from rows, on any thread: if the rows cannot be read, sends
  // 503 and reports them.
  template <class Work>
  void guard(std::shared_ptr<Exchange> exchange, Work&& work) const {
    try {
      std::forward<Work>(work)();
    } catch (const UnreadableRows& rows) {
      report(rows);
      exchange->answer(rows_unreadable());
    }
  }

 private:
  const std::vector<Owner> owners_;
};

}  // namespace tilth
