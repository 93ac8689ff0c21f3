#include "infra/node/backup_series.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "infra/embedded/owner_key_files.h"
#include "infra/system/directory_contents.h"
#include "infra/system/whole_file.h"

namespace tilth {
namespace {

namespace fs = std::filesystem;

// "2026-03-01T06-30-00.000Z": an instant without colons, which other programs do not like in names.
std::string name_of(Timestamp at) {
  auto name = at.text();
  std::replace(name.begin(), name.end(), ':', '-');
  return name;
}

bool is_name(std::string name) {
  constexpr std::size_t kTime = 11;
  if (name.size() < kTime) return false;
  std::replace(name.begin() + kTime, name.end(), '-', ':');
  const auto at = Timestamp::parse(name);
  return at && at->text() == name;
}

Error unavailable(const fs::path& path, const std::string& what) {
  return {ErrorCode::kUnavailable, path.string() + " " + what + "."};
}

// Makes its content durable, so that it can be read back from the disk and not from memory.
Status flush(const fs::path& path) {
  auto synced = sync_file(path);
  drop_cached_pages(path);
  return synced;
}

// Puts `from` at `to`: as a link to `earlier` if that has the same content. Returns the bytes that
// were copied.
Result<std::uintmax_t> share_file(const fs::path& from, const fs::path& to,
                                  const fs::path& earlier) {
  const auto hash = hash_of_file(from);
  if (!hash) return hash.error();
  std::error_code failed;
  if (earlier.is_absolute() && fs::exists(earlier, failed) &&
      fs::file_size(earlier) == fs::file_size(from)) {
    if (const auto flushed = flush(earlier); !flushed) return flushed.error();
    const auto there = hash_of_file(earlier);
    if (there && *there == *hash) {
      fs::create_hard_link(earlier, to, failed);
      if (!failed) return std::uintmax_t{0};  // else the file system has no links
    }
  }
  fs::copy_file(from, to);
  if (const auto flushed = flush(to); !flushed) return flushed.error();
  const auto written = hash_of_file(to);
  if (!written) return written.error();
  if (*written != *hash) return unavailable(to, "is not what was written to it");
  return fs::file_size(to);
}

Result<std::uintmax_t> share_tree(const fs::path& from, const fs::path& to,
                                  const fs::path& earlier) {
  if (!fs::is_directory(from)) return share_file(from, to, earlier);
  std::uintmax_t copied = 0;
  fs::create_directory(to, from);
  for (const auto& entry : fs::recursive_directory_iterator(from)) {
    const auto name = entry.path().lexically_relative(from);
    if (entry.is_directory()) {
      fs::create_directory(to / name, entry.path());
      continue;
    }
    const auto shared = share_file(entry.path(), to / name, earlier / name);
    if (!shared) return shared;
    copied += *shared;
  }
  return copied;
}

}  // namespace

std::vector<fs::path> backups_in(const fs::path& series) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (fs::directory_iterator at(series, failed), end; !failed && at != end; at.increment(failed)) {
    if (is_name(at->path().filename()) && is_backup(at->path())) found.push_back(at->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

fs::path backup_of(const fs::path& series, Timestamp at) { return series / name_of(at); }

Result<SharingBackup> back_up_sharing(const fs::path& directory, const fs::path& aside,
                                      const std::vector<BackedUp>& parts) {
  const auto there = backups_in(directory.parent_path());
  const auto earlier = there.empty() ? fs::path() : fs::absolute(there.back());
  SharingBackup made;
  auto sharing = parts;
  for (auto& part : sharing) {
    if (part.name == kOwnerKeys) continue;
    part.copy_to = [&made, &aside, &earlier, name = part.name,
                    copy_to = part.copy_to](const fs::path& to) -> Status {
      const auto staged = aside / name;
      fs::create_directories(staged.parent_path());
      if (const auto copied = copy_to(staged); !copied) return copied;
      const auto shared = share_tree(staged, to, earlier / name);
      fs::remove_all(staged);
      if (!shared) return shared.error();
      made.copied += *shared;
      return kDone;
    };
  }
  std::error_code ignored;
  fs::create_directory(aside, ignored);
  fs::permissions(aside, fs::perms::owner_all, ignored);
  const auto bytes = back_up(directory, sharing);
  fs::remove_all(aside, ignored);
  if (!bytes) return bytes.error();
  made.bytes = *bytes;
  return made;
}

Status remove_old_backups(const fs::path& series, std::size_t keep) try {
  constexpr std::string_view kPartial = ".partial-";
  std::vector<fs::path> old = backups_in(series);
  old.resize(old.size() - std::min(old.size(), keep));
  // Without its mark, the rest of one is none.
  for (const auto& backup : old) {
    if (const auto unmarked = unmark_backup(backup); !unmarked) return unmarked;
  }
  for (const auto& entry : fs::directory_iterator(series)) {
    const auto name = entry.path().filename().string();
    const bool is_ours = is_name(name.substr(0, name.find(kPartial)));
    if (!is_ours || !entry.is_directory()) continue;
    const auto marked = is_marked(entry.path());
    if (!marked) return marked.error();
    if (!*marked) old.push_back(entry.path());
  }
  for (const auto& rest : old) {
    if (const auto removed = remove_backup(rest); !removed) return removed;
  }
  return kDone;
} catch (const fs::filesystem_error& failed) {
  return unavailable(series, "still holds an old backup: " + failed.code().message());
}

}  // namespace tilth
