#include "infra/embedded/owner_key_join.h"

#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "infra/embedded/owner_key_files.h"
#include "infra/system/whole_file.h"

namespace tilth {
namespace {

namespace fs = std::filesystem;

// Both are whole, or the file is not there.
struct Contents {
  std::optional<std::string> added, kept;
};

Result<Contents> contents_of(const fs::path& file, const fs::path& there) {
  auto added = read_whole_file(file), kept = read_whole_file(there);
  if (!added) return added.error();
  if (!kept) return kept.error();
  return Contents{std::move(*added), std::move(*kept)};
}

Status add_note_or_list(const fs::path& file, const fs::path& to) {
  const auto there = to / file.filename();
  const auto found = contents_of(file, there);
  if (!found) return found.error();
  const bool is_list = file.filename() == OwnerKeyFiles::kCopies;
  if (found->kept && !is_list) return kDone;
  return write_whole_file(there, found->kept.value_or("") + found->added.value_or(""), 0600);
}

Status add_key(const fs::path& file, const fs::path& to) {
  const auto there = to / file.filename();
  auto note = there;
  std::error_code ignored;
  if (fs::exists(note.replace_extension(OwnerKeyFiles::kNoteEnding), ignored)) return kDone;
  const auto found = contents_of(file, there);
  if (!found) return found.error();
  if (!found->kept) return write_whole_file(there, found->added.value_or(""), 0600);
  if (found->kept == found->added) return kDone;
  return Error{ErrorCode::kDamaged,
               "The owner's key " + file.filename().string() +
                   " is not the same in both backups: they are of different services."};
}

Status add_all(const fs::path& from, const fs::path& to) {
  std::vector<fs::path> keys, others;
  std::error_code failed;
  for (fs::directory_iterator at(from, failed), end; !failed && at != end; at.increment(failed)) {
    (at->path().extension() == OwnerKeyFiles::kKeyEnding ? keys : others).push_back(at->path());
  }
  if (failed) {
    return Error{ErrorCode::kUnavailable,
                 from.string() + " cannot be read: " + failed.message() + "."};
  }
  // The notes first: the key of who has one is not added.
  for (const auto& file : others) {
    if (const auto added = add_note_or_list(file, to); !added) return added;
  }
  for (const auto& file : keys) {
    if (const auto added = add_key(file, to); !added) return added;
  }
  // Which removes the keys that have a note now.
  const auto joined = OwnerKeyFiles::open(to);
  return joined ? Status(kDone) : Status(joined.error());
}

}  // namespace

Status join_owner_keys(const fs::path& from, const fs::path& to) {
  const auto added = add_all(from, to);
  const auto wiped = OwnerKeyFiles::wipe_all(from);
  return added ? wiped : added;
}

}  // namespace tilth
