#include "infra/kafka/write/kafka_producer.h"

#include <array>
#include <utility>

#include "api/platform/thread_name.h"
#include "infra/kafka/write/record_message.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr auto kTurn = 200ms;
constexpr auto kBeforeEnding = 500ms;
constexpr auto kBeforeLookingAgain = 5ms;

Error unknown_outcome(rd_kafka_resp_err_t code) {
  return kafka_unavailable("Whether Kafka has the record is not known", code);
}

}  // namespace

// An append in flight.
struct KafkaProducer::Append {
  EventLog::OnAppended done;
  const KafkaProducerWatch& watch;
  Steady::time_point begun = Steady::now();
};

// librdkafka 2.0 asks for the partitions of a topic that it hears of after it has connected only
// once a second, and the first record would wait for that.
Result<KafkaProducer::Client> KafkaProducer::make_client(const KafkaSettings& settings) {
  auto handle = make_kafka_handle(RD_KAFKA_PRODUCER, settings,
                                  {{"enable.idempotence", "true"},
                                   {"acks", "all"},
                                   {"linger.ms", "0"},
                                   {"message.timeout.ms", "10000"},
                                   {"request.timeout.ms", "3000"},
                                   {"retry.backoff.ms", "20"},
                                   {"message.max.bytes", std::to_string(16 << 20)},
                                   {"queue.buffering.max.messages", "100000"},
                                   {"delivery.report.only.error", "true"}},
                                  prepare);
  if (!handle) return handle.error();
  KafkaTopicHandle topic(rd_kafka_topic_new(handle->get(), settings.topic.c_str(), nullptr));
  return Client{std::move(*handle), std::move(topic)};
}

// An interceptor completes acknowledged records: delivery reports arrive through a queue, which
// costs a thread that waits for it. Failed records complete through that queue, since an
// interceptor may be called under librdkafka's locks for them.
void KafkaProducer::prepare(rd_kafka_conf_t* conf) {
  rd_kafka_conf_interceptor_add_on_new(
      conf, "tilth",
      [](rd_kafka_t* handle, const rd_kafka_conf_t*, void*, char*, size_t) {
        return rd_kafka_interceptor_add_on_acknowledgement(
            handle, "tilth",
            [](rd_kafka_t*, rd_kafka_message_t* message, void*) {
              if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) complete(*message);
              return RD_KAFKA_RESP_ERR_NO_ERROR;
            },
            nullptr);
      },
      nullptr);
  rd_kafka_conf_set_dr_msg_cb(
      conf, [](rd_kafka_t*, const rd_kafka_message_t* message, void*) { complete(*message); });
}

Result<std::unique_ptr<KafkaProducer>> KafkaProducer::start(const KafkaSettings& settings,
                                                            KafkaProducerWatch watch) {
  auto client = make_client(settings);
  if (!client) return client.error();
  return std::unique_ptr<KafkaProducer>(
      new KafkaProducer(settings, std::move(watch), std::move(*client)));
}

KafkaProducer::KafkaProducer(const KafkaSettings& settings, KafkaProducerWatch watch, Client client)
    : settings_(settings),
      watch_(std::move(watch)),
      client_(std::move(client)),
      reports_(rd_kafka_queue_get_main(client_.handle.get())),
      thread_([this] { run(); }) {}

KafkaProducer::~KafkaProducer() { stop(); }

