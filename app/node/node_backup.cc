#include "app/node/node_backup.h"

#include <utility>

#include "infra/embedded/log_check.h"
#include "infra/usage/session_store.h"

namespace tilth {
namespace {

Status copy_sound(EmbeddedEventLog& log, const std::filesystem::path& to,
                  const std::function<bool()>& goes_on) {
  if (const auto copied = log.copy_to(to); !copied) return copied;
  const auto checked = check_log(to, [&](auto...) { return goes_on(); });
  return checked ? Status(kDone) : Status(checked.error());
}

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

// Copies the rows before the log, so that the log reaches at least as far as they do.
Result<std::uintmax_t> back_up_node(const std::filesystem::path& to, std::vector<BackedUp> rows,
                                    const NodeLogs& logs, const UsageStore& usage,
                                    const DataDirectory& directory,
                                    const std::function<bool()>& goes_on, bool with_owner_keys) {
  auto all = std::move(rows);
  all.push_back(copy_of_file(directory.path() / "views" / "log"));
  all.back().name = "views/log";
  if (!logs.shared()) {  // a backup on Kafka is a seed for another node, which counts its own
    all.push_back(
        {"log", [&](const auto& path) { return copy_sound(*logs.embedded, path, goes_on); }});
    all.push_back({"usage", [&usage, sealed = logs.owner_keys != nullptr](const auto& path) {
                     return sealed ? copy_without_sessions(usage, path) : usage.copy_to(path);
                   }});
  }
  if (logs.owner_keys && with_owner_keys) {
    // After the log, so that all that it needs is there; before it, the copy is remembered.
    const auto remembered = logs.owner_keys->remember_copy(to / kOwnerKeys);
    if (!remembered) return remembered.error();
    all.push_back(copy_of(*logs.owner_keys));
  }
  for (const auto& file : directory.moving_files()) all.push_back(copy_of_file(file));
  return back_up(to, all);
}

Result<std::uintmax_t> back_up_owner_keys(const std::filesystem::path& to, OwnerKeys& keys) {
  if (const auto remembered = keys.remember_copy(to / kOwnerKeys); !remembered) {
    return remembered.error();
  }
  return back_up(to, {copy_of(keys)});
}

}  // namespace tilth
