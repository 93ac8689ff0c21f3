// A backup of everything that the node stores, taken while it runs.

#include <algorithm>
#include <filesystem>

#include "api/operator/commands.h"
#include "api/operator/member_json.h"
#include "api/operator/operated_backup.h"

namespace tilth {

constexpr auto labels(OwnerKeysInBackup) {
  return named<OwnerKeysInBackup>("included", "left_out", "alone");
}

namespace {

struct BackupOrder {
  BackupRequest request;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("directory", request.directory,
              {.required = true, .min_length = 1, .max_length = 4'000}),
       member("ownerKeys", request.owner_keys), member("archive", request.with_archive),
       member("keep", request.keep, {.min = 1, .max = 10'000}));
  }
  void check(Issues& issues) const {
    const auto& directory = request.directory;
    if (!directory.empty() && directory.front() != '/') {
      issues["directory"].emplace_back("must be an absolute path");
    }
    // Behind a symbolic link, `..` leads elsewhere than the path says, where no erasure would look.
    if (std::ranges::count(std::filesystem::path(directory), "..") > 0) {
      issues["directory"].emplace_back("must not have .. in it");
    }
    if (request.keep && request.owner_keys == OwnerKeysInBackup::kAlone) {
      issues["keep"].emplace_back("must not be given for the owners' keys alone");
    }
  }
};

HttpResponse backup_response(const BackupMade& made) {
  std::string json = "{\"data\":{";
  append_member(json, "directory", made.directory);
  append_member(json, "bytes", static_cast<std::int64_t>(made.bytes));
  append_member(json, "copied", static_cast<std::int64_t>(made.copied));
  append_member(json, "needsArchive",
                made.archive.empty() ? std::nullopt : std::optional(made.archive));
  append_member(json, "left", made.left.empty() ? std::nullopt : std::optional(made.left));
  return json_response(201, json + "}}");
}

// Copying takes as long as the disk needs, so it runs on a thread of its own.
void back_up(const OperatorParts& parts, const Call& call) {
  BackupOrder order;
  Issues issues;
  read_body(call.request().body, order, issues);
  if (!issues.empty()) return call.answer(invalid(issues));
  run_aside(parts, call, [&parts, exchange = call.exchange, request = std::move(order.request)] {
    const auto made = parts.backup.back_up(request);
    if (made) return exchange->answer(backup_response(*made));
    if (made.error().code != ErrorCode::kInvalid) return exchange->answer(made.error());
    exchange->answer(invalid({{"directory", {made.error().message}}}));
  });
}

}  // namespace

std::vector<OperatorRoute> operator_backup_routes() {
  return {operator_route("POST", "/operator/v1/backup",
                         "Copy log, read models and usage, or the owners' keys", back_up)};
}

}  // namespace tilth
