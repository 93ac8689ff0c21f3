#include "infra/kafka/write/record_message.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include <sodium.h>

namespace tilth {
namespace {

constexpr std::size_t kMostHeaders = 17;
constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

std::string_view bytes(const void* data, std::size_t size) {
  return data == nullptr ? std::string_view()
                         : std::string_view(static_cast<const char*>(data), size);
}

std::optional<std::string_view> header_of(const rd_kafka_headers_t* headers, const char* name) {
  const void* value = nullptr;
  std::size_t size = 0;
  const auto code = rd_kafka_header_get_last(headers, name, &value, &size);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return std::nullopt;
  return bytes(value, size);
}

// The headers that make an envelope, in the order in which they are written.
enum class EnvelopeHeader : std::uint8_t {
  kId,
  kSource,
  kType,
  kSubject,
  kTime,
  kStreamVersion,
  kSchemaVersion,
  kCorrelationId,
  kCausationId,
  kActor,
  kTraceparent,
  kPredecessor,
  kIdempotencyKey,
  kRequestHash,
};
constexpr std::array<std::string_view, 14> kEnvelopeHeaders = {"ce_id",
                                                               "ce_source",
                                                               "ce_type",
                                                               "ce_subject",
                                                               "ce_time",
                                                               "ce_streamversion",
                                                               "ce_schemaversion",
                                                               "ce_correlationid",
                                                               "ce_causationid",
                                                               "ce_actor",
                                                               "ce_traceparent",
                                                               "ce_predecessor",
                                                               "ce_idempotencykey",
                                                               "ce_requesthash"};

// Those of a message; the last one of a name counts. To look for each by its name, librdkafka
// compares it with half of the others.
class EnvelopeHeaders {
 public:
  explicit EnvelopeHeaders(const rd_kafka_headers_t* headers) {
    const char* name = nullptr;
    const void* value = nullptr;
    std::size_t size = 0;
    const auto end = kEnvelopeHeaders.end();
    auto next = kEnvelopeHeaders.begin();
    for (std::size_t at = 0;
         rd_kafka_header_get_all(headers, at, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR;
         ++at) {
      auto found = std::find(next, end, name);
      if (found == end) found = std::find(kEnvelopeHeaders.begin(), next, name);
      if (found == end || *found != name) continue;
      values_.at(static_cast<std::size_t>(found - kEnvelopeHeaders.begin())) = bytes(value, size);
      next = found + 1;
    }
  }

  std::optional<std::string_view> find(EnvelopeHeader header) const {
    return values_.at(static_cast<std::size_t>(header));
  }
  std::string text(EnvelopeHeader header) const { return std::string(find(header).value_or("")); }

 private:
  std::array<std::optional<std::string_view>, kEnvelopeHeaders.size()> values_ = {};
};

std::string in_base64(const std::string& bytes) {
  std::string text(sodium_base64_encoded_len(bytes.size(), kVariant), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), kVariant);
  text.pop_back();
  return text;
}

}  // namespace

KafkaHeaders headers_of(const Record& record, const std::string& sealed) {
  KafkaHeaders headers(rd_kafka_headers_new(kMostHeaders));
  const auto add = [&](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    rd_kafka_header_add(headers.get(), name.data(), static_cast<ssize_t>(name.size()), value.data(),
                        static_cast<ssize_t>(value.size()));
  };
  const auto& envelope = record.envelope;
  add("ce_specversion", "1.0");
  add("ce_id", envelope.id);
  add("ce_source", envelope.source);
  add("ce_type", envelope.type);
  add("ce_subject", record.stream);
  add("ce_time", envelope.time.text());
  add("content-type", "application/json");
  add("ce_streamversion", std::to_string(envelope.stream_version));
  add("ce_schemaversion", std::to_string(envelope.schema_version));
  add("ce_correlationid", envelope.correlation_id);
  add("ce_causationid", envelope.causation_id);
  add("ce_actor", envelope.actor);
  add("ce_traceparent", envelope.traceparent);
  add("ce_predecessor", envelope.predecessor);
  if (envelope.idempotency) {
    add("ce_idempotencykey", envelope.idempotency->key);
    add("ce_requesthash", envelope.idempotency->request_hash);
  }
  if (!sealed.empty()) add("ce_sealed", in_base64(sealed));
  return headers;
}

std::string_view id_of(const rd_kafka_message_t& message) {
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  return header_of(headers, "ce_id").value_or(std::string_view());
}

Result<std::string> sealed_part_of(const rd_kafka_message_t& message) {
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return std::string();
  }
  const auto text = header_of(headers, "ce_sealed").value_or(std::string_view());
  std::string bytes(text.size(), '\0');
  std::size_t length = 0;
  const int failed =
      sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(),
                        text.size(), nullptr, &length, nullptr, kVariant);
  if (failed != 0) return Error{ErrorCode::kDamaged, "its ce_sealed is not base64"};
  bytes.resize(length);
  return bytes;
}

Record foreign_record(const rd_kafka_message_t& message, std::string why) {
  return {.stream = std::string(bytes(message.key, message.key_len)),
          .envelope = {.id = std::string(id_of(message))},
          .foreign = std::move(why)};
}

Result<Record> record_of(const rd_kafka_message_t& message) {
  const auto damaged = [](const std::string& what) { return Error{ErrorCode::kDamaged, what}; };
  if (message.payload == nullptr) return damaged("it has no value");
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return damaged("it has no headers");
  }
  const EnvelopeHeaders found(headers);
  using Header = EnvelopeHeader;

  Record record{std::string(bytes(message.key, message.key_len)),
                {},
                std::string(bytes(message.payload, message.len))};
  auto& envelope = record.envelope;
  if (found.find(Header::kSubject) != record.stream)
    return damaged("its key is not its ce_subject");
  envelope.id = found.text(Header::kId);
  if (envelope.id.empty()) return damaged("it has no ce_id");
  envelope.type = found.text(Header::kType);
  envelope.source = found.text(Header::kSource);
  envelope.correlation_id = found.text(Header::kCorrelationId);
  envelope.causation_id = found.text(Header::kCausationId);
  envelope.actor = found.text(Header::kActor);
  envelope.traceparent = found.text(Header::kTraceparent);
  envelope.predecessor = found.text(Header::kPredecessor);
  const auto time = Timestamp::parse(found.text(Header::kTime));
  if (!time) return damaged("its ce_time is not a time");
  envelope.time = *time;
  if (!read_number(found.text(Header::kStreamVersion), envelope.stream_version)) {
    return damaged("its ce_streamversion is not a number");
  }
  if (!read_number(found.text(Header::kSchemaVersion), envelope.schema_version)) {
    return damaged("its ce_schemaversion is not a number");
  }
  if (const auto key = found.find(Header::kIdempotencyKey)) {
    envelope.idempotency = Idempotency{std::string(*key), found.text(Header::kRequestHash)};
  }
  return record;
}

}  // namespace tilth
