// What a node needs to reach Kafka.

#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilth {

struct KafkaSettings {
  std::vector<std::string> brokers;
  std::string topic = "tilth.events";
  int partitions = 12;  // of a new topic; an existing one keeps its own
  std::optional<std::chrono::milliseconds> retention = {};  // null: for ever, and that is checked
  // For each stream name only the newest record stays, and a record without JSON removes it from
  // the brokers' disks within hours.
  bool compacted = false;
  // librdkafka's own settings, such as "security.protocol"; they may be secret.
  std::map<std::string, std::string> client = {};
  // Called while a start waits for brokers: whether to give up.
  std::function<bool()> gives_up = [] { return false; };
  // Receives messages for the operator. Threads: any.
  std::function<void(std::string_view)> log_line = [](std::string_view) {};
};

}  // namespace tilth
