// Reads the [kafka] table: librdkafka's connection and security settings.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "events/values/result.h"
#include "infra/config/toml_file.h"

namespace tilth {

inline constexpr std::string_view kKafkaPrefix = "kafka.";

// As configured: librdkafka's name, or the name of a secret with the suffix "_file".
using KafkaClientTable = std::map<std::string, std::string, std::less<>>;

// Takes one such value. Only connection settings (security, TLS, SASL, sockets) are allowed;
// settings that the log's guarantees depend on are not, and a secret only as the name of its file.
//
//   kDamaged  it may not be set, or its value is invalid; the message says which.
Status take_kafka_member(KafkaClientTable& client, std::string_view name, const FileValue& value);

// What a variable of the environment sets: "kafka.sasl.mechanism" for TILTH_KAFKA_SASL_MECHANISM.
// Null: none of these.
std::optional<std::string> kafka_member_of(std::string_view variable);

// The settings, with the secrets read from their files, without final newlines.
//
//   kUnavailable  a file cannot be read.
Result<std::map<std::string, std::string>> with_secrets(const KafkaClientTable& client);

}  // namespace tilth
