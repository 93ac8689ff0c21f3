// Places that owners take and give back, so that a few owners cannot take them all.

#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace tilth {

// The last quarter is for owners who have few. Threads: any. Must outlive its places.
class FairPlaces {
 public:
  struct Limits {
    int all = 0;
    int per_owner = 0;
    int few = 1;  // who has fewer may take one of the last quarter
  };

  explicit FairPlaces(Limits limits) : limits_(limits) {}

  // Released with its last copy. Null: there is none for this owner.
  using Place = std::shared_ptr<void>;
  Place take(const std::string& owner) {
    const std::lock_guard lock(mutex_);
    const auto found = taken_.find(owner);
    const int own = found == taken_.end() ? 0 : found->second;
    const bool almost_full = all_ >= limits_.all - limits_.all / 4;
    if (all_ >= limits_.all || own >= (almost_full ? limits_.few : limits_.per_owner)) return {};
    ++all_;
    ++taken_[owner];
    return {this, [this, owner](void*) { release(owner); }};
  }

 private:
  void release(const std::string& owner) {
    const std::lock_guard lock(mutex_);
    --all_;
    const auto found = taken_.find(owner);
    if (--found->second == 0) taken_.erase(found);
  }

  const Limits limits_;
  std::mutex mutex_;  // guards the members below
  int all_ = 0;
  std::map<std::string, int> taken_;
};

}  // namespace tilth
