// How much space the disk has that holds a directory.

#pragma once

#include <filesystem>

#include "infra/metrics/metrics.h"

namespace tilth {

// Reports it, or nothing if the disk does not answer.
void report_disk_space(const std::filesystem::path& directory, Samples& to);

}  // namespace tilth
