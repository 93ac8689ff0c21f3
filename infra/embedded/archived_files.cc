#include "infra/embedded/archived_files.h"

#include <sstream>

namespace tilth {
namespace {

constexpr std::string_view kOpen = "tilth archive 2", kSealed = "tilth archive 2 sealed";
constexpr std::string_view kFormer = "tilth archive 1";  // which knew of no store
constexpr std::string_view kHere = "here", kStored = "stored";

Error damaged() { return {ErrorCode::kDamaged, "the list of its archived files is not whole"}; }

}  // namespace

std::string ArchivedFiles::text() const {
  std::string lines(sealed ? kSealed : kOpen);
  lines += '\n';
  for (const auto& file : files) {
    lines += std::to_string(file.first) + ' ' + std::to_string(file.end) + ' ' +
             std::to_string(file.bytes) + ' ' + file.hash + ' ';
    lines.append(file.stored ? kStored : kHere) += ' ' + file.path.string() + '\n';
  }
  return lines;
}

Result<ArchivedFiles> ArchivedFiles::parse(std::string_view text) {
  ArchivedFiles found;
  std::istringstream lines{std::string(text)};
  std::string line;
  if (!text.ends_with('\n') || !std::getline(lines, line)) return damaged();
  const bool is_former = line.starts_with(kFormer);
  if (is_former) line.replace(0, kFormer.size(), kOpen);
  if (line != kOpen && line != kSealed) return damaged();
  found.sealed = line == kSealed;
  while (std::getline(lines, line)) {
    std::istringstream members(line);
    ArchivedFile file;
    std::string where(kHere), path;
    members >> file.first >> file.end >> file.bytes >> file.hash;
    if (!is_former) members >> where;
    if (!members || (where != kHere && where != kStored) || members.get() != ' ' ||
        !std::getline(members, path) || path.empty()) {
      return damaged();
    }
    if (file.first != found.end() || file.end <= file.first) return damaged();
    file.path = path;
    file.stored = where == kStored;
    found.files.push_back(std::move(file));
  }
  return found;
}

}  // namespace tilth
