#include "infra/embedded/archived_files.h"

#include <sstream>

namespace tilth {
namespace {

constexpr std::string_view kOpen = "tilth archive 1", kSealed = "tilth archive 1 sealed";

Error damaged() { return {ErrorCode::kDamaged, "the list of its archived files is not whole"}; }

}  // namespace

std::string ArchivedFiles::text() const {
  std::string lines(sealed ? kSealed : kOpen);
  lines += '\n';
  for (const auto& file : files) {
    lines += std::to_string(file.first) + ' ' + std::to_string(file.end) + ' ' +
             std::to_string(file.bytes) + ' ' + file.hash + ' ' + file.path.string() + '\n';
  }
  return lines;
}

Result<ArchivedFiles> ArchivedFiles::parse(std::string_view text) {
  ArchivedFiles found;
  std::istringstream lines{std::string(text)};
  std::string line;
  if (!std::getline(lines, line) || (line != kOpen && line != kSealed)) return damaged();
  found.sealed = line == kSealed;
  while (std::getline(lines, line)) {
    std::istringstream members(line);
    ArchivedFile file;
    std::string path;
    members >> file.first >> file.end >> file.bytes >> file.hash;
    if (!members || members.get() != ' ' || !std::getline(members, path) || path.empty()) {
      return damaged();
    }
    if (file.first != found.end() || file.end <= file.first) return damaged();
    file.path = path;
    found.files.push_back(std::move(file));
  }
  return found;
}

}  // namespace tilth
