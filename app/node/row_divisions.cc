#include "app/node/row_divisions.h"

#include <algorithm>
#include <span>

namespace tilth {
namespace {

namespace fs = std::filesystem;

// The folders of a projection's cells: "registry", or "registry.0" and so on.
std::vector<fs::path> folders_of(const fs::path& views, const std::string& projection) {
  std::error_code ignored;
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(views, ignored)) {
    const auto name = entry.path().filename().string();
    const bool of_cell = name.starts_with(projection + '.') &&
                         name.size() > projection.size() + 1 &&
                         name.find_first_not_of("0123456789", projection.size() + 1) == name.npos;
    if (name == projection || of_cell) folders.push_back(entry.path());
  }
  return folders;
}

}  // namespace

RemovedRows remove_other_divisions(const fs::path& views, const std::string& projection,
                                   const std::vector<std::string>& titles, bool divided,
                                   const std::function<std::error_code(const fs::path&)>& remove) {
  auto folders = folders_of(views, projection);
  const auto others = std::ranges::partition(folders, [&](const fs::path& folder) {
    return std::ranges::find(titles, folder.filename().string()) != titles.end();
  });
  const std::span named_as_now(folders.begin(), others.begin());
  RemovedRows removed;
  const auto remove_all = [&](const auto& some) {
    for (const auto& folder : some) {
      const auto failed = remove(folder);
      if (failed) removed.left.emplace_back(folder, failed);
      removed.any = removed.any || !failed;
    }
  };
  remove_all(others);
  const bool one_is_missing =
      !divided && !named_as_now.empty() && named_as_now.size() != titles.size();
  if (removed.any || one_is_missing) remove_all(named_as_now);
  return removed;
}

}  // namespace tilth
