// How much memory this process may use at all.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace tilth {

// Bytes: the machine's memory, or the lowest limit of the process's control groups.
std::uint64_t machine_memory();

// The lowest limit of the control groups of versions 1 and 2 that `groups`, the text of
// /proc/self/cgroup, names, with their files below `root`; UINT64_MAX if there is none.
std::uint64_t group_memory_limit(std::string_view groups, const std::filesystem::path& root);

}  // namespace tilth
