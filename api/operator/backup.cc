// A backup of everything that the node stores, taken while it runs.

#include "api/operator/commands.h"

namespace tilth {
namespace {

enum class OwnerKeysInBackup : std::uint8_t { kIncluded, kLeftOut, kAlone };
constexpr auto labels(OwnerKeysInBackup) {
  return named<OwnerKeysInBackup>("included", "left_out", "alone");
}

struct BackupOrder {
  std::string directory;  // on the service's machine
  OwnerKeysInBackup owner_keys = OwnerKeysInBackup::kIncluded;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("directory", directory, {.required = true, .min_length = 1, .max_length = 4'000}),
       member("ownerKeys", owner_keys));
  }
  void check(Issues& issues) const {
    if (!directory.empty() && directory.front() != '/') {
      issues["directory"].emplace_back("must be an absolute path");
    }
  }
};

HttpResponse backup_response(const std::string& directory, std::uintmax_t bytes) {
  std::string json = "{\"data\":{\"directory\":";
  JsonWriter::write(directory, json);
  json.append(",\"bytes\":").append(std::to_string(bytes));
  return json_response(201, json + "}}");
}

// Copying takes as long as the disk needs, so it runs on a thread of its own.
void back_up(const OperatorParts& parts, const Call& call) {
  BackupOrder order;
  Issues issues;
  read_body(call.request().body, order, issues);
  if (!issues.empty()) return call.answer(invalid(issues));
  const auto& copy = order.owner_keys == OwnerKeysInBackup::kAlone ? parts.back_up_owner_keys
                     : order.owner_keys == OwnerKeysInBackup::kLeftOut
                         ? parts.back_up_without_owner_keys
                         : parts.back_up;
  if (!copy) {
    return call.answer(
        Error{ErrorCode::kConflict, "The log is not sealed, and has no owners' keys."});
  }
  run_aside(parts, call, [&copy, exchange = call.exchange, directory = std::move(order.directory)] {
    const auto bytes = copy(directory);
    if (bytes) return exchange->answer(backup_response(directory, *bytes));
    if (bytes.error().code != ErrorCode::kInvalid) return exchange->answer(bytes.error());
    exchange->answer(invalid({{"directory", {bytes.error().message}}}));
  });
}

}  // namespace

std::vector<OperatorRoute> operator_backup_routes() {
  return {operator_route("POST", "/operator/v1/backup",
                         "Copy log, read models and usage, or the owners' keys", back_up)};
}

}  // namespace tilth
