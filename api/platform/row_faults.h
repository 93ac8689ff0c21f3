// What becomes of a request whose rows cannot be read.

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
  // Faults the projection if the rows are its own.
  using Owner = std::function<void(const UnreadableRows&)>;

  explicit RowFaults(std::vector<Owner> owners = {}) : owners_(std::move(owners)) {}

  void report(const UnreadableRows& rows) const {
    for (const auto& owner : owners_) owner(rows);
  }

  // Runs what computes an answer from rows, on whichever thread: rows that cannot be read are
  // answered 503 and reported.
  template <class Work>
  void guard(std::shared_ptr<Exchange> exchange, Work&& work) const {
    try {
      std::forward<Work>(work)();
    } catch (const UnreadableRows& rows) {
      report(rows);
      exchange->answer(unreadable());
    }
  }

 private:
  const std::vector<Owner> owners_;
};

}  // namespace tilth
