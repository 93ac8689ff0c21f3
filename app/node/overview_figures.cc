#include "app/node/overview_figures.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

#include "infra/metrics/footprint.h"
#include "infra/metrics/metrics.h"

namespace tilth {
namespace {

class OfInterest final : public Samples {
 public:
  explicit OfInterest(Figures& figures) : figures_(figures) {}
  void gauge(std::string_view name, std::string_view, MetricLabels labels, double value) override {
    const auto of = labels.empty() ? std::string() : labels.front().second;
    if (name == "tilth_projection_lag_events") figures_[{"lagEvents", of}] = value;
    if (name == "tilth_projection_lag_seconds") figures_[{"lagSeconds", of}] = value;
    if (name == "tilth_log_end_offset") figures_[{"logEnd", ""}] += value;
    if (name == "tilth_commands_waiting") figures_[{"commandsWaiting", of}] = value;
  }
  void counter(std::string_view, std::string_view, MetricLabels, double) override {}

 private:
  Figures& figures_;
};

}  // namespace

void OverviewFigures::answered(int status) {
  ++answers_.at(std::clamp<std::size_t>(static_cast<std::size_t>(status / 100), 0, 5));
}

Figures OverviewFigures::measure(const ServiceWatch& watch) const {
  Figures figures;
  OfInterest samples(figures);
  watch.report(samples);
  for (std::size_t hundreds = 2; hundreds < answers_.size(); ++hundreds) {
    figures[{"requests", std::to_string(hundreds) + "xx"}] =
        static_cast<double>(answers_.at(hundreds));
  }
  if (const auto found = footprint()) {
    figures[{"memoryBytes", ""}] = found->resident_bytes;
    figures[{"cpuSeconds", ""}] = found->cpu_seconds;
    figures[{"openFiles", ""}] = found->open_files;
    figures[{"mostFiles", ""}] = found->most_files;
  }
  std::error_code unknown;
  const auto disk = std::filesystem::space(data_, unknown);
  if (!unknown) {
    figures[{"diskBytes", ""}] = static_cast<double>(disk.capacity);
    figures[{"diskFreeBytes", ""}] = static_cast<double>(disk.available);
  }
  return figures;
}

}  // namespace tilth
