// Which owners have webhooks, for the thread that folds events.

#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_set>

namespace tilth {

// Threads: any. Where no owner has webhooks, any() takes no lock.
class WatchedOwners {
 public:
  bool any() const { return count_ > 0; }
  bool has(const std::string& owner) const;
  void set(const std::string& owner, bool watched);
  void clear();

 private:
  mutable std::mutex mutex_;
  std::unordered_set<std::string> owners_;
  std::atomic<std::size_t> count_ = 0;
};

}  // namespace tilth
