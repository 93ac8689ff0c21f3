// The brokers that with_brokers.py has started for a test, and a topic that no other test uses.

#pragma once

#include <atomic>
#include <cstdlib>
#include <sstream>
#include <string>

#include <unistd.h>

#include "infra/kafka/client/kafka_settings.h"

namespace tilth::testing {

inline KafkaSettings test_brokers(int partitions = 12) {
  static std::atomic<int> topics = 0;
  KafkaSettings settings;
  const char* brokers = std::getenv("TILTH_TEST_BROKERS");
  std::istringstream list(brokers == nullptr ? "127.0.0.1:9" : brokers);
  for (std::string each; std::getline(list, each, ',');) settings.brokers.push_back(each);
  settings.topic = "events." + std::to_string(::getpid()) + "." + std::to_string(++topics);
  settings.partitions = partitions;
  return settings;
}

}  // namespace tilth::testing
