#include "infra/metrics/footprint.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <locale>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

namespace tilth {
namespace {

// The numbers of /proc/self/stat, at the positions that proc(5) lists. The second field, the
// program's name, may contain blanks.
std::vector<double> stat_members() {
  std::ifstream file("/proc/self/stat");
  const std::string line(std::istreambuf_iterator<char>(file), {});
  const auto name_end = line.rfind(')');
  if (name_end == line.npos) return {};
  std::istringstream rest(line.substr(name_end + 1));
  rest.imbue(std::locale::classic());
  std::string state;
  rest >> state;
  std::vector<double> members(4, 0);
  for (double number = 0; rest >> number;) members.push_back(number);
  return members;
}

// When the machine booted, in seconds since 1970.
std::optional<double> boot_time() {
  std::ifstream file("/proc/stat");
  std::string name;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    double seconds = 0;
    if (words >> name >> seconds && name == "btime") return seconds;
  }
  return std::nullopt;
}

double open_files() {
  std::error_code failed;
  const std::filesystem::directory_iterator files("/proc/self/fd", failed);
  if (failed) return 0;
  // The iterator itself has one open.
  return static_cast<double>(std::distance(begin(files), end(files)) - 1);
}

double most_files() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<double>(limit.rlim_cur) : 0;
}

}  // namespace

std::optional<Footprint> footprint() {
  const auto stat = stat_members();
  static const auto booted = boot_time();
  if (stat.size() < 25 || !booted) return std::nullopt;
  static const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  static const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  return Footprint{.cpu_seconds = (stat[14] + stat[15]) / ticks,
                   .start_time_seconds = *booted + stat[22] / ticks,
                   .resident_bytes = stat[24] * page,
                   .virtual_bytes = stat[23],
                   .threads = stat[20],
                   .open_files = open_files(),
                   .most_files = most_files()};
}

}  // namespace tilth
