#include "infra/kafka/read/tail_reader.h"

#include <algorithm>
#include <utility>

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kWhileWanted{2};  // how often the tail has to be read then
constexpr std::chrono::milliseconds kAtMost{
    100};  // for changes without a notification, such as a gate that opens again

}  // namespace

TailReader::TailReader(KafkaTail& tail, const std::vector<Position>& next, ReadAlone read_alone,
                       Options options)
    : tail_(tail), read_alone_(std::move(read_alone)), options_(options) {
  for (const auto& [partition, offset] : next) place_.next[partition] = offset;
  joined_ = tail_.join(place_);
}

Result<std::vector<LoggedRecord>> TailReader::next(std::size_t limit,
                                                   std::chrono::milliseconds timeout) {
  const auto until = Steady::now() + timeout;
  const bool together = options_.linger > 0ms && timeout > 0ms;
  bool woken = false;
  while (true) {
    if (!joined_ && !alone_) {
      if (const auto alone = go_alone(); !alone) return alone.error();
    }
    if (alone_) return next_alone(limit, timeout);
    if (together && !woken && !is_wanted() && Steady::now() < looks_again_) {
      tail_.rest(listener_, std::min(until, looks_again_));
    }
    const auto seen = tail_.wakes();
    woken = tail_.take_woken(listener_) || woken;
    auto taken = tail_.take(place_, limit);
    if (!taken) return taken.error();
    if (taken->missed) {
      joined_ = tail_.join(place_);
      continue;
    }
    if (taken->records.size() < limit) looks_again_ = Steady::now() + options_.linger;
    if (!taken->records.empty() || woken || Steady::now() >= until) {
      return std::move(taken->records);
    }
    const bool soon = is_wanted() || (taken->prefetch_now && !together);
    if (together && !soon) continue;  // it rests first
    tail_.wait(seen, listener_, std::min(until, Steady::now() + (soon ? kWhileWanted : kAtMost)));
  }
}

Result<std::vector<LoggedRecord>> TailReader::next_alone(std::size_t limit,
                                                         std::chrono::milliseconds timeout) {
  auto found = alone_->next(limit, timeout);
  if (!found) return found;
  for (const auto& [position, record] : *found) {
    auto& next = place_.next.at(position.partition);
    next = std::max(next, position.offset + 1);
  }
  joined_ = tail_.join(place_);
  if (!joined_) return found;
  std::unique_ptr<LogReader> done;
  const std::lock_guard lock(mutex_);
  alone_.swap(done);
  return found;
}

Status TailReader::go_alone() {
  tail_.leave(place_);
  std::vector<Position> from;
  for (const auto& [partition, offset] : place_.next) from.push_back({partition, offset});
  auto alone = read_alone_(from);
  if (!alone) return alone.error();
  const std::lock_guard lock(mutex_);
  alone_ = std::move(*alone);
  if (tail_.take_woken(listener_)) alone_->wake();
  return kDone;
}

bool TailReader::is_wanted() {
  if (wanted_.empty()) return false;
  const auto now = Steady::now();
  std::erase_if(wanted_, [&](const auto& of_partition) {
    const auto& [last, at_most_until] = of_partition.second;
    return last < place_.next.at(of_partition.first) || now > at_most_until;
  });
  return !wanted_.empty();
}

void TailReader::wake() {
  tail_.wake(listener_);  // first: go_alone() may be about to look
  const std::lock_guard lock(mutex_);
  if (alone_) alone_->wake();
}

void TailReader::prefetch_now(const Position& position) {
  if (alone_) return alone_->prefetch_now(position);
  const auto next = place_.next.find(position.partition);
  if (next == place_.next.end() || position.offset < next->second) return;
  auto& [last, until] = wanted_[position.partition];
  last = std::max(last, position.offset);
  until = Steady::now() + KafkaReader::kIsWanted;
  tail_.prefetch_now(position);
}

void TailReader::skip_to(const Position& position) {
  auto& next = place_.next.at(position.partition);
  next = std::max(next, position.offset);
  if (alone_) alone_->skip_to(position);
}

}  // namespace tilth
