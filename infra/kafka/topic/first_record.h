// The first record of a partition: by it a topic is told from another one of its name.

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
  std::int64_t kafka_time{};  // that Kafka has of it, in milliseconds since 1970
};

// Nothing while there is none. Waits for some seconds. Threads: any.
//
//   kDamaged      it is no record of ours.
//   kUnavailable  Kafka does not tell.
Result<std::optional<FirstRecord>> first_record(rd_kafka_t* asker, const KafkaSettings& settings,
                                                int partition);

}  // namespace tilth
