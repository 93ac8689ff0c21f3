#include "infra/kafka/read/kafka_tail.h"

#include <algorithm>
#include <utility>

namespace tilth {
namespace {

constexpr std::size_t kPage = 512;
constexpr std::size_t kAlways = 1'024;  // records that are always kept, so that others catch up
constexpr std::size_t kMost = 8'192, kMostBytes = std::size_t{32} << 20;
constexpr std::chrono::seconds kLately{1};

std::size_t size_of(const LoggedRecord& logged) {
  return sizeof logged + sizeof(Record) + logged.record->json.size();
}

}  // namespace

Result<std::unique_ptr<KafkaTail>> KafkaTail::open(const KafkaSettings& settings,
                                                   KafkaReader::PartitionOf partition_of,
                                                   const std::vector<Position>& from,
                                                   std::shared_ptr<ReadingGate> gate,
                                                   const KafkaGathering& gathering,
                                                   std::shared_ptr<OwnerKeys> keys) {
  std::unique_ptr<KafkaTail> tail(new KafkaTail(from));
  auto source = KafkaReader::open(settings, std::move(partition_of), from, std::move(gate),
                                  {.gathering = gathering,
                                   .on_arrival = [tail = tail.get()] { tail->wake_all(); },
                                   .keys = std::move(keys)});
  if (!source) return source.error();
  tail->source_ = std::move(*source);
  tail->own_ = tail->source_->own_records();
  return tail;
}

KafkaTail::KafkaTail(const std::vector<Position>& from) {
  for (const auto& [partition, offset] : from) next_[partition] = offset;
  kept_from_ = next_;
}

void KafkaTail::wake_all() {
  const std::lock_guard lock(waking_);
  ++wakes_;
  for (auto* listener : waiting_) listener->called.notify_one();
}

std::uint64_t KafkaTail::wakes() const {
  const std::lock_guard lock(waking_);
  return wakes_;
}

void KafkaTail::wait(std::uint64_t seen, Listener& listener,
                     std::chrono::steady_clock::time_point until) {
  std::unique_lock lock(waking_);
  waiting_.push_back(&listener);
  listener.called.wait_until(lock, until, [&] { return listener.woken || wakes_ != seen; });
  std::erase(waiting_, &listener);
}

void KafkaTail::rest(Listener& listener, std::chrono::steady_clock::time_point until) {
  std::unique_lock lock(waking_);
  listener.called.wait_until(lock, until, [&] { return listener.woken; });
}

void KafkaTail::wake(Listener& listener) {
  const std::lock_guard lock(waking_);
  listener.woken = true;
  listener.called.notify_one();
}

bool KafkaTail::take_woken(Listener& listener) {
  const std::lock_guard lock(waking_);
  return std::exchange(listener.woken, false);
}

bool KafkaTail::join(Place& place) {
  const std::lock_guard lock(mutex_);
  for (const auto& [partition, offset] : place.next) {
    if (offset < kept_from_.at(partition)) return false;
  }
  place.number = first_;
  place.troubles = troubles_;
  joined_.insert(&place);
  return true;
}

void KafkaTail::leave(Place& place) {
  const std::lock_guard lock(mutex_);
  joined_.erase(&place);
}

bool KafkaTail::knows(const std::vector<Position>& next) {
  const std::lock_guard lock(mutex_);
  return std::ranges::all_of(next, [this](const auto& each) {
    const auto read = next_.find(each.partition);
    return read != next_.end() && each.offset >= kept_from_.at(each.partition) &&
           each.offset <= read->second;
  });
}

Result<KafkaTail::Taken> KafkaTail::take(Place& place, std::size_t limit) {
  Taken taken;
  const std::lock_guard lock(mutex_);
  place.asked = std::chrono::steady_clock::now();
  if (place.number + limit > first_ + records_.size()) read_on(place.asked);
  if (place.number < first_) {
    taken.missed = true;
    return taken;
  }
  taken.prefetch_now = source_->is_in_a_hurry();
  for (; place.number < first_ + records_.size() && taken.records.size() < limit; ++place.number) {
    const auto& logged = records_[place.number - first_];
    const auto next = place.next.find(logged.position.partition);
    if (next == place.next.end() || logged.position.offset < next->second) continue;
    next->second = logged.position.offset + 1;
    taken.records.push_back(logged);
  }
  if (!taken.records.empty() || place.troubles == troubles_) return taken;
  place.troubles = troubles_;
  return *trouble_;
}

void KafkaTail::read_on(std::chrono::steady_clock::time_point now) {
  auto page = source_->next(kPage, std::chrono::milliseconds(0));
  if (!page) {
    trouble_ = page.error();
    ++troubles_;
    return;
  }
  for (auto& logged : *page) {
    next_[logged.position.partition] = logged.position.offset + 1;
    bytes_ += size_of(logged);
    records_.push_back(std::move(logged));
  }
  auto wanted = first_ + records_.size();
  for (const auto* place : joined_) {
    if (now - place->asked < kLately) wanted = std::min(wanted, place->number);
  }
  while (records_.size() > kMost || (bytes_ > kMostBytes && records_.size() > 1) ||
         (records_.size() > kAlways && first_ < wanted)) {
    forget();
  }
}

void KafkaTail::forget() {
  const auto& position = records_.front().position;
  kept_from_[position.partition] = position.offset + 1;
  bytes_ -= size_of(records_.front());
  records_.pop_front();
  ++first_;
}

void KafkaTail::forget_all() {
  const std::lock_guard lock(mutex_);
  while (!records_.empty()) forget();
}

void KafkaTail::prefetch_now(const Position& position) {
  const std::lock_guard lock(mutex_);
  source_->prefetch_now(position);
}

}  // namespace tilth
