#include "app/node/node_backup.h"

#include <utility>

#include "infra/embedded/log_check.h"
#include "infra/usage/session_store.h"

namespace tilth {
namespace {

BackedUp copy_of(const OwnerKeys& keys) {
  return {kOwnerKeys, [&keys](const auto& path) { return keys.copy_to(path); }};
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

}  // namespace

Result<BackupMade> NodeBackup::back_up(const BackupRequest& request) {
  if (request.owner_keys != OwnerKeysInBackup::kIncluded && !parts_.logs.owner_keys) {
    return Error{ErrorCode::kConflict, "The log is not sealed, and has no owners' keys."};
  }
  std::vector<ArchivedFile> archived;
  const auto all = contents(request, archived);
  if (!all) return all.error();
  const auto bytes = tilth::back_up(request.directory, *all);
  if (!bytes) return bytes.error();
  if (request.owner_keys != OwnerKeysInBackup::kAlone) parts_.on_made();
  BackupMade made{.directory = request.directory, .bytes = *bytes};
  if (!archived.empty()) made.archive = archived.back().path.parent_path();
  return made;
}

// In this order: rows before the log, so that the log reaches at least as far as they do; keys
// after the log, so that all that it needs is there.
Result<std::vector<BackedUp>> NodeBackup::contents(const BackupRequest& request,
                                                   std::vector<ArchivedFile>& archived) const {
  const auto& logs = parts_.logs;
  const std::filesystem::path to = request.directory;
  std::vector<BackedUp> all;
  if (request.owner_keys != OwnerKeysInBackup::kAlone) {
    all = parts_.rows();
    all.push_back(copy_of_file(parts_.directory.path() / "views" / "log"));
    all.back().name = "views/log";
    if (!logs.shared()) {  // a backup on Kafka is a seed for another node, which counts its own
      all.push_back({"log", [this, &archived, &request](const auto& path) {
                       return copy_log(path, request.with_archive, archived);
                     }});
      all.push_back({"usage", [this](const auto& path) {
                       return parts_.logs.owner_keys ? copy_without_sessions(parts_.usage, path)
                                                     : parts_.usage.copy_to(path);
                     }});
    }
  }
  if (logs.owner_keys && request.owner_keys != OwnerKeysInBackup::kLeftOut) {
    const auto remembered = logs.owner_keys->remember_copy(to / kOwnerKeys);
    if (!remembered) return remembered.error();
    all.push_back(copy_of(*logs.owner_keys));
  }
  if (request.owner_keys != OwnerKeysInBackup::kAlone) {
    for (const auto& file : parts_.directory.moving_files()) all.push_back(copy_of_file(file));
  }
  return all;
}

// `archived` gets what is left where it is.
Status NodeBackup::copy_log(const std::filesystem::path& to, bool with_archive,
                            std::vector<ArchivedFile>& archived) const {
  const auto& log = *parts_.logs.embedded;
  if (const auto copied = parts_.logs.embedded->copy_to(to); !copied) return copied;
  const auto files = archived_files_of(to);
  if (!files) return files.error();
  ArchiveInCheck archive{.places = parts_.logs.archives, .read = false};
  if (with_archive && !files->files.empty()) {
    archive = {.places = {to.parent_path() / kArchive}, .read = true};
    std::filesystem::create_directory(archive.places.front());
    for (const auto& file : files->files) {
      const auto from = log.archived().find(file);
      if (!from) return from.error();
      std::filesystem::copy_file(*from, archive.places.front() / file.path.filename());
    }
  } else {
    archived = files->files;
  }
  const auto checked = check_log(to, archive, [this](auto...) { return parts_.goes_on(); });
  return checked ? Status(kDone) : Status(checked.error());
}

}  // namespace tilth
