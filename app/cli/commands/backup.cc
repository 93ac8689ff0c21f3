#include "infra/node/backup.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "app/cli/commands/commands.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/log_place.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/progress.h"
#include "app/cli/engine/table.h"
#include "infra/config/config.h"
#include "infra/embedded/archive_cache.h"
#include "infra/embedded/archive_command.h"
#include "infra/embedded/log_check.h"
#include "infra/embedded/log_cut.h"
#include "infra/embedded/owner_key_files.h"
#include "infra/embedded/owner_key_join.h"
#include "infra/keys/owner_keys.h"
#include "infra/node/backup_series.h"
#include "infra/node/overrides_file.h"

namespace tilth::cli {
namespace {

ExitStatus back_up_service(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  Json body = object_value();
  const auto directory = std::filesystem::absolute(arguments.at("DIR")).lexically_normal();
  body.add("directory", text_value(directory.string()));
  if (arguments.has("--owner-keys") && arguments.has("--without-owner-keys")) {
    return wrong_usage("--owner-keys and --without-owner-keys exclude each other.");
  }
  if (arguments.has("--owner-keys")) body.add("ownerKeys", text_value("alone"));
  if (arguments.has("--without-owner-keys")) body.add("ownerKeys", text_value("left_out"));
  if (const auto keep = arguments.find("--keep")) {
    body.add("keep", Json{Json::Kind::kNumber, *keep, {}});
  }
  if (arguments.has("--with-archive")) body.add("archive", Json::boolean(true));
  const auto answer = api->send("POST", "backup", &body);
  if (!answer) return failed(answer.error().message);
  const auto* made = answer->find("data");
  if (arguments.has("--json") || made == nullptr) {
    std::cout << to_text(*answer) << '\n';
  } else {
    std::cout << shown(made->find("directory")) << " holds " << shown(made->find("bytes"))
              << " bytes";
    if (arguments.has("--keep"))
      std::cout << ", of which " << shown(made->find("copied")) << " are new";
    std::cout << ".\n";
    if (const auto* needs = made->find("needsArchive");
        needs != nullptr && needs->kind == Json::Kind::kString) {
      std::cout << "It needs the archived records in " << shown(needs) << ".\n";
    }
    if (const auto* left = made->find("left");
        left != nullptr && left->kind == Json::Kind::kString) {
      std::cerr << "Older backups are still there: " << shown(left) << '\n';
    }
  }
  return done();
}

ArchivePlaces archive_places(const std::filesystem::path& restored, const Arguments& arguments) {
  ArchivePlaces places{.directories = {restored / kArchive}};
  if (const auto archive = arguments.find("--archive")) places.directories.emplace_back(*archive);
  if (const auto command = arguments.find("--archive-command")) {
    const auto program = std::filesystem::absolute(*command).lexically_normal();
    const Config::Archive usual;
    places.cache = std::make_shared<ArchiveCache>(
        std::make_shared<ArchiveCommand>(program, usual.timeout),
        ArchiveCache::Options{
            .directory = restored / kArchiveCache,
            .limit_bytes = static_cast<std::uintmax_t>(usual.cache_bytes),
            .log_line = [](std::string_view line) { std::cerr << line << '\n'; }});
  }
  return places;
}

Error of_damaged_log(const Error& error) {
  if (error.code != ErrorCode::kDamaged) return error;
  return {error.code, "The backup is of a damaged log. " + error.message};
}

// What a restore needs to know of the command.
struct Restoring {
  std::filesystem::path directory;
  ArchivePlaces places;
  std::vector<std::string> given_up;  // owners whose keys are lost for good
  Progress& progress;

  std::filesystem::path log() const { return directory / "log"; }
  std::filesystem::path keys() const { return directory / kOwnerKeys; }

