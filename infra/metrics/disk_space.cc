#include "infra/metrics/disk_space.h"

#include <system_error>

namespace tilth {

void report_disk_space(const std::filesystem::path& directory, Samples& to) {
  std::error_code failed;
  const auto space = std::filesystem::space(directory, failed);
  if (failed) return;
  to.gauge("tilth_disk_free_bytes", "Space that the service may use on the disk of its data.", {},
           static_cast<double>(space.available));
  to.gauge("tilth_disk_size_bytes", "The size of that disk.", {},
           static_cast<double>(space.capacity));
}

}  // namespace tilth
