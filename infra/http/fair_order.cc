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
  lane.waiting.push_back(std::move(message));
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
  Next next{lane.of, std::move(lane.waiting[lane.first++])};
  if (lane.empty()) {
    lane.waiting.clear();
    lane.first = 0;
  }
  return next;
}

void FairOrder::used(Party by, Clock::duration time) {
  auto& lane = lanes_[by];
  lane.used += time;
  class_of(by).used += time;
  if (!lane.empty() && !lane.queued) queue(lane);
}

void FairOrder::forget_ready() {
  if (size_ == 0) return;
  for (auto& [party, lane] : lanes_) {
    const auto begin = lane.waiting.begin() + static_cast<std::ptrdiff_t>(lane.first);
    const auto kept = std::remove_if(begin, lane.waiting.end(), [](const WorkerMessage& message) {
      return std::holds_alternative<Ready>(message.content);
    });
    size_ -= static_cast<std::size_t>(lane.waiting.end() - kept);
    lane.waiting.erase(kept, lane.waiting.end());
    if (lane.empty()) lane.queued = false;
  }
  for (auto* of : {&known_, &strangers_}) {
    std::erase_if(of->heap, [](const Lane* lane) { return !lane->queued; });
    std::ranges::make_heap(of->heap, goes_later<Lane>);
  }
}

}  // namespace tilth
