#include "infra/node/backup.h"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "infra/embedded/owner_key_files.h"
#include "infra/system/directory_contents.h"
#include "infra/system/path_within.h"
#include "infra/system/random.h"
#include "infra/system/whole_file.h"

namespace tilth {
namespace {

namespace fs = std::filesystem;

// Written last: a directory without it is not a backup. Holds kForm, then contents_of() all other
// files.
constexpr std::string_view kMark = "backup";
constexpr std::string_view kForm = "tilth backup 2\n";

Error unavailable(const fs::path& path, const std::string& what, const std::string& why) {
  return {ErrorCode::kUnavailable, path.string() + " " + what + ": " + why + "."};
}

// Of this version or another.
bool is_mark(std::string_view text) { return text.starts_with("tilth backup "); }

// Null: there is none, or something else has its name.
Result<std::optional<std::string>> read_mark(const fs::path& directory) {
  std::error_code failed;
  const bool may_hold_one = fs::is_directory(directory, failed);
  if (!may_hold_one || fs::is_directory(directory / kMark, failed)) {
    return std::optional<std::string>();
  }
  return read_whole_file(directory / kMark);
}

// Syncs every file and name below `directory`; returns the size of the files in bytes.
Result<std::uintmax_t> sync_tree(const fs::path& directory) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    const auto synced =
        entry.is_directory() ? sync_directory(entry.path()) : sync_file(entry.path());
    if (!synced) return synced.error();
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  if (const auto synced = sync_directory(directory); !synced) return synced.error();
  return bytes;
}

fs::path above(const fs::path& path) { return fs::absolute(path / "..").lexically_normal(); }

Status may_be_made(const fs::path& directory) {
  std::error_code failed;
  const auto there = fs::symlink_status(directory, failed);
  if (failed == std::errc::filename_too_long) {
    return Error{ErrorCode::kInvalid, directory.string() + " has a name that is too long."};
  }
  if (fs::exists(there)) {
    return Error{ErrorCode::kConflict, directory.string() + " exists already."};
  }
  if (!fs::is_directory(above(directory))) {
    return Error{ErrorCode::kInvalid, "There is no directory " + above(directory).string() + "."};
  }
  return kDone;
}

// A unique path next to `directory`.
fs::path partial_of(const fs::path& directory) {
  std::uint64_t number = 0;
  fill_random(reinterpret_cast<std::uint8_t*>(&number), sizeof number);
  auto path = above(directory) / directory.filename();
  return path += ".partial-" + std::to_string(number);
}

// `fill` writes the content to a temporary directory, which is then renamed. Returns its size in
// bytes.
Result<std::uintmax_t> make_whole(const fs::path& directory,
                                  const std::function<Status(const fs::path& partial)>& fill) try {
  auto named = directory;
  if (!named.has_filename()) named = named.parent_path();  // "backups/monday/"
  if (const auto may = may_be_made(named); !may) return may.error();
  const auto partial = partial_of(named);
  fs::create_directory(partial);
  fs::permissions(partial, fs::perms::owner_all);
  const auto filled = [&]() -> Result<std::uintmax_t> {
    if (const auto done = fill(partial); !done) return done.error();
    const auto bytes = sync_tree(partial);
    if (bytes) fs::rename(partial, named);
    return bytes;
  };
  Result<std::uintmax_t> bytes = std::uintmax_t{0};
  try {
    bytes = filled();
  } catch (const fs::filesystem_error& failed) {
    bytes = unavailable(named, "cannot be made", failed.code().message());
  }
  if (bytes) {
    const auto durable = sync_name_of(named);
    return durable ? bytes : Result<std::uintmax_t>(durable.error());
  }
  std::error_code ignored;
  fs::remove_all(partial, ignored);
  return bytes;
} catch (const fs::filesystem_error& failed) {
  return unavailable(directory, "cannot be made", failed.code().message());
}

// The lines of contents_of() that must be the same: an erasure destroys an owner's key in a backup,
// too, and leaves a note there.
std::string without_destroyed_keys(std::string_view contents, const fs::path& directory) {
  constexpr std::string_view kKey = ".key", kNote = ".destroyed";
  std::string kept;
  while (!contents.empty()) {
    const auto line = contents.substr(0, contents.find('\n'));
    contents.remove_prefix(std::min(line.size() + 1, contents.size()));
    const fs::path file(line.substr(line.find(' ') + 1));
    const bool is_in_keys = file.parent_path() == kOwnerKeys;
    auto note = directory / file;
    note.replace_extension(kNote);
    if (is_in_keys && file.extension() == kNote) continue;
    if (is_in_keys && file.extension() == kKey && fs::exists(note)) continue;
    kept.append(line).append(1, '\n');
  }
  return kept;
}

// What is in a directory that may be restored to: nothing, the rest of an earlier try, which may
// have ended while it wrote kRestoring, and what the root of a new file system has.
bool is_as_good_as_empty(const fs::path& directory) {
  if (fs::exists(directory / kRestoring)) return true;
  return std::all_of(fs::directory_iterator(directory), fs::directory_iterator(),
                     [](const auto& entry) {
                       const auto name = entry.path().filename().string();
                       return name == "lost+found" || name.starts_with(kRestoring);
                     });
}

void empty_out(const fs::path& directory) {
  for (const auto& entry : fs::directory_iterator(directory)) {
    const auto name = entry.path().filename();
    if (name != "lost+found" && name != kRestoring) fs::remove_all(entry.path());
  }
}

// As make_whole(), where the directory itself cannot be renamed. The content lies one level below
// until it is whole.
Status make_in_place(const fs::path& directory,
                     const std::function<Status(const fs::path& partial)>& fill) try {
  if (const auto made = make_directories(directory); !made) return made.error();
  if (!is_as_good_as_empty(directory)) {
    return Error{ErrorCode::kConflict, directory.string() + " is not empty."};
  }
  fs::permissions(directory, fs::perms::owner_all);
  const auto restoring = directory / kRestoring;
  if (const auto marked = write_whole_file(restoring, "", 0600); !marked) return marked;
  empty_out(directory);
  const auto partial = partial_of(directory / "content");
  fs::create_directory(partial);
  fs::permissions(partial, fs::perms::owner_all);
  auto filled = fill(partial);
  if (filled) {
    if (const auto synced = sync_tree(partial); !synced) filled = synced.error();
  }
  if (!filled) {
    empty_out(directory);
    fs::remove(restoring);
    return filled;
  }
  for (const auto& entry : fs::directory_iterator(partial)) {
    fs::rename(entry.path(), directory / entry.path().filename());
  }
  fs::remove(partial);
  if (const auto durable = sync_directory(directory); !durable) return durable;
  fs::remove(restoring);
  return sync_directory(directory);
} catch (const fs::filesystem_error& failed) {
  return unavailable(directory, "cannot be made", failed.code().message());
}

void copy_tree(const fs::path& from, const fs::path& to, const CopyProgress& tell) {
  std::uintmax_t copied = 0, total = 0;
  for (const auto& entry : fs::recursive_directory_iterator(from)) {
    if (entry.is_regular_file()) total += entry.file_size();
  }
  for (const auto& entry : fs::recursive_directory_iterator(from)) {
    const auto there = to / entry.path().lexically_relative(from);
    if (entry.is_directory()) {
      fs::create_directory(there, entry.path());
    } else {
      fs::copy_file(entry.path(), there);
      tell(copied += entry.file_size(), total);
    }
  }
}

// Overwrites the keys of owners in a directory that is removed, unless that stays.
class WipedKeys {
 public:
  explicit WipedKeys(fs::path directory) : directory_(std::move(directory)) {}
  WipedKeys(const WipedKeys&) = delete;
  WipedKeys& operator=(const WipedKeys&) = delete;
  ~WipedKeys() {
    if (!stays_) static_cast<void>(OwnerKeyFiles::wipe_all(directory_));
  }
  void stay() { stays_ = true; }

