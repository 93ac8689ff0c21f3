#include "infra/node/backup.h"

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "app/cli/commands/commands.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/log_place.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/progress.h"
#include "app/cli/engine/table.h"
#include "infra/embedded/log_check.h"
#include "infra/embedded/log_cut.h"
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
  }
  return done();
}

ArchiveInCheck archives_of(const std::filesystem::path& restored,
                           const std::optional<std::string>& archive) {
  ArchiveInCheck places{.places = {restored / kArchive}};
  if (archive) places.places.emplace_back(*archive);
  return places;
}

// A backup by an earlier version may be of a log that was damaged. On Kafka it has none.
Status check_restored(const std::filesystem::path& restored,
                      const std::optional<std::string>& archive, Progress& progress) {
  if (!std::filesystem::exists(restored / "log")) return kDone;
  const auto places = archives_of(restored, archive);
  const auto checked =
      check_log(restored / "log", places, [&](std::int64_t reached, std::int64_t total) {
        progress.reach(reached, total, std::to_string(reached) + " records checked");
        return true;
      });
  if (checked) return kDone;
  const auto& [code, message] = std::pair(checked.error().code, checked.error().message);
  if (code == ErrorCode::kDamaged) {
    return Error{code, "The backup is of a damaged log. " + message};
  }
  return Error{code, message + " If it is elsewhere now, say where: --archive DIR."};
}

// Adds those of `from` to those that the backup has.
Status restore_owner_keys(const std::optional<std::string>& from,
                          const std::filesystem::path& restored) {
  const auto own = restored / kOwnerKeys;
  if (!from) {
    if (std::filesystem::exists(own)) return kDone;
    const auto sealed = std::filesystem::exists(restored / "log") ? is_log_sealed(restored / "log")
                                                                  : Result<bool>(false);
    if (!sealed) return sealed.error();
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

// The service would stop at the first record that it cannot open.
Status check_restored_keys(const std::filesystem::path& restored,
                           const std::optional<std::string>& archive, Progress& progress) {
  if (!std::filesystem::exists(restored / "log")) return kDone;
  const auto sealed = is_log_sealed(restored / "log");
  if (!sealed) return sealed.error();
  if (!*sealed) return kDone;
  const auto checked = check_owner_keys(
      restored / "log", restored / kOwnerKeys, archives_of(restored, archive),
      [&](std::int64_t reached, std::int64_t total) {
        progress.reach(reached, total, std::to_string(reached) + " records opened");
        return true;
      });
  if (checked || checked.error().code != ErrorCode::kDamaged) return checked;
  return Error{ErrorCode::kDamaged, checked.error().message +
                                        " Take newer keys (--owner-keys KEYS), or end the history "
                                        "before it (--at OFFSET)."};
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
    auto orders = overrides.of(projection);
    const auto dropped =
        std::erase_if(orders.skipped, [&](const auto& skip) { return skip.offset >= end; });
    if (dropped == 0) continue;
    if (const auto kept = overrides.keep(projection, orders); !kept) return kept;
  }
  return kDone;
}

// Takes a restored directory back to that moment. What was folded from the log goes, and so do
// usage counts and sessions, which know of what came after it. The keys of owners who came later
// stay: a newer copy of the log may need them.
Status cut(const std::filesystem::path& restored, const std::optional<std::string>& archive,
           const std::string& moment, LogCut& made) {
  if (!std::filesystem::exists(restored / "log")) {
    return Error{ErrorCode::kInvalid, "This backup holds no log."};
  }
  LogMoment at;
  if (is_offset(moment)) {
    at.offset = std::stoll(moment);
  } else {
    at.at = Timestamp::parse(moment);
  }
  std::vector<std::filesystem::path> archives{restored / kArchive};
  if (archive) archives.emplace_back(*archive);
  auto done = cut_log(restored / "log", archives, at);
  if (!done) return done.error();
  made = *done;
  for (const auto* gone : {"views", "usage", "webhooks"}) {
    std::filesystem::remove_all(restored / gone);
  }
  return drop_skips(restored / "projections", made.end);
}

ExitStatus restore_backup(const Arguments& arguments) {
  const std::filesystem::path fresh = arguments.at("--data");
  Progress progress("Restoring the backup");
  const auto tell = [&](auto copied, auto total) {
    progress.reach(static_cast<std::int64_t>(copied), static_cast<std::int64_t>(total),
                   std::to_string(copied >> 20) + " MiB");
  };
  ::umask(0077);  // as the service
  const auto from = newest_backup(arguments.at("DIR"));
  LogCut made;
  const auto restored = restore(
      from, fresh, tell,
      [&](const auto& directory) -> Status {
        auto sound = check_restored(directory, arguments.find("--archive"), progress);
        if (const auto moment = arguments.find("--at"); sound && moment) {
          sound = cut(directory, arguments.find("--archive"), *moment, made);
        }
        if (sound) sound = restore_owner_keys(arguments.find("--owner-keys"), directory);
        return sound ? check_restored_keys(directory, arguments.find("--archive"), progress)
                     : sound;
      },
      arguments.has("--existing"));
  if (!restored) {
    const bool may_help = restored.error().code == ErrorCode::kConflict ||
                          restored.error().code == ErrorCode::kInvalid;
    const std::string hint =
        may_help && !arguments.has("--existing")
            ? " --existing restores to an empty directory, or makes its parents."
            : "";
    return failed(restored.error().message + hint);
  }
  if (arguments.has("--json")) {
    Json data = object_value();
    data.add("backup", text_value(from.string()));
    if (arguments.has("--at")) {
      data.add("end", Json::number(made.end));
      data.add("formerEnd", Json::number(made.former));
      data.add("time", text_value(made.time.text()));
    }
    data.add("directory", text_value(std::filesystem::absolute(fresh).lexically_normal().string()));
    Json answer = object_value();
    answer.add("data", std::move(data));
    std::cout << to_text(answer) << '\n';
  } else {
    if (arguments.has("--at")) {
      std::cout << "The history ends at offset " << made.end - 1 << ", " << made.time.text() << "; "
                << made.former - made.end << " later records were left out.\n";
    }
    std::cout << "Start it with: tilth serve --data " << fresh.string() << '\n';
    if (const auto archive = arguments.find("--archive")) {
      std::cout << "and with archive.directory = "
                << std::filesystem::absolute(*archive).lexically_normal() << '\n';
    }
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
        {"--archive", "DIR",
         "where the archived records of the log are, if they are not where they were put"},
        {"--existing", "", "NEW may exist if it is empty, such as a volume; makes its parents"},
        {"--json", "", "answer in JSON"}},
       restore_backup}};
}

}  // namespace tilth::cli
