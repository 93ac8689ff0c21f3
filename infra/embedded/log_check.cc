#include "infra/embedded/log_check.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "events/log/personal_members.h"
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
  if (const auto whole = check_gaps(directory, {}, *found); !whole) {
    return whole.error().code == ErrorCode::kDamaged ? damaged(whole.error().message)
                                                     : whole.error();
  }
  const auto torn =
      std::ranges::find_if(found->tails, [](const auto& tail) { return tail.torn > 0; });
  if (torn == found->tails.end()) return kDone;
  return damaged("the last " + std::to_string(torn->torn) + " bytes of " + torn->file.string() +
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

using Keys = std::shared_ptr<OwnerKeyFiles>;

// Null: none are given.
Result<Keys> open_keys(const ArchiveInCheck& archive) {
  if (archive.owner_keys.empty()) return Keys();
  auto opened = OwnerKeyFiles::open(archive.owner_keys);
  return opened ? Result<Keys>(Keys(std::move(*opened))) : Result<Keys>(opened.error());
}

Status check_archive(const ArchivedFiles& files, std::int64_t end, const ArchiveInCheck& how,
                     const Keys& keys, const LogCheckGoesOn& goes_on) {
  LogArchive archive(how.places, keys);
  archive.set(files);
  if (!how.read) return archive.look();
  return archive.check(how.fetches, [&](std::int64_t checked) { return goes_on(checked, end); });
}

Result<std::int64_t> check(const fs::path& directory, const ArchiveInCheck& archive,
                           const LogCheckGoesOn& goes_on) try {
  drop_cached_pages(directory);
  if (const auto whole = check_write_ahead_logs(directory); !whole) return whole.error();
  const auto keys = open_keys(archive);
  if (!keys) return keys.error();
  const auto database = open_to_read(directory, *keys);
  if (!database) return database.error();
  const auto end = (*database)->end();
  if (!end) return damaged(end.error().message);
  const auto& archived = (*database)->archived();
  if (const auto sound = check_archive(archived, *end, archive, *keys, goes_on); !sound) {
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
  const auto sealed = (*database)->is_sealed();
  if (!sealed) return sealed.error();
  return sealed->value_or(false);
}

Result<std::vector<OwnerWithoutKey>> owners_without_keys(const fs::path& directory,
                                                         const ArchiveInCheck& archive,
                                                         const LogCheckGoesOn& goes_on) {
  const auto keys = open_keys(archive);
  if (!keys) return keys.error();
  const auto opening = open_to_read(directory, *keys), sealed = open_to_read(directory);
  if (!opening) return opening.error();
  if (!sealed) return sealed.error();
  const auto end = (*opening)->end();
  if (!end) return damaged(end.error().message);
  LogArchive opening_archive(archive.places, *keys), sealed_archive(archive.places, nullptr);
  opening_archive.set((*opening)->archived());
  sealed_archive.set((*opening)->archived());
  std::map<std::string, OwnerWithoutKey> found;
  for (std::int64_t offset = 0; offset < *end;) {
    const bool is_archived = offset < opening_archive.end();
    const auto page = is_archived ? opening_archive.page(offset, *end, kPage)
                                  : (*opening)->page(offset, *end, kPage);
    if (page) {
      offset += std::ssize(*page);
    } else if (page.error().code != ErrorCode::kDamaged) {
      return page.error();
    } else {
      const auto one = is_archived ? sealed_archive.page(offset, offset + 1, 1)
                                   : (*sealed)->page(offset, offset + 1, 1);
      if (!one) return one.error();
      const auto& record = *one->front().record;
      auto owner = owner_of(record.stream, record.json);
      auto& its = found.try_emplace(owner, OwnerWithoutKey{owner, 0, offset, offset}).first->second;
      ++its.records;
      its.last = offset++;
    }
    if (!goes_on(offset, *end)) return ended();
  }
  std::vector<OwnerWithoutKey> all;
  for (auto& [owner, its] : found) all.push_back(std::move(its));
  return all;
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
  auto message = without(directory.string() + "/", checked.error().message);
  if (!archive.owner_keys.empty()) {
    message = without(archive.owner_keys.parent_path().string() + "/", std::move(message));
  }
  return Error{checked.error().code, std::move(message)};
}

}  // namespace tilth
