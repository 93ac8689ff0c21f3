// How well a projection keeps up with its log: how long it has been behind, and how many records it
// folds per second.

#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>

#include "events/values/time.h"

namespace tilth {

// Belongs to one thread; other threads get copies.
class FoldRate {
 public:
  using Steady = std::chrono::steady_clock;

  explicit FoldRate(Steady::time_point begun = Steady::now()) : begun_(begun), folded_at_(begun) {}

  void folded(std::uint64_t records, Steady::time_point now) {
    weight_ = weight_ * faded(now - folded_at_) + static_cast<double>(records);
    folded_at_ = now;
  }
  void caught_up(Steady::time_point now) { caught_up_at_ = now; }

  // Of two that fold side by side: both together are at the end when both are.
  void add(const FoldRate& other) {
    const auto now = std::max(folded_at_, other.folded_at_);
    weight_ = weight_ * faded(now - folded_at_) + other.weight_ * faded(now - other.folded_at_);
    folded_at_ = now;
    was_behind_with(other);
  }
  // The same if both fold the same records.
  void slow_to(const FoldRate& other) {
    const auto now = std::max(folded_at_, other.folded_at_);
    if (other.weight_ * faded(now - other.folded_at_) < weight_ * faded(now - folded_at_)) {
      weight_ = other.weight_;
      folded_at_ = other.folded_at_;
    }
    was_behind_with(other);
  }

  // Over the last seconds; older records count less.
  double per_second(Steady::time_point now) const {
    const double seconds = kMemory.count() * (1 - faded(now - begun_));
    if (seconds <= 0) return 0;
    return std::round(weight_ * faded(now - folded_at_) / seconds * 10) / 10;
  }

  // An upper bound for a projection that is not at the end: the time since it was last there, or
  // since the last record that it folded, whose time is `last_time`, whichever is shorter.
  double seconds_behind(Steady::time_point now, const std::optional<Timestamp>& last_time,
                        Timestamp wall_now) const {
    const Seconds since_end = now - caught_up_at_.value_or(begun_);
    if (!last_time) return since_end.count();
    const auto since_record = std::max(Seconds(wall_now.at - last_time->at), Seconds(0));
    return (caught_up_at_ ? std::min(since_end, since_record) : since_record).count();
  }

 private:
  using Seconds = std::chrono::duration<double>;
  static constexpr Seconds kMemory{5};

  void was_behind_with(const FoldRate& other) {
    begun_ = std::min(begun_, other.begun_);
    if (!other.caught_up_at_) caught_up_at_.reset();
    if (caught_up_at_) caught_up_at_ = std::min(*caught_up_at_, *other.caught_up_at_);
  }

  static double faded(Seconds age) { return std::exp(-age / kMemory); }

  Steady::time_point begun_;
  Steady::time_point folded_at_;
  double weight_ = 0;  // of the records folded until then
  std::optional<Steady::time_point> caught_up_at_;
};

}  // namespace tilth
