#include "infra/embedded/log_check.h"

#include <memory>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "infra/embedded/database.h"
#include "infra/embedded/log_archive.h"
#include "infra/embedded/owner_key_files.h"
#include "infra/embedded/wal_scan.h"

namespace tilth {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPage = 4'096;

Error damaged(const std::string& why) {
  return {ErrorCode::kDamaged, "The event log is damaged: " + why + "."};
}

// Otherwise the check would read what the kernel remembers, and not what the disk has.
void drop_cached_pages(const fs::path& directory) {
  for (const auto& entry : fs::directory_iterator(directory)) {
    const int file = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;  // opening the log reports it
    ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    ::close(file);
  }
}

Status check_write_ahead_logs(const fs::path& directory) {
  const auto found = scan_wals(directory);
  if (!found) return found.error();
  if (!found->gaps.empty()) {
    const auto& gap = found->gaps.front();
    return damaged("the records from offset " + std::to_string(gap.first) + " to " +
                   std::to_string(gap.last) + " are missing after byte " +
                   std::to_string(gap.position) + " of " + gap.file.string());
  }
  if (found->torn.empty()) return kDone;
  const auto& tail = found->torn.front();
  return damaged("the last " + std::to_string(tail.torn) + " bytes of " + tail.file.string() +
                 " are not a whole record");
}

Status check_versions(const RecordDatabase& database) {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  options.total_order_seek = true;  // those in memory are in the order of their hashes
  const std::unique_ptr<rocksdb::Iterator> at(database->NewIterator(options, database.versions()));
  at->SeekToFirst();
  while (at->Valid()) at->Next();
  if (at->status().ok()) return kDone;
  return damaged("the versions of its streams cannot be read: " + at->status().ToString());
}

Result<std::unique_ptr<RecordDatabase>> open_to_read(
    const fs::path& directory, const std::shared_ptr<OwnerKeyFiles>& keys = nullptr) {
  RecordStoreOptions options;
  options.keys = keys;
  auto database = RecordDatabase::open(directory, options, RecordDatabase::For::kReading);
  if (database) return database;
  if (database.error().code == ErrorCode::kDamaged) return damaged(database.error().message);
  return Error{ErrorCode::kUnavailable,
               "The event log cannot be opened: " + database.error().message + "."};
}

Error ended() { return {ErrorCode::kUnavailable, "The check of the event log was ended."}; }

Status check_archive(const ArchivedFiles& files, std::int64_t end, const ArchiveInCheck& how,
                     const LogCheckGoesOn& goes_on) {
  LogArchive archive(how.places, nullptr);
  archive.set(files);
  if (!how.read) return archive.look();
  return archive.check([&](std::int64_t checked) { return goes_on(checked, end); });
}

Result<std::int64_t> check(const fs::path& directory, const ArchiveInCheck& archive,
                           const LogCheckGoesOn& goes_on) try {
  drop_cached_pages(directory);
  if (const auto whole = check_write_ahead_logs(directory); !whole) return whole.error();
  const auto database = open_to_read(directory);
  if (!database) return database.error();
  const auto end = (*database)->end();
  if (!end) return damaged(end.error().message);
  const auto& archived = (*database)->archived();
  if (const auto sound = check_archive(archived, *end, archive, goes_on); !sound) {
    return sound.error();
  }
  for (std::int64_t offset = archived.end(); offset < *end;) {
    const auto page = (*database)->page(offset, *end, kPage);
    if (!page) return page.error();
    offset += std::ssize(*page);
    if (!goes_on(offset, *end)) return ended();
  }
  if (const auto versions = check_versions(**database); !versions) return versions.error();
  return *end;
} catch (const fs::filesystem_error& failed) {
  return Error{ErrorCode::kUnavailable,
               std::string("The event log cannot be read: ") + failed.what() + "."};
}

// Files are named as in the log, since the copy that was checked is not there for long.
std::string without(const std::string& directory, std::string message) {
  for (auto at = message.find(directory); at != message.npos; at = message.find(directory, at)) {
    message.erase(at, directory.size());
  }
  return message;
}

}  // namespace

Result<bool> is_log_sealed(const fs::path& directory) {
  const auto database = open_to_read(directory);
  if (!database) return database.error();
  return (*database)->is_sealed().value_or(false);
}

Status check_owner_keys(const fs::path& directory, const fs::path& owner_keys,
                        const ArchiveInCheck& archive, const LogCheckGoesOn& goes_on) {
  auto opened = OwnerKeyFiles::open(owner_keys);
  if (!opened) return opened.error();
  const std::shared_ptr<OwnerKeyFiles> keys = std::move(*opened);
  const auto database = open_to_read(directory, keys);
  if (!database) return database.error();
  const auto end = (*database)->end();
  if (!end) return damaged(end.error().message);
  LogArchive archived(archive.places, keys);
  archived.set((*database)->archived());
  for (std::int64_t offset = 0; offset < *end;) {
    const auto page = offset < archived.end() ? archived.page(offset, *end, kPage)
                                              : (*database)->page(offset, *end, kPage);
    if (!page) {
      const auto from = owner_keys.parent_path().string() + "/";
      return Error{page.error().code, without(from, page.error().message)};
    }
    offset += std::ssize(*page);
    if (!goes_on(offset, *end)) return ended();
  }
  return kDone;
}

Result<ArchivedFiles> archived_files_of(const fs::path& directory) {
  const auto database = open_to_read(directory);
  if (!database) return database.error();
  return (*database)->archived();
}

Result<std::int64_t> check_log(const fs::path& directory, const ArchiveInCheck& archive,
                               const LogCheckGoesOn& goes_on) {
  auto checked = check(directory, archive, goes_on);
  if (checked) return checked;
  return Error{checked.error().code, without(directory.string() + "/", checked.error().message)};
}

}  // namespace tilth
