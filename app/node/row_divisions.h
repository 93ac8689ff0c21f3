// Removes the rows of a projection that were divided among another number of cells.

#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace tilth {

struct RemovedRows {
  bool any = false;
  std::vector<std::pair<std::filesystem::path, std::error_code>> left;  // and why
};

// `titles`: the names of the projection's cells now, which are those of their folders in `views`.
// If a folder has another name, or one is missing that should be there unless nodes divide the land
// (`divided`), the folders that are named as now hold rows of another division, too, and go with
// it. They stay if nothing else could be removed: an earlier start may have done that, and if not,
// they are folded again since their fingerprint names the division.
RemovedRows remove_other_divisions(
    const std::filesystem::path& views, const std::string& projection,
    const std::vector<std::string>& titles, bool divided,
    const std::function<std::error_code(const std::filesystem::path&)>& remove);

}  // namespace tilth
