#include "infra/node/backup.h"

#include <algorithm>
#include <array>
#include <fstream>
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
constexpr std::string_view kRestoringText = "tilth restore\n";  // tells it from anybody's file

Error unavailable(const fs::path& path, const std::string& what, const std::string& why) {
  return {ErrorCode::kUnavailable, path.string() + " " + what + ": " + why + "."};
}

// Of this version or another.
constexpr std::string_view kMarkBegin = "tilth backup ";
bool is_mark(std::string_view text) { return text.starts_with(kMarkBegin); }

// Null: there is none, or something else has its name.
Result<std::optional<std::string>> read_mark(const fs::path& directory) {
  std::error_code failed;
  const bool may_hold_one = fs::is_directory(directory, failed);
  if (!may_hold_one || fs::is_directory(directory / kMark, failed)) {
    return std::optional<std::string>();
  }
  return read_whole_file(directory / kMark);
}

// The backup that holds `path`, which need not exist. Empty: none does.
fs::path backup_above(const fs::path& path) {
  std::error_code failed;
  auto at = fs::weakly_canonical(path, failed);
  if (failed) at = fs::absolute(path);
  if (!at.has_filename()) at = at.parent_path();
  while (at.has_relative_path()) {
    at = at.parent_path();
    // The file may be of somebody else, and large.
    if (!fs::is_regular_file(at / kMark, failed)) continue;
    std::array<char, kMarkBegin.size()> begin{};
    std::ifstream(at / kMark, std::ios::binary).read(begin.data(), begin.size());
    if (is_mark({begin.data(), begin.size()})) return at;
  }
  return {};
}

bool is_note(const fs::path& file) {
  const auto name = file.filename().string();
  return name.ends_with(OwnerKeyFiles::kNoteEnding) ||
         name.ends_with(std::string(OwnerKeyFiles::kNoteEnding).append(kUnfinishedEnding));
}

// Whether an erasure has changed that file of a backup, or is just changing it: it destroys an
// owner's key in each backup, also in one that is being made, and leaves a note there.
bool may_be_erased(const fs::path& directory, const fs::path& file) {
  if (file.parent_path() != kOwnerKeys) return false;
  if (file.extension() != OwnerKeyFiles::kKeyEnding) return is_note(file);
  auto note = directory / file;
  std::error_code failed;
  return fs::exists(note.replace_extension(OwnerKeyFiles::kNoteEnding), failed);
}

// Syncs every file and name below `directory`; returns the size of the files in bytes.
Result<std::uintmax_t> sync_tree(const fs::path& directory) {
  std::uintmax_t bytes = 0;
  std::error_code gone;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    const auto synced =
        entry.is_directory() ? sync_directory(entry.path()) : sync_file(entry.path());
    if (!synced && fs::exists(entry.path(), gone)) return synced.error();
    if (!synced && !may_be_erased(directory, entry.path().lexically_relative(directory))) {
      return synced.error();
    }
    if (synced && entry.is_regular_file(gone)) {
      const auto size = entry.file_size(gone);
      if (!gone) bytes += size;
    }
  }
  if (const auto synced = sync_directory(directory); !synced) return synced.error();
  return bytes;
}

// The directory that holds `path`, as the kernel finds it: `..` behind a symbolic link leads
// elsewhere than the text says.
fs::path above(const fs::path& path) { return fs::absolute(path).parent_path(); }

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
    const auto durable = sync_directory(above(named));
    return durable ? bytes : Result<std::uintmax_t>(durable.error());
  }
  static_cast<void>(OwnerKeyFiles::wipe_all(partial / kOwnerKeys));
  std::error_code ignored;
  fs::remove_all(partial, ignored);
  return bytes;
} catch (const fs::filesystem_error& failed) {
  return unavailable(directory, "cannot be made", failed.code().message());
}

// The lines of contents_of() that must be the same.
std::string without_erased(std::string_view contents, const fs::path& directory) {
  std::string kept;
  while (!contents.empty()) {
    const auto line = contents.substr(0, contents.find('\n'));
    contents.remove_prefix(std::min(line.size() + 1, contents.size()));
    if (may_be_erased(directory, line.substr(line.find(' ') + 1))) continue;
    kept.append(line).append(1, '\n');
  }
  return kept;
}

// What is in a directory that may be restored to: nothing, the rest of an earlier try, and what the
// root of a new file system has.
bool is_as_good_as_empty(const fs::path& directory) {
  constexpr std::string_view kRoot = "lost+found";
  const auto mark = directory / kRestoring;
  if (fs::is_regular_file(mark)) {
    const auto text = read_whole_file(mark);
    return text && *text && **text == kRestoringText;
  }
  const auto unfinished = std::string(kRestoring).append(kUnfinishedEnding);
  return std::all_of(fs::directory_iterator(directory), fs::directory_iterator(),
                     [&](const auto& entry) {
                       const auto name = entry.path().filename();
                       return name == kRoot || (name == unfinished && entry.is_regular_file());
                     });
}