 private:
  const fs::path directory_;
  bool stays_ = false;
};

}  // namespace

BackedUp copy_of_file(const fs::path& file) {
  return {file.filename(), [file](const fs::path& to) -> Status {
            std::error_code failed;
            fs::copy_file(file, to, failed);
            if (!failed) return kDone;
            return unavailable(file, "cannot be copied", failed.message());
          }};
}

Result<std::uintmax_t> back_up(const fs::path& directory, const std::vector<BackedUp>& parts) {
  const auto holder = above(directory).parent_path();  // without the slash that it ends with
  const auto mark = read_mark(holder);
  if (!mark) return mark.error();
  if (*mark && is_mark(**mark)) {  // with another file in it, it could not be restored any more
    return Error{ErrorCode::kConflict,
                 holder.string() + " is a backup itself: name the directory that holds backups."};
  }
  return make_whole(directory, [&](const fs::path& partial) -> Status {
    for (const auto& part : parts) {
      const auto to = partial / part.name;
      fs::create_directories(to.parent_path());
      if (const auto copied = part.copy_to(to); !copied) return copied.error();
    }
    const auto contents = contents_of(partial);
    if (!contents) return contents.error();
    return write_whole_file(partial / kMark, std::string(kForm) + *contents, 0600);
  });
}

bool is_backup(const fs::path& directory) {
  const auto mark = read_mark(directory);
  return mark && *mark && (*mark)->starts_with(kForm);
}

Result<bool> is_marked(const fs::path& directory) {
  const auto mark = read_whole_file(directory / kMark);
  if (!mark) return mark.error();
  return *mark && is_mark(**mark);
}

Status unmark_backup(const fs::path& directory) {
  std::error_code failed;
  fs::remove(directory / kMark, failed);
  if (failed) return unavailable(directory / kMark, "cannot be removed", failed.message());
  return sync_directory(directory);
}

Status restore(const fs::path& directory, const fs::path& fresh, const CopyProgress& tell,
               const RestoredCheck& check, bool into_empty) {
  const auto mark = read_mark(directory);
  if (!mark) return mark.error();
  if (!*mark || !(*mark)->starts_with(kForm)) {
    return Error{ErrorCode::kNotFound, directory.string() + " is no backup of Tilth."};
  }
  if (!path_within(directory, fresh).empty()) {  // which would be copied into itself
    return Error{ErrorCode::kConflict, fresh.string() + " is within the backup."};
  }
  const auto fill = [&](const fs::path& partial) -> Status {
    WipedKeys keys(partial / kOwnerKeys);
    copy_tree(directory, partial, tell);
    fs::remove(partial / kMark);
    const auto copied = contents_of(partial);
    if (!copied) return copied.error();
    const auto differs = difference_of(
        without_destroyed_keys(std::string_view(**mark).substr(kForm.size()), partial),
        without_destroyed_keys(*copied, partial));
    if (differs) {
      return Error{ErrorCode::kDamaged, "The backup " + directory.string() + " is damaged: " +
                                            *differs + " is not as it was written."};
    }
    auto checked = check(partial);
    if (checked) keys.stay();
    return checked;
  };
  if (into_empty) return make_in_place(fresh, fill);
  const auto made = make_whole(fresh, fill);
  return made ? Status(kDone) : Status(made.error());
}

}  // namespace tilth
