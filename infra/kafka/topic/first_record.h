// The first record of a partition: it distinguishes a topic from another one of the same name.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "events/values/result.h"
#include "infra/kafka/client/kafka_client.h"
#include "infra/kafka/client/kafka_settings.h"

namespace tilth {

struct FirstRecord {
  std::string id;             // of its event
  std::int64_t kafka_time{};  // Kafka's timestamp, in milliseconds since 1970
};

// nullopt while there is none. Waits for some seconds. Threads: any.
//
//   kDamaged      it is not a record of Tilth.
//   kUnavailable  Kafka does not respond.
Result<std::optional<FirstRecord>> first_record(rd_kafka_t* asker, const KafkaSettings& settings,
                                                int partition);

}  // namespace tilth