void KafkaProducer::append(int partition, const Record& record, EventLog::OnAppended done,
                           const SealedJson* sealed) {
  auto headers = headers_of(record, sealed != nullptr ? sealed->sealed : std::string());
  const auto& json = sealed != nullptr ? sealed->open : record.json;
  auto* const value = json.empty() ? nullptr : const_cast<char*>(json.data());
  auto append = std::make_unique<Append>(Append{std::move(done), watch_});
  auto code = RD_KAFKA_RESP_ERR__DESTROY;
  {
    const std::shared_lock lock(client_mutex_);
    if (!stopping_) {
      code = rd_kafka_producev(
          client_.handle.get(), RD_KAFKA_V_TOPIC(settings_.topic.c_str()),
          RD_KAFKA_V_PARTITION(partition), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
          RD_KAFKA_V_KEY(record.stream.data(), record.stream.size()),
          RD_KAFKA_V_VALUE(value, json.size()), RD_KAFKA_V_HEADERS(headers.get()),
          RD_KAFKA_V_OPAQUE(append.get()), RD_KAFKA_V_END);
    }
  }
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
    static_cast<void>(headers.release());  // the message owns both now
    static_cast<void>(append.release());
    return;
  }
  post([this, code, append = std::shared_ptr<Append>(std::move(append))] {
    watch_.on_unknown();
    append->done(unknown_outcome(code));
  });
}

void KafkaProducer::complete(const rd_kafka_message_t& message) noexcept {
  const std::unique_ptr<Append> append(static_cast<Append*>(message._private));
  if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR) {
    append->watch.on_durable(Steady::now() - append->begun);
    append->done(Position{message.partition, message.offset});
  } else {
    append->watch.on_unknown();
    append->done(unknown_outcome(message.err));
  }
}

void KafkaProducer::post(Work work) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
  }
  const std::shared_lock lock(client_mutex_);
  if (reports_) rd_kafka_queue_yield(reports_.get());
}

void KafkaProducer::run() {
  name_thread("producer");
  while (!stopping_) {
    rd_kafka_poll(client_.handle.get(), milliseconds_of(kTurn));
    run_posted();
    if (rd_kafka_fatal_error(client_.handle.get(), nullptr, 0) != RD_KAFKA_RESP_ERR_NO_ERROR)
      renew();
  }
  drain(client_.handle.get(), kBeforeEnding);
}

bool KafkaProducer::run_posted() {
  std::vector<Work> posted;
  {
    const std::lock_guard lock(mutex_);
    posted.swap(posted_);
  }
  for (const auto& work : posted) work();
  return !posted.empty();
}

void KafkaProducer::renew() {
  std::array<char, 256> why{};
  rd_kafka_fatal_error(client_.handle.get(), why.data(), why.size());
  auto made = make_client(settings_);
  if (!made) return;  // unlikely, since it worked before; retries at the next turn
  settings_.log_line("Kafka's client is replaced: " + std::string(why.data()));
  KafkaQueue old_reports;
  Client old;
  {
    const std::unique_lock lock(client_mutex_);
    old_reports = std::exchange(reports_, KafkaQueue(rd_kafka_queue_get_main(made->handle.get())));
    old = std::exchange(client_, std::move(*made));
  }
  watch_.on_renewed();
  drain(old.handle.get(), 0ms);
}

// Completes every append of `handle`.
void KafkaProducer::drain(rd_kafka_t* handle, std::chrono::milliseconds timeout) {
  rd_kafka_flush(handle, milliseconds_of(timeout));
  rd_kafka_purge(handle, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  while (rd_kafka_outq_len(handle) > 0) rd_kafka_poll(handle, milliseconds_of(kTurn));
}

bool KafkaProducer::wait_until_idle(std::chrono::milliseconds timeout) {
  const auto until = Steady::now() + timeout;
  const auto idle = [this] {
    const std::shared_lock lock(client_mutex_);
    return rd_kafka_outq_len(client_.handle.get()) == 0;
  };
  while (!idle()) {
    if (Steady::now() >= until) return false;
    std::this_thread::sleep_for(kBeforeLookingAgain);
  }
  return true;
}

void KafkaProducer::stop() {
  if (!thread_.joinable()) return;
  {
    const std::unique_lock lock(client_mutex_);
    stopping_ = true;
  }
  post([] {});
  thread_.join();
  while (run_posted()) {
  }
  reports_.reset();
}

void KafkaProducer::fail_fatally() {
  const std::shared_lock lock(client_mutex_);
  rd_kafka_test_fatal_error(client_.handle.get(), RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER,
                            "injected");
}

}  // namespace tilth
