#include "infra/kafka/topic/topic_watch.h"

#include <chrono>
#include <utility>

#include "api/platform/thread_name.h"
#include "infra/kafka/client/kafka_offsets.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr auto kTimeout = 2s;
constexpr std::chrono::milliseconds kLooks{1'000}, kLooksForTheFirst{200};

}  // namespace

TopicWatch::TopicWatch(rd_kafka_t* asker, const KafkaSettings& settings, int partitions,
                       int watched, OnFirst on_first, std::shared_ptr<ReadingGate> gate)
    : asker_(asker),
      settings_(settings),
      partitions_(partitions),
      watched_(watched),
      on_first_(std::move(on_first)),
      gate_(std::move(gate)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

TopicWatch::~TopicWatch() = default;

void TopicWatch::run(const std::stop_token& stop) {
  name_thread("topic watch");
  while (!stop.stop_requested()) {
    const auto sound = look();
    if (!sound && sound.error().code != ErrorCode::kUnavailable) {
      settings_.log_line(sound.error().message);
      return gate_->shut({ErrorCode::kLost, sound.error().message});
    }
    std::unique_lock lock(mutex_);
    stopping_.wait_for(lock, stop, first_ ? kLooks : kLooksForTheFirst, [] { return false; });
  }
}

// kUnavailable: the state of the topic is unknown.
Status TopicWatch::look() {
  const auto whole = find_beginnings(asker_, settings_.topic, partitions_, kTimeout);
  if (!whole || !first_) return whole ? look_for_the_first() : whole;
  // Records that are newer than the first one must not begin at its offset.
  const auto next = ask_kafka_offsets_since(asker_, settings_.topic, {watched_},
                                            first_->kafka_time + 1, kTimeout);
  if (!next) return next.error();
  if (next->at(watched_) > 0) return kDone;
  return Error{ErrorCode::kLost, "The topic " + settings_.topic +
                                     " was recreated: it no longer begins with event " +
                                     first_->id + "."};
}

Status TopicWatch::look_for_the_first() {
  const auto found = first_record(asker_, settings_, watched_);
  if (!found) return found.error();
  if (!*found) return kDone;
  if (const auto ours = on_first_((*found)->id); !ours) return ours;
  first_ = **found;
  return kDone;
}

}  // namespace tilth
