// librdkafka alone, acknowledged by all replicas: the baseline for the service's writes on Kafka.
//
// Usage: bench_kafka_produce BROKERS TOPIC IN_FLIGHT SECONDS BYTES
//
// IN_FLIGHT records of BYTES bytes are in flight at any time, each with its own key; the next one
// is sent when the last one is acknowledged. The first fraction of a second is not counted.

#include <array>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <librdkafka/rdkafka.h>

#include "bench/closed_loop.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Loop {
  rd_kafka_t* producer = nullptr;
  const char* topic = nullptr;
  std::string record;
  std::vector<Clock::time_point> began = {};  // by slot
  Clock::time_point from = {}, until = {};
  std::vector<std::uint32_t> microseconds = {};
  bool failed = false;

  void send(std::size_t slot) {
    began[slot] = Clock::now();
    const auto key = "user_" + std::to_string(slot);
    const auto code = rd_kafka_producev(
        producer, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
        RD_KAFKA_V_KEY(key.data(), key.size()), RD_KAFKA_V_VALUE(record.data(), record.size()),
        RD_KAFKA_V_OPAQUE(reinterpret_cast<void*>(slot)), RD_KAFKA_V_END);
    failed = failed || code != RD_KAFKA_RESP_ERR_NO_ERROR;
  }

  static void on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void* loop) noexcept {
    static_cast<Loop*>(loop)->delivered(*message);
  }

  void delivered(const rd_kafka_message_t& message) {
    const auto slot = reinterpret_cast<std::size_t>(message._private);
    failed = failed || message.err != RD_KAFKA_RESP_ERR_NO_ERROR;
    const auto now = Clock::now();
    if (now >= from && now < until) {
      const auto took = std::chrono::duration_cast<std::chrono::microseconds>(now - began[slot]);
      microseconds.push_back(static_cast<std::uint32_t>(took.count()));
    }
    if (now < until) send(slot);
  }
};

rd_kafka_t* producer(const std::string& brokers, Loop& loop) {
  std::array<char, 512> why{};
  auto* conf = rd_kafka_conf_new();
  const std::array<std::array<const char*, 2>, 6> settings = {
      {{"bootstrap.servers", brokers.c_str()},
       {"enable.idempotence", "true"},
       {"acks", "all"},
       {"linger.ms", "0"},
       {"socket.nagle.disable", "true"},
       {"partitioner", "murmur2"}}};
  for (const auto& [name, value] : settings) {
    if (rd_kafka_conf_set(conf, name, value, why.data(), why.size()) != RD_KAFKA_CONF_OK) {
      throw std::runtime_error(why.data());
    }
  }
  rd_kafka_conf_set_opaque(conf, &loop);
  rd_kafka_conf_set_dr_msg_cb(conf, Loop::on_delivery);
  auto* made = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why.data(), why.size());
  if (made == nullptr) throw std::runtime_error(why.data());
  return made;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 6) throw std::runtime_error("BROKERS TOPIC IN_FLIGHT SECONDS BYTES");
  const auto in_flight = std::stoul(arguments[3]);
  const double seconds = std::stod(arguments[4]);
  Loop loop{.topic = arguments[2], .record = tilth::bench::noise(std::stoul(arguments[5]))};
  loop.began.resize(in_flight);
  const std::unique_ptr<rd_kafka_t, decltype(&rd_kafka_destroy)> owned(producer(arguments[1], loop),
                                                                       rd_kafka_destroy);
  loop.producer = owned.get();
  loop.until = Clock::time_point::min();
  loop.send(0);  // until the topic exists and the client knows its leaders
  rd_kafka_flush(owned.get(), 30'000);

  loop.from = Clock::now() + tilth::bench::kWarmUp;
  loop.until = loop.from +
               std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  for (std::size_t slot = 0; slot < in_flight; ++slot) loop.send(slot);
  while (rd_kafka_outq_len(owned.get()) > 0) rd_kafka_poll(owned.get(), 100);
  if (loop.failed) throw std::runtime_error("the broker does not take everything");
  tilth::bench::print_result(std::move(loop.microseconds), seconds);
} catch (const std::exception& error) {
  std::cerr << "bench_kafka_produce: " << error.what() << '\n';
  return 1;
}
