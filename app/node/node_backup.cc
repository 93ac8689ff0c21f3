#include "app/node/node_backup.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "infra/embedded/log_check.h"
#include "infra/node/backup_series.h"
#include "infra/system/directory_contents.h"
#include "infra/usage/session_store.h"

namespace tilth {
namespace {

BackedUp copy_of(OwnerKeys& keys, const std::filesystem::path& backup) {
  return {kOwnerKeys, [&keys, there = backup / kOwnerKeys](const auto& path) {
            return keys.copy_to(path, there);
          }};
}

// Sessions name browsers and addresses of persons, which could not be erased from a backup.
Status copy_without_sessions(const UsageStore& usage, const std::filesystem::path& to) {
  auto aside = to;
  aside += "-with-sessions";
  if (const auto copied = usage.copy_to(aside); !copied) return copied;
  {
    const RocksMemory memory{1 << 20, 1 << 20};
    const auto copy = UsageStore::open(aside, memory);
    if (!copy) return copy.error();
    KeptSessions sessions(**copy);
    std::vector<std::string> digests;
    const auto read = sessions.read(
        [&](const std::string& digest, const Session&) { digests.push_back(digest); });
    if (!read) return read;
    for (const auto& digest : digests) {
      if (const auto forgotten = sessions.forget(digest); !forgotten) return forgotten;
    }
    if (const auto compacted = (*copy)->compact(); !compacted) return compacted;
    if (const auto copied = (*copy)->copy_to(to); !copied) return copied;
  }
  std::filesystem::remove_all(aside);
  return kDone;
}

// Where those files are, as a part of a sentence: "/archive, /mnt/older and the store".
std::string places_of(const std::vector<ArchivedFile>& archived, const LogArchive& archive) {
  std::vector<std::string> places;
  const auto add = [&places](std::string place) {
    if (std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
  };
  bool in_store = false;
  for (const auto& file : archived) {
    const auto place = archive.place(file);
    const bool only_stored = !place.is_local && file.stored;
    in_store = in_store || only_stored;
    if (!only_stored) add(place.path.parent_path().string());
  }
  if (in_store) add("the store");
  std::string all;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i > 0) all += i + 1 == places.size() ? " and " : ", ";
    all += places[i];
  }
  return all;
}

}  // namespace

NodeBackup::NodeBackup(Parts parts) : parts_(std::move(parts)) {
  std::error_code ignored;
  std::filesystem::remove_all(parts_.aside, ignored);  // a kill may have left it
}

Result<BackupMade> NodeBackup::back_up(const BackupRequest& request) {
  if (request.owner_keys != OwnerKeysInBackup::kIncluded && !parts_.logs.owner_keys) {
    return Error{ErrorCode::kConflict, "The log is not sealed, and has no owners' keys."};
  }
  if (parts_.directory.uses(request.directory)) {
    return Error{ErrorCode::kInvalid,
                 "The service keeps its own files there, and removes others at a start: choose "
                 "another directory."};
  }
  std::vector<ArchivedFile> archived;
  auto made = [&]() -> Result<BackupMade> {
    if (request.keep) return add_to(request, archived);
    const auto all = contents(request, request.directory, archived);
    if (!all) return all.error();
    const auto bytes = tilth::back_up(request.directory, *all);
    if (!bytes) return bytes.error();
    return BackupMade{.directory = request.directory, .bytes = *bytes, .copied = *bytes};
  }();
  if (!made) return made;
  if (request.owner_keys != OwnerKeysInBackup::kAlone) parts_.on_made();
  if (!archived.empty() && !request.with_archive) {
    made->archive = places_of(archived, parts_.logs.embedded->archived());
  }
  return made;
}