void empty_out(const fs::path& directory) {
  for (const auto& entry : fs::directory_iterator(directory)) {
    const auto name = entry.path().filename();
    if (name == "lost+found" || name == kRestoring) continue;
    static_cast<void>(OwnerKeyFiles::wipe_all(entry.path() / kOwnerKeys));
    if (name == kOwnerKeys) static_cast<void>(OwnerKeyFiles::wipe_all(entry.path()));
    fs::remove_all(entry.path());
  }
}

// Fills a directory that is_as_good_as_empty(). The content lies one level below until it is whole.
Status fill_in_place(const fs::path& directory,
                     const std::function<Status(const fs::path& partial)>& fill) try {
  fs::permissions(directory, fs::perms::owner_all);
  const auto restoring = directory / kRestoring;
  const auto marked = write_whole_file(restoring, kRestoringText, 0600);
  if (!marked) return marked;
  empty_out(directory);
  const auto partial = partial_of(directory / "content");
  fs::create_directory(partial);
  fs::permissions(partial, fs::perms::owner_all);
  if (const auto filled = fill(partial); !filled) return filled;
  if (const auto synced = sync_tree(partial); !synced) return synced.error();
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

// As make_whole(), where the directory itself cannot be renamed.
Status make_in_place(const fs::path& directory,
                     const std::function<Status(const fs::path& partial)>& fill) try {
  const auto made = make_directories(directory);
  if (!made) return made.error();
  if (!is_as_good_as_empty(directory)) {
    return Error{ErrorCode::kConflict, directory.string() + " is not empty."};
  }
  const auto filled = fill_in_place(directory, fill);
  if (filled) return filled;
  try {
    empty_out(directory);
    // Else a crash could leave some of it without its mark.
    if (sync_directory(directory)) fs::remove(directory / kRestoring);
    for (const auto& each : *made) fs::remove(each);
  } catch (const fs::filesystem_error&) {  // the mark is still there, and another try goes on
  }
  return filled;
} catch (const fs::filesystem_error& failed) {
  return unavailable(directory, "cannot be made", failed.code().message());
}

void copy_tree(const fs::path& from, const fs::path& to, const CopyProgress& on_progress) {
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
      on_progress(copied += entry.file_size(), total);
    }
  }
}

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
  // With another file in it, that one could not be restored any more.
  if (const auto holder = backup_above(directory); !holder.empty()) {
    return Error{ErrorCode::kConflict,
                 holder.string() + " is a backup itself: name the directory that holds backups."};
  }
  return make_whole(directory, [&](const fs::path& partial) -> Status {
    for (const auto& part : parts) {
      const auto to = partial / part.name;
      fs::create_directories(to.parent_path());
      if (const auto copied = part.copy_to(to); !copied) return copied.error();
    }
    const auto contents =
        contents_of(partial, [&](const fs::path& file) { return may_be_erased(partial, file); });
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

Status remove_backup(const fs::path& directory) try {
  const auto keys = directory / kOwnerKeys;
  if (fs::exists(keys)) {
    for (const auto& entry : fs::directory_iterator(keys)) {
      // A copy that somebody has made of links stays whole.
      if (entry.hard_link_count() > 1) fs::remove(entry.path());
    }
  }
  if (const auto wiped = OwnerKeyFiles::wipe_all(keys); !wiped) return wiped;
  fs::remove_all(directory);
  return kDone;
} catch (const fs::filesystem_error& failed) {
  return unavailable(directory, "cannot be removed", failed.code().message());
}

Status restore(const fs::path& directory, const fs::path& fresh, const CopyProgress& on_progress,
               const RestoredCheck& check, bool into_empty) {
  const auto mark = read_mark(directory);
  if (!mark) return mark.error();
  if (!*mark || !(*mark)->starts_with(kForm)) {
    return Error{ErrorCode::kNotFound, directory.string() + " is no backup of Tilth."};
  }
  if (!path_within(directory, fresh).empty()) {  // which would be copied into itself
    return Error{ErrorCode::kConflict, fresh.string() + " is within the backup."};
  }
  if (const auto holder = backup_above(fresh); !holder.empty()) {
    return Error{ErrorCode::kConflict,
                 fresh.string() + " is within the backup " + holder.string() + "."};
  }
  const auto fill = [&](const fs::path& partial) -> Status {
    copy_tree(directory, partial, on_progress);
    fs::remove(partial / kMark);
    const auto copied = contents_of(partial);
    if (!copied) return copied.error();
    const auto differs =
        difference_of(without_erased(std::string_view(**mark).substr(kForm.size()), partial),
                      without_erased(*copied, partial));
    if (differs) {
      return Error{ErrorCode::kDamaged, "The backup " + directory.string() + " is damaged: " +
                                            *differs + " is not as it was written."};
    }
    return check(partial);
  };
  if (into_empty) return make_in_place(fresh, fill);
  const auto made = make_whole(fresh, fill);
  return made ? Status(kDone) : Status(made.error());
}

}  // namespace tilth