  LogCheckGoesOn progress_of(const std::string& what) const {
    return [this, what](std::int64_t reached, std::int64_t total) {
      progress.reach(reached, total, std::to_string(reached) + " records " + what);
      return true;
    };
  }
};

// Without this, a service would start on it as if it were new. A backup on Kafka has no log, but
// rows.
Status check_contents(const std::filesystem::path& backup, const std::filesystem::path& restored) {
  if (std::filesystem::exists(restored / "log") || std::filesystem::exists(restored / "views")) {
    return kDone;
  }
  return Error{ErrorCode::kNotFound, backup.string() +
                                         " holds only the owners' keys: name the backup, and this "
                                         "with --owner-keys."};
}

// A backup by an earlier version may be of a log that was damaged. On Kafka it has none.
Status check_log_of(const Restoring& restoring) {
  if (!std::filesystem::exists(restoring.log())) return kDone;
  const auto checked =
      check_log(restoring.log(), {.places = restoring.places}, restoring.progress_of("checked"));
  if (checked) return kDone;
  const auto error = of_damaged_log(checked.error());
  if (error.code == ErrorCode::kDamaged) return error;
  return Error{error.code, error.message +
                               " If it is elsewhere now, say where: --archive DIR; or, if it is in "
                               "a store, how to get it: --archive-command PROGRAM."};
}

// Adds those of `from` to those that the backup has.
Status restore_owner_keys(const std::optional<std::string>& from,
                          const std::filesystem::path& restored) {
  const auto own = restored / kOwnerKeys;
  if (!from) {
    if (std::filesystem::exists(own)) return kDone;
    const auto sealed = std::filesystem::exists(restored / "log") ? is_log_sealed(restored / "log")
                                                                  : Result<bool>(false);
    if (!sealed) return of_damaged_log(sealed.error());
    if (!*sealed) return kDone;
    return Error{ErrorCode::kNotFound,
                 "The backup is of a sealed log, and needs a backup of the owners' keys: "
                 "--owner-keys KEYS."};
  }
  const auto aside = restored / "restored-owner-keys";
  const auto copied = restore(
      *from, aside, [](auto, auto) {}, [](const auto&) { return Status(kDone); });
  if (!copied) return copied;
  if (!std::filesystem::exists(aside / kOwnerKeys)) {
    return Error{ErrorCode::kNotFound, *from + " holds no owners' keys."};
  }
  if (std::filesystem::exists(own)) {
    // Who is erased is so in both, and who has come since then is not forgotten.
    if (const auto joined = join_owner_keys(aside / kOwnerKeys, own); !joined) return joined;
  } else {
    std::filesystem::rename(aside / kOwnerKeys, own);
  }
  std::filesystem::remove_all(aside);
  return kDone;
}

std::string records_of(const OwnerWithoutKey& owner) {
  const auto from = std::to_string(owner.first), to = std::to_string(owner.last);
  return owner.records == 1
             ? "1 event, at offset " + from
             : std::to_string(owner.records) + " events, at offsets " + from + " to " + to;
}

Error missing_keys(const std::vector<OwnerWithoutKey>& lost) {
  std::string owners, list;
  for (const auto& each : lost) {
    owners += (owners.empty() ? "" : "; ") + each.owner + ": " + records_of(each);
    list += (list.empty() ? "" : ",") + each.owner;
  }
  return {ErrorCode::kDamaged,
          "The keys of these owners are missing in owner-keys/, or are others than those that have "
          "sealed the history: " +
              owners +
              ". Take newer keys (--owner-keys KEYS), or end the history before it (--at OFFSET). "
              "If a key is lost for good, --without-keys-of " +
              list + " restores everything but what names its owner."};
}

// Leaves a note for each owner who is given up, as an erasure does.
Status give_up(const Restoring& restoring, const std::vector<OwnerWithoutKey>& lost) {
  const auto is_lost = [&](const auto& owner) {
    return std::ranges::find(lost, owner, &OwnerWithoutKey::owner) != lost.end();
  };
  for (const auto& owner : restoring.given_up) {
    if (is_lost(owner)) continue;
    return Error{ErrorCode::kNotFound,
                 "The key of " + owner + " is not missing: leave it out of --without-keys-of."};
  }
  std::vector<OwnerWithoutKey> rest;
  for (const auto& each : lost) {
    if (std::ranges::find(restoring.given_up, each.owner) == restoring.given_up.end()) {
      rest.push_back(each);
    }
  }
  if (!rest.empty()) return missing_keys(rest);
  for (const auto& each : lost) {
    const auto noted = OwnerKeyFiles::destroy_in(restoring.keys(), each.owner);
    if (!noted) return noted;
  }
  return kDone;
}

// Reads the whole log back, and opens what is sealed: the service would stop at the first record
// that it cannot open. `lost` are the owners who are given up.
Status check_restored(const Restoring& restoring, std::vector<OwnerWithoutKey>& lost) {
  if (!std::filesystem::exists(restoring.log())) return kDone;
  const auto sealed = is_log_sealed(restoring.log());
  if (!sealed) return of_damaged_log(sealed.error());
  if (!*sealed) return check_log_of(restoring);
  const ArchiveInCheck with_keys{.places = restoring.places, .owner_keys = restoring.keys()};
  const auto opened = check_log(restoring.log(), with_keys, restoring.progress_of("opened"));
  if (opened && restoring.given_up.empty()) return kDone;
  // Tells a damaged log from a key that is missing.
  if (const auto whole = check_log_of(restoring); !whole) return whole;
  if (!opened && opened.error().code != ErrorCode::kDamaged) return opened.error();
  auto found = owners_without_keys(restoring.log(), with_keys, restoring.progress_of("opened"));
  if (!found) return found.error();
  lost = std::move(*found);
  return give_up(restoring, lost);
}

std::vector<std::string> owners_in(const std::optional<std::string>& list) {
  std::vector<std::string> owners;
  std::istringstream names(list.value_or(""));
  for (std::string name; std::getline(names, name, ',');) {
    if (!name.empty()) owners.push_back(name);
  }
  return owners;
}

// `backups` itself, or the newest one in it.
std::filesystem::path newest_backup(const std::filesystem::path& backups) {
  if (is_backup(backups)) return backups;
  const auto all = backups_in(backups);
  return all.empty() ? backups : all.back();
}

// Other events will have the offsets from `end` on, and must not be passed over.
Status drop_skips(const std::filesystem::path& file, std::int64_t end) {
  OverridesFile overrides(file);
  if (const auto read = overrides.open(); !read) return read;
  for (const auto* projection : {"access", "registry", "finance", "market"}) {
    auto its = overrides.of(projection);
    const auto dropped =
        std::erase_if(its.skipped, [&](const auto& skip) { return skip.offset >= end; });
    if (dropped == 0) continue;
    if (const auto kept = overrides.keep(projection, its); !kept) return kept;
  }
  return kDone;
}

// Takes a restored directory back to that moment. What was folded from the log goes, and so do
// usage counts and sessions, which know of what came after it. The keys of owners who came later
// stay: a newer copy of the log may need them.
Status cut(const Restoring& restoring, const std::string& moment, LogCut& made) {
  const auto& restored = restoring.directory;
  if (!std::filesystem::exists(restored / "log")) {
    return Error{ErrorCode::kInvalid, "This backup holds no log."};
  }
  LogMoment at;
  if (is_offset(moment)) {
    at.offset = std::stoll(moment);
  } else {
    at.at = Timestamp::parse(moment);
  }
  auto done = cut_log(restored / "log", restoring.places, at);
  if (!done) return done.error();
  made = *done;
  for (const auto* gone : {"views", "usage", "webhooks"}) {
    std::filesystem::remove_all(restored / gone);
  }
  return drop_skips(restored / "projections", made.end);
}

// What a restore has made, for its answer.
struct Restored {
  std::filesystem::path from, directory;
  std::optional<LogCut> cut = {};  // null: the whole history
  std::vector<OwnerWithoutKey> lost = {};
};

Json as_json(const Restored& made) {
  Json data = object_value();
  data.add("backup", shown_text(made.from.string()));
  if (made.cut) {
    data.add("end", Json::number(made.cut->end));
    data.add("formerEnd", Json::number(made.cut->former));
    data.add("time", text_value(made.cut->time.text()));
  }
  if (!made.lost.empty()) {
    auto& owners = data.add("withoutKeys", Json{Json::Kind::kArray, {}, {}});
    for (const auto& each : made.lost) {
      auto& owner = owners.add({}, object_value());
      owner.add("owner", text_value(each.owner));
      owner.add("events", Json::number(each.records));
      owner.add("first", Json::number(each.first));
      owner.add("last", Json::number(each.last));
    }
  }
  const auto directory = std::filesystem::absolute(made.directory).lexically_normal();
  data.add("directory", shown_text(directory.string()));
  Json answer = object_value();
  answer.add("data", std::move(data));
  return answer;
}

void print(const Restored& made, const std::optional<std::string>& archive) {
  if (made.cut) {
    std::cout << "The history ends at offset " << made.cut->end - 1 << ", " << made.cut->time.text()
              << "; " << made.cut->former - made.cut->end << " later records were left out.\n";
  }
  for (const auto& each : made.lost) {
    std::cout << "What names " << each.owner << " can never be read again, in " << records_of(each)
              << ". The service treats them as erased.\n";
  }
  std::cout << "Start it with: tilth serve --data " << made.directory.string();
  if (!std::filesystem::exists(made.directory / "log")) {
    std::cout << " --log kafka\nand with the brokers and the topic of the other nodes";
  }
  std::cout << '\n';
  if (archive) {
    std::cout << "and with archive.directory = "
              << std::filesystem::absolute(*archive).lexically_normal() << '\n';
  }
}

ExitStatus restore_backup(const Arguments& arguments) {
  Restored made{newest_backup(arguments.at("DIR")), arguments.at("--data")};
  Progress progress("Restoring the backup");
  const auto copied = [&](auto bytes, auto total) {
    progress.reach(static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(total),
                   std::to_string(bytes >> 20) + " MiB");
  };
  ::umask(0077);  // as the service
  const auto check = [&](const std::filesystem::path& directory) -> Status {
    const Restoring restoring{directory, archive_places(directory, arguments),
                              owners_in(arguments.find("--without-keys-of")), progress};
    if (const auto whole = check_contents(made.from, directory); !whole) return whole;
    if (const auto moment = arguments.find("--at")) {
      if (const auto sound = check_log_of(restoring); !sound) return sound;
      if (const auto done = cut(restoring, *moment, made.cut.emplace()); !done) return done;
    }
    const auto keys = restore_owner_keys(arguments.find("--owner-keys"), directory);
    return keys ? check_restored(restoring, made.lost) : keys;
  };
  bool is_unfit = false;  // the backup, and not the place for what is restored
  const auto restored = restore(
      made.from, made.directory, copied,
      [&](const std::filesystem::path& directory) {
        auto checked = check(directory);
        is_unfit = !checked;
        return checked;
      },
      arguments.has("--existing"));
  if (!restored) {
    const bool may_help = !is_unfit && (restored.error().code == ErrorCode::kConflict ||
                                        restored.error().code == ErrorCode::kInvalid);
    const std::string hint =
        may_help && !arguments.has("--existing")
            ? " --existing restores to an empty directory, or makes its parents."
            : "";
    return failed(restored.error().message + hint);
  }
  if (arguments.has("--json")) {
    std::cout << to_text(as_json(made)) << '\n';
  } else {
    print(made, arguments.find("--archive"));
  }
  return done();
}

}  // namespace

std::vector<Command> backup_commands() {
  return {
      {"backup",
       "Copies the log, the read models and the usage counts while the service runs",
       "tilth backup /backup/monday",
       {{"DIR", "the directory to make, on the service's machine"}},
       service_flags({{"--without-owner-keys", "",
                       "without the keys that open what names persons in a sealed log"},
                      {"--owner-keys", "", "only these"},
                      {"--keep", "N",
                       "DIR exists and holds backups: adds one, which shares unchanged files "
                       "with the one before, and keeps the N newest",
                       false, whole_numbers(1)},
                      {"--with-archive", "",
                       "with the archived records of the log, which else stay where they "
                       "are"}}),
       back_up_service},
      {"restore",
       "Makes a data directory from a backup; needs no service",
       "tilth restore /backup/monday --data /var/lib/tilth",
       {{"DIR", "what `tilth backup` made, or, with --keep, has made backups in: then the newest"}},
       {{"--data", "NEW", "the data directory to make", true},
        {"--at", "PLACE", "the history up to this time or offset, and nothing after it", false,
         places_in_the_log()},
        {"--owner-keys", "KEYS", "what `tilth backup --owner-keys` made: these, too"},
        {"--without-keys-of", "OWNERS",
         "restores although the keys of these owners are lost, who are erased by that: user ids, "
         "separated by commas"},
        {"--archive", "DIR",
         "where the archived records of the log are, if they are not where they were put"},
        {"--archive-command", "PROGRAM",
         "gets them from their store, as archive.command of the service does"},
        {"--existing", "", "NEW may exist if it is empty, such as a volume; makes its parents"},
        {"--json", "", "print JSON"}},
       restore_backup}};
}

}  // namespace tilth::cli
