// Reads the [kafka] table: what librdkafka must know to reach the brokers safely.

#pragma once

#include <map>
#include <string>
#include <string_view>

#include "events/values/result.h"
#include "infra/config/toml_file.h"

namespace tilth {

inline constexpr std::string_view kKafkaPrefix = "kafka.";

// As given: librdkafka's name, or that of a secret with "_file" after it.
using KafkaClientTable = std::map<std::string, std::string, std::less<>>;

// Takes one such value. Passed on is what concerns the connection (security, TLS, SASL, sockets);
// what the promises rest on cannot be set, and secrets only by naming a file.
//
//   kDamaged  it may not be set, or its value is none; the message says which.
Status take_kafka_member(KafkaClientTable& client, std::string_view name, const FileValue& value);

// The settings with their secrets, without a final newline.
//
//   kUnavailable  a file cannot be read.
Result<std::map<std::string, std::string>> with_secrets(const KafkaClientTable& client);

}  // namespace tilth
