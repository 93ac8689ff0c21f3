// A record as a Kafka message: CloudEvents 1.0 in binary mode, so that any Kafka tool can read the
// history. The stream is the key, the attributes are headers, the event's JSON is the value.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <librdkafka/rdkafka.h>

#include "events/log/event_log.h"
#include "infra/kafka/client/kafka_client.h"

namespace tilth {

using KafkaHeaders = std::unique_ptr<rd_kafka_headers_t, KafkaDeleter<rd_kafka_headers_destroy>>;

// An empty attribute has no header. `sealed`, if there is any, is the part of the JSON that names a
// person (infra/keys/sealed_json.h): the attribute ce_sealed, in base64.
KafkaHeaders headers_of(const Record& record, const std::string& sealed = {});

// kDamaged: it is not a record of Tilth; the message says what is wrong, without the position.
// Its sealed part, which it may have, is in no record.
Result<Record> record_of(const rd_kafka_message_t& message);

// The sealed part of such a record; empty: it has none. kDamaged: as above.
Result<std::string> sealed_part_of(const rd_kafka_message_t& message);

// What can be read of a message that is not a record of Tilth: the stream that it names, and an id.
Record foreign_record(const rd_kafka_message_t& message, std::string why);

// The event's id, if there is one: enough to recognize a record that is already known.
std::string_view id_of(const rd_kafka_message_t& message);

}  // namespace tilth
