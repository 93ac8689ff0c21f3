// The number of open connections, in total and by address: for the limits, the gauge, a drain that
// waits for the last one, and an acceptor that waits for the workers.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "infra/http/party.h"

namespace tilth {

// The connections of one IPv4 address or one IPv6 /64.
struct AddressGroup {
  explicit AddressGroup(std::string of)
      : address(std::move(of)), party(Party::of_network(address)) {}
  const std::string address;
  const Party party;  // of those of its connections that have shown no credentials
  std::atomic<std::int64_t> open = 0;
};

// Threads: any.
class OpenConnections {
 public:
  explicit OpenConnections(std::function<void(std::int64_t)> on_count)
      : on_count_(std::move(on_count)) {}

  // Counts one more, which no worker has received yet; returns its group and the new total.
  struct Added {
    std::shared_ptr<AddressGroup> group;
    std::int64_t open = 0;
  };
  Added add(const std::string& address) {
    const std::lock_guard lock(mutex_);
    auto& group = groups_[address];
    if (!group) group = std::make_shared<AddressGroup>(address);
    ++group->open;
    ++unreceived_;
    change(1);
    return {group, count_};
  }

  void remove(const AddressGroup& group) {
    const std::lock_guard lock(mutex_);
    const auto found = groups_.find(group.address);
    if (--found->second->open == 0) groups_.erase(found);
    change(-1);
  }

  // A worker has received one, or none ever will.
  void received() {
    const std::lock_guard lock(mutex_);
    --unreceived_;
    received_.notify_all();
  }

  // Waits until fewer than `most` are unreceived. Workers make room as they receive connections, so
  // a burst that gets ahead of them has to wait; counted at once, it would look like too many.
  void wait_for_workers(std::int64_t most) {
    std::unique_lock lock(mutex_);
    received_.wait(lock, [&] { return unreceived_ < most; });
  }

  std::int64_t count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }

  bool wait_for_none(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    return none_.wait_for(lock, at_most, [&] { return count_ == 0; });
  }

 private:
  void change(std::int64_t by) {
    count_ += by;
    on_count_(count_);  // under the lock, so that the gauge ends up right
    if (count_ == 0) none_.notify_all();
  }

  const std::function<void(std::int64_t)> on_count_;
  mutable std::mutex mutex_;
  std::condition_variable none_;
  std::condition_variable received_;
  std::unordered_map<std::string, std::shared_ptr<AddressGroup>> groups_;
  std::int64_t count_ = 0;
  std::int64_t unreceived_ = 0;
};

}  // namespace tilth
