#include "infra/system/machine_memory.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <unistd.h>

namespace tilth {
namespace {

// UINT64_MAX if there is no such file or no number in it: "max" is no limit.
std::uint64_t number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : UINT64_MAX;
}

// A group is limited by every group that it is in.
std::uint64_t lowest_up_to(const std::filesystem::path& top, std::string_view group,
                           const char* file) {
  auto lowest = UINT64_MAX;
  for (std::string path(group);; path.resize(std::min(path.rfind('/'), path.size()))) {
    lowest = std::min(lowest,
                      number_in(top / path.substr(std::min<std::size_t>(1, path.size())) / file));
    if (path.empty() || path.front() != '/') return lowest;
  }
}

}  // namespace

std::uint64_t group_memory_limit(std::string_view groups, const std::filesystem::path& root) {
  auto lowest = UINT64_MAX;
  while (!groups.empty()) {  // "0::/system.slice/tilth.service", "5:memory:/docker/1f2e"
    const auto line = groups.substr(0, groups.find('\n'));
    groups.remove_prefix(std::min(line.size() + 1, groups.size()));
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const auto group = line.substr(second + 1);
    if (controllers.empty()) {
      lowest = std::min(lowest, lowest_up_to(root, group, "memory.max"));
    } else if (controllers == "memory") {
      lowest = std::min(lowest, lowest_up_to(root / "memory", group, "memory.limit_in_bytes"));
    }
  }
  return lowest;
}

std::uint64_t machine_memory() {
  std::ifstream file("/proc/self/cgroup");
  const std::string groups(std::istreambuf_iterator<char>(file), {});
  const auto installed = static_cast<std::uint64_t>(std::max(::sysconf(_SC_PHYS_PAGES), 1L)) *
                         static_cast<std::uint64_t>(std::max(::sysconf(_SC_PAGESIZE), 1L));
  return std::min(installed, group_memory_limit(groups, "/sys/fs/cgroup"));
}

}  // namespace tilth
