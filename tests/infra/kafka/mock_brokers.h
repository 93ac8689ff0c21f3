// librdkafka's own mock cluster in this process, with scripted responses.

#pragma once

#include <cstdint>
#include <memory>

#include <gtest/gtest.h>
#include <librdkafka/rdkafka_mock.h>

#include "infra/kafka/client/kafka_client.h"

namespace tilth::testing {

// With one broker and one topic.
class MockBrokers : public ::testing::Test {
 protected:
  static constexpr std::int16_t kFetch = 1, kListOffsets = 2;  // in Kafka's protocol

  explicit MockBrokers(int partitions = 1) : partitions_(partitions) {}

  void SetUp() override {
    settings.topic = "events";
    auto made = make_kafka_handle(RD_KAFKA_PRODUCER, settings, {});
    ASSERT_TRUE(made);
    owner_ = std::move(*made);
    cluster.reset(rd_kafka_mock_cluster_new(owner_.get(), 1));
    rd_kafka_mock_topic_create(cluster.get(), settings.topic.c_str(), partitions_, 1);
    settings.brokers = {rd_kafka_mock_cluster_bootstraps(cluster.get())};
  }

  KafkaSettings settings;

 private:
  const int partitions_;
  KafkaHandle owner_;

 protected:
  std::unique_ptr<rd_kafka_mock_cluster_t, KafkaDeleter<rd_kafka_mock_cluster_destroy>> cluster;
};

}  // namespace tilth::testing
