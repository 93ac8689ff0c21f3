#include "infra/http/fair_order.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace tilth {
namespace {

constexpr std::chrono::milliseconds kHalfLife{100};
constexpr std::chrono::microseconds kTrifle{1};
constexpr std::int64_t kMostHalvings = 62;

template <class Lane>
bool goes_later(const Lane* one, const Lane* other) {
  return one->used > other->used;
}

}  // namespace

WorkerMessage FairOrder::Queue::take() {
  auto message = std::move(messages[first++]);
  if (empty()) clear();
  return message;
}

void FairOrder::Queue::clear() {
  messages.clear();
  first = 0;
}

void FairOrder::begin(Clock::time_point now) {
  const auto halvings = (now - halved_) / kHalfLife;
  if (halvings < 1) return;
  halved_ = now;
  const auto parts = std::int64_t{1} << std::min<std::int64_t>(halvings, kMostHalvings);
  known_.used /= parts;
  strangers_.used /= parts;
  for (auto each = lanes_.begin(); each != lanes_.end();) {
    auto& lane = each->second;
    lane.used /= parts;
    each = lane.used < kTrifle && lane.empty() ? lanes_.erase(each) : std::next(each);
  }
}

void FairOrder::add(Party of, WorkerMessage message) {
  auto& lane = lanes_[of];
  lane.of = of;
  const bool is_ready = std::holds_alternative<Ready>(message.content);
  if (is_ready && lane.ready.messages.empty()) ready_.push_back(of);
  (is_ready ? lane.ready : lane.waiting).messages.push_back(std::move(message));
  ++size_;
  if (!lane.queued) queue(lane);
}

void FairOrder::queue(Lane& lane) {
  auto& heap = class_of(lane.of).heap;
  lane.queued = true;
  heap.push_back(&lane);
  std::ranges::push_heap(heap, goes_later<Lane>);
}

std::optional<FairOrder::Next> FairOrder::next() {
  if (size_ == 0) return std::nullopt;
  const bool known_first =
      strangers_.heap.empty() || (!known_.heap.empty() && known_.used <= strangers_.used);
  auto& heap = known_first ? known_.heap : strangers_.heap;
  std::ranges::pop_heap(heap, goes_later<Lane>);
  Lane& lane = *heap.back();
  heap.pop_back();
  lane.queued = false;
  --size_;
  return Next{lane.of, (lane.waiting.empty() ? lane.ready : lane.waiting).take()};
}

void FairOrder::used(Party by, Clock::duration time) {
  auto& lane = lanes_[by];
  lane.used += time;
  class_of(by).used += time;
  if (!lane.empty() && !lane.queued) queue(lane);
}

void FairOrder::forget_ready() {
  if (size_ == 0) return ready_.clear();
  bool emptied = false;
  for (const auto& party : ready_) {
    const auto found = lanes_.find(party);
    if (found == lanes_.end() || found->second.ready.empty()) continue;
    auto& lane = found->second;
    size_ -= lane.ready.size();
    lane.ready.clear();
    if (!lane.empty()) continue;
    lane.queued = false;
    emptied = true;
  }
  ready_.clear();
  if (!emptied) return;
  for (auto* of : {&known_, &strangers_}) {
    std::erase_if(of->heap, [](const Lane* lane) { return !lane->queued; });
    std::ranges::make_heap(of->heap, goes_later<Lane>);
  }
}

}  // namespace tilth
