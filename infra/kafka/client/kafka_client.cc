#include "infra/kafka/client/kafka_client.h"

#include <array>

namespace tilth {
namespace {

using Conf = std::unique_ptr<rd_kafka_conf_t, KafkaDeleter<rd_kafka_conf_destroy>>;

void log_line(const rd_kafka_t* handle, int, const char* facility, const char* text) noexcept {
  const auto* settings = static_cast<const KafkaSettings*>(rd_kafka_opaque(handle));
  settings->log_line("Kafka: " + std::string(facility) + ": " + text);
}

std::string joined(const std::vector<std::string>& brokers) {
  std::string list;
  for (const auto& broker : brokers) list += (list.empty() ? "" : ",") + broker;
  return list;
}

// Within seconds the client gives up a broker that hangs, reconnects to one that comes back, and
// leaves a leader that was replaced: it learns of a new leader only when it refreshes its metadata.
KafkaOptions common(const KafkaSettings& settings) {
  return {{"bootstrap.servers", joined(settings.brokers)},
          {"client.id", "tilth"},
          {"allow.auto.create.topics", "false"},  // brokers would create one with limited retention
          {"socket.nagle.disable", "true"},
          {"socket.keepalive.enable", "true"},
          {"socket.timeout.ms", "3000"},
          {"reconnect.backoff.ms", "50"},
          {"reconnect.backoff.max.ms", "1000"},
          {"topic.metadata.refresh.interval.ms", "1000"},
          {"topic.metadata.refresh.fast.interval.ms", "100"},
          {"log_level", "4"},
          {"log.connection.close", "false"}};
}

}  // namespace

void call_on_arrival(rd_kafka_queue_t* messages, const std::function<void()>* arrived) {
  const auto call = [](rd_kafka_t*, void* to_call) {
    (*static_cast<const std::function<void()>*>(to_call))();
  };
  if (arrived == nullptr) return rd_kafka_queue_cb_event_enable(messages, nullptr, nullptr);
  rd_kafka_queue_cb_event_enable(messages, call, const_cast<std::function<void()>*>(arrived));
}

std::string kafka_text(rd_kafka_resp_err_t code) { return rd_kafka_err2str(code); }

Error kafka_unavailable(std::string_view what, rd_kafka_resp_err_t code) {
  return {.code = ErrorCode::kUnavailable,
          .message = std::string(what) + ": " + kafka_text(code) + ".",
          .retry_after_seconds = 1};
}

Result<KafkaHandle> make_kafka_handle(rd_kafka_type_t type, const KafkaSettings& settings,
                                      const KafkaOptions& options, KafkaPreparation prepare) {
  Conf conf(rd_kafka_conf_new());
  std::array<char, 512> why{};
  const auto set = [&](const std::string& name, const std::string& value) {
    return rd_kafka_conf_set(conf.get(), name.c_str(), value.c_str(), why.data(), why.size()) ==
           RD_KAFKA_CONF_OK;
  };
  auto all = common(settings);
  all.insert(all.end(), options.begin(), options.end());
  for (const auto& [name, value] : all) {
    if (!set(name, value)) return Error{ErrorCode::kInvalid, std::string(why.data()) + "."};
  }
  for (const auto& [name, value] : settings.client) {
    // Not librdkafka's own message: it repeats the value, which may be secret.
    if (!set(name, value)) {
      return Error{ErrorCode::kInvalid,
                   "kafka." + name + " is no setting of Kafka's client, or has no sense."};
    }
  }
  rd_kafka_conf_set_opaque(conf.get(), const_cast<KafkaSettings*>(&settings));
  rd_kafka_conf_set_log_cb(conf.get(), log_line);
  if (prepare != nullptr) prepare(conf.get());
  KafkaHandle handle(rd_kafka_new(type, conf.get(), why.data(), why.size()));
  if (!handle)
    return Error{ErrorCode::kInvalid, "Kafka's client: " + std::string(why.data()) + "."};
  static_cast<void>(conf.release());  // owned by the handle now
  return handle;
}

Result<KafkaHandle> make_kafka_consumer(const KafkaSettings& settings, KafkaOptions options) {
  options.insert(options.end(), {{"enable.auto.commit", "false"},
                                 {"enable.auto.offset.store", "false"},
                                 {"auto.offset.reset", "error"},
                                 {"check.crcs", "true"},
                                 {"fetch.error.backoff.ms", "50"},
                                 {"queued.max.messages.kbytes", "16384"}});
  return make_kafka_handle(RD_KAFKA_CONSUMER, settings, options);
}

}  // namespace tilth
