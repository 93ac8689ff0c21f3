// The figures of the overview for operators, of which Trends keeps the last hour.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>

#include "api/operator/trends.h"
#include "infra/metrics/service_watch.h"

namespace tilth {

// Threads: any.
class OverviewFigures {
 public:
  // The free space of the disk of `data` is one of them.
  explicit OverviewFigures(std::filesystem::path data) : data_(std::move(data)) {}

  // A request to the API got a response with that status.
  void answered(int status);

  // As they are now; it may take as long as ServiceWatch::report().
  Figures measure(const ServiceWatch& watch) const;

 private:
  const std::filesystem::path data_;
  std::array<std::atomic<std::uint64_t>, 6> answers_ = {};  // by their status' hundreds
};

}  // namespace tilth
