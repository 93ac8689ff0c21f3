// Puts together the owners' keys of two directories, such as those of two backups.

#pragma once

#include <filesystem>

#include "events/values/result.h"

namespace tilth {

// Moves what is in `from` to `to`, which are directories of OwnerKeyFiles that nothing else uses.
// An owner whose key is destroyed in one of them has none afterwards. The keys in `from` are
// overwritten and removed, also if this fails.
//
//   kDamaged      an owner has another key there; the message names its file.
//   kUnavailable  a disk error. What was added before stays.
Status join_owner_keys(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace tilth