Result<BackupMade> NodeBackup::add_to(const BackupRequest& request,
                                      std::vector<ArchivedFile>& archived) {
  const std::lock_guard one_at_a_time(sharing_);
  const std::filesystem::path series = request.directory;
  const auto to = backup_of(series, parts_.clock.now());
  if (const auto there = backups_in(series); !there.empty() && there.back() >= to) {
    return Error{ErrorCode::kConflict,
                 "The backup " + there.back().string() + " is of a later time than it is now."};
  }
  const auto all = contents(request, to, archived);
  if (!all) return all.error();
  const auto shared = back_up_sharing(to, parts_.aside, *all);
  if (!shared) return shared.error();
  BackupMade made{.directory = to, .bytes = shared->bytes, .copied = shared->copied};
  const auto kept = remove_old_backups(series, static_cast<std::size_t>(*request.keep));
  if (!kept) {
    made.left = kept.error().message;
    parts_.log_lines.warn("Old backups cannot be removed.", {{"reason", made.left}});
  }
  return made;
}

// In this order: rows before the log, so that the log reaches at least as far as they do; keys
// after the log, so that all that it needs is there.
Result<std::vector<BackedUp>> NodeBackup::contents(const BackupRequest& request,
                                                   const std::filesystem::path& to,
                                                   std::vector<ArchivedFile>& archived) const {
  const auto& logs = parts_.logs;
  std::vector<BackedUp> all;
  if (request.owner_keys != OwnerKeysInBackup::kAlone) {
    all = parts_.rows();
    all.push_back(copy_of_file(parts_.directory.path() / "views" / "log"));
    all.back().name = "views/log";
    if (!logs.shared()) {  // a backup on Kafka is a seed for another node, which counts its own
      archived = logs.embedded->archived().files().files;
      const bool may_change = !request.with_archive;
      all.push_back({"log", [this, &archived, may_change](const auto& path) {
                       return copy_log(path, archived, may_change);
                     }});
      for (const auto& file : archived) {
        if (!request.with_archive) break;
        all.push_back({std::filesystem::path(kArchive) / file.path.filename(),
                       [this, file](const auto& path) { return copy_archived(file, path); }});
      }
      all.push_back({"usage", [this](const auto& path) {
                       return parts_.logs.owner_keys ? copy_without_sessions(parts_.usage, path)
                                                     : parts_.usage.copy_to(path);
                     }});
    }
  }
  if (logs.owner_keys && request.owner_keys != OwnerKeysInBackup::kLeftOut) {
    all.push_back(copy_of(*logs.owner_keys, to));
  }
  if (request.owner_keys != OwnerKeysInBackup::kAlone) {
    for (const auto& file : parts_.directory.moving_files()) all.push_back(copy_of_file(file));
  }
  return all;
}

// `archived` are those that the backup contains or needs.
Status NodeBackup::copy_log(const std::filesystem::path& to, std::vector<ArchivedFile>& archived,
                            bool may_change) const {
  if (const auto copied = parts_.logs.embedded->copy_to(to); !copied) return copied;
  const auto files = archived_files_of(to);
  if (!files) return files.error();
  if (may_change) archived = files->files;
  if (files->files != archived) {
    return Error{ErrorCode::kUnavailable, "Records were archived meanwhile: back up again."};
  }
  const ArchiveInCheck archive{.places = parts_.logs.archives, .read = false};
  const auto checked = check_log(to, archive, [this](auto...) { return parts_.goes_on(); });
  return checked ? Status(kDone) : Status(checked.error());
}

Status NodeBackup::copy_archived(const ArchivedFile& file, const std::filesystem::path& to) const {
  if (!parts_.goes_on()) return Error{ErrorCode::kUnavailable, "The service ends."};
  const auto from = parts_.logs.embedded->archived().fetch(file);
  if (!from) return from.error();
  std::error_code failed;
  std::filesystem::copy_file(*from, to, failed);
  if (failed) {
    return Error{ErrorCode::kUnavailable,
                 from->string() + " cannot be copied: " + failed.message() + "."};
  }
  const auto hash = hash_of_file(to);
  if (!hash) return hash.error();
  if (*hash == file.hash) return kDone;
  return Error{ErrorCode::kDamaged, "The archived file " + from->string() + " is damaged."};
}

}  // namespace tilth
