#include "infra/config/kafka_table.h"

#include <algorithm>
#include <array>

#include "events/values/ascii.h"
#include "infra/system/whole_file.h"

namespace tilth {
namespace {

constexpr std::array<std::string_view, 6> kLibrarySettings = {
    "security.protocol", "ssl.",   "sasl.", "enable.ssl.certificate.verification",
    "broker.address.",   "socket."};
constexpr std::array<std::string_view, 6> kSecrets = {
    "sasl.password", "ssl.key.password",        "ssl.keystore.password",
    "ssl.key.pem",   "sasl.oauthbearer.config", "sasl.oauthbearer.client.secret"};
constexpr std::string_view kFile = "_file";

bool is_secret(std::string_view name) {
  return std::find(kSecrets.begin(), kSecrets.end(), name) != kSecrets.end();
}

bool is_library_setting(std::string_view member) {
  return std::any_of(kLibrarySettings.begin(), kLibrarySettings.end(),
                     [&](auto prefix) { return member.starts_with(prefix); });
}

}  // namespace

Status take_kafka_member(KafkaClientTable& client, std::string_view name, const FileValue& value) {
  const auto wrong = [&](const std::string& why) {
    return Error{ErrorCode::kDamaged, std::string(name) + " " + why};
  };
  const auto member = name.substr(kKafkaPrefix.size());
  if (!is_library_setting(member)) return wrong("is not a setting of Tilth.");
  if (is_secret(member)) {
    return wrong("is a secret: put it into a file and name that as " + std::string(name) +
                 "_file.");
  }
  if (member.ends_with(kFile) && !is_secret(member.substr(0, member.size() - kFile.size()))) {
    return wrong("is not a setting of Tilth.");
  }
  if (value.type != FileValue::Type::kText && value.type != FileValue::Type::kInteger &&
      value.type != FileValue::Type::kSwitch) {
    return wrong("must be text, an integer, or true or false, not " +
                 std::string(name_of(value.type)) + ".");
  }
  client[std::string(member)] = value.text;
  return kDone;
}

std::optional<std::string> kafka_member_of(std::string_view variable) {
  constexpr std::string_view kVariables = "TILTH_KAFKA_";
  if (!variable.starts_with(kVariables)) return std::nullopt;
  auto member = to_lower(variable.substr(kVariables.size()));
  std::ranges::replace(member, '_', '.');
  if (!is_library_setting(member)) return std::nullopt;
  const auto file = member.size() - std::min(member.size(), kFile.size());
  if (is_secret(std::string_view(member).substr(0, file))) member.replace(file, kFile.npos, kFile);
  return std::string(kKafkaPrefix) + member;
}

Result<std::map<std::string, std::string>> with_secrets(const KafkaClientTable& client) {
  std::map<std::string, std::string> settings;
  for (const auto& [name, value] : client) {
    if (!name.ends_with(kFile)) {
      settings[name] = value;
      continue;
    }
    const auto content = read_whole_file(value);
    if (!content || !*content) {
      return Error{ErrorCode::kUnavailable,
                   "The file " + value + ", named as kafka." + name + ", cannot be read."};
    }
    auto secret = **content;
    while (secret.ends_with('\n') || secret.ends_with('\r')) secret.pop_back();
    settings[name.substr(0, name.size() - kFile.size())] = std::move(secret);
  }
  return settings;
}

}  // namespace tilth
