#include "infra/kafka/kafka_watch.h"

#include <chrono>
#include <utility>

#include "infra/kafka/kafka_offsets.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 2s;
constexpr std::chrono::milliseconds kLooks{1'000}, kLooksForTheFirst{200};

}  // namespace

KafkaWatch::KafkaWatch(rd_kafka_t* asker, const KafkaSettings& settings, int partitions,
                       int watched, OnFirst on_first, std::shared_ptr<ReadingGate> gate)
    : asker_(asker),
      settings_(settings),
      partitions_(partitions),
      watched_(watched),
      on_first_(std::move(on_first)),
      gate_(std::move(gate)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

KafkaWatch::~KafkaWatch() = default;

void KafkaWatch::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto sound = look();
    if (!sound && sound.error().code != ErrorCode::kUnavailable) {
      settings_.say(sound.error().message);
      return gate_->shut({ErrorCode::kLost, sound.error().message});
    }
    std::unique_lock lock(mutex_);
    stopping_.wait_for(lock, stop, first_ ? kLooks : kLooksForTheFirst, [] { return false; });
  }
}

// kUnavailable: nothing is known.
Status KafkaWatch::look() {
  const auto whole = find_beginnings(asker_, settings_.topic, partitions_, kPatience);
  if (!whole || !first_) return whole ? look_for_the_first() : whole;
  // Where what is younger than the first record begins: not with it.
  const auto next = ask_kafka_offsets_since(asker_, settings_.topic, {watched_},
                                            first_->kafka_time + 1, kPatience);
  if (!next) return next.error();
  if (next->at(watched_) > 0) return kDone;
  return Error{ErrorCode::kLost, "The topic " + settings_.topic +
                                     " was made anew: it no longer begins with event " +
                                     first_->id + "."};
}

Status KafkaWatch::look_for_the_first() {
  const auto found = first_record(asker_, settings_, watched_);
  if (!found) return found.error();
  if (!*found) return kDone;
  if (const auto ours = on_first_((*found)->id); !ours) return ours;
  first_ = **found;
  return kDone;
}

}  // namespace tilth
