// librdkafka's C API with RAII handles, the settings that all of them share, and our errors.

#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <librdkafka/rdkafka.h>

#include "events/values/result.h"
#include "infra/kafka/client/kafka_settings.h"

namespace tilth {

template <auto destroy>
struct KafkaDeleter {
  template <class T>
  void operator()(T* owned) const noexcept {
    destroy(owned);
  }
};

// Does not leave a consumer group, since we are in none: that would wait for a broker.
inline void destroy_kafka_handle(rd_kafka_t* handle) noexcept {
  rd_kafka_destroy_flags(handle, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
}

using KafkaHandle = std::unique_ptr<rd_kafka_t, KafkaDeleter<destroy_kafka_handle>>;
using KafkaTopicHandle = std::unique_ptr<rd_kafka_topic_t, KafkaDeleter<rd_kafka_topic_destroy>>;
using KafkaQueue = std::unique_ptr<rd_kafka_queue_t, KafkaDeleter<rd_kafka_queue_destroy>>;
using KafkaEvent = std::unique_ptr<rd_kafka_event_t, KafkaDeleter<rd_kafka_event_destroy>>;
using KafkaMessage = std::unique_ptr<rd_kafka_message_t, KafkaDeleter<rd_kafka_message_destroy>>;
using KafkaPartitions = std::unique_ptr<rd_kafka_topic_partition_list_t,
                                        KafkaDeleter<rd_kafka_topic_partition_list_destroy>>;

using KafkaOptions = std::vector<std::pair<const char*, std::string>>;
using KafkaPreparation = void (*)(rd_kafka_conf_t*);

// A handle with the settings that all our handles share, then `options`, then the operator's own.
// `settings` must outlive it. It connects and reconnects by itself. `prepare` adds callbacks to its
// configuration.
//
//   kInvalid  librdkafka does not know a setting or refuses its value; the message names it.
Result<KafkaHandle> make_kafka_handle(rd_kafka_type_t type, const KafkaSettings& settings,
                                      const KafkaOptions& options,
                                      KafkaPreparation prepare = nullptr);

// A handle with the settings of all our readers: it stores no offsets, checks checksums, and an
// offset that the log does not have is an error. Otherwise as above.
Result<KafkaHandle> make_kafka_consumer(const KafkaSettings& settings, KafkaOptions options);

// Calls `arrived` on librdkafka's threads when there may be something to take from `messages`.
// `arrived` must outlive that; null ends the calls.
void call_on_arrival(rd_kafka_queue_t* messages, const std::function<void()>* arrived);

// librdkafka's text: "Broker: Not leader for partition".
std::string kafka_text(rd_kafka_resp_err_t code);

// kUnavailable, with what could not be done.
Error kafka_unavailable(std::string_view what, rd_kafka_resp_err_t code);

inline int milliseconds_of(std::chrono::milliseconds time) {
  return static_cast<int>(time.count());
}

}  // namespace tilth
