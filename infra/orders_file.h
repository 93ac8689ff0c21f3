// Keeps what operators ordered of the projections: the file `projections` of the data directory.

#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "events/result.h"
#include "projections/standing_orders.h"

namespace tilth {

// It lies beside the read models and not among them: those are disposable, and what was skipped is
// told for ever. Threads: any. Crash: an order that keep() has returned from holds.
class OrdersFile {
 public:
  explicit OrdersFile(std::filesystem::path path) : path_(std::move(path)) {}

  // kDamaged, kUnavailable: the file cannot be read; the message names it.
  Status open();

  StandingOrders of(const std::string& projection) const;

  // kUnavailable: they are not kept, and the former ones hold.
  Status keep(const std::string& projection, const StandingOrders& orders);

 private:
  const std::filesystem::path path_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::string, StandingOrders> by_projection_;
};

}  // namespace tilth
