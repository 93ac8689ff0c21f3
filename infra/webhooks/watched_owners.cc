#include "infra/webhooks/watched_owners.h"

namespace tilth {

bool WatchedOwners::has(const std::string& owner) const {
  const std::lock_guard lock(mutex_);
  return owners_.contains(owner);
}

void WatchedOwners::set(const std::string& owner, bool watched) {
  const std::lock_guard lock(mutex_);
  watched ? void(owners_.insert(owner)) : void(owners_.erase(owner));
  count_ = owners_.size();
}

void WatchedOwners::clear() {
  const std::lock_guard lock(mutex_);
  owners_.clear();
  count_ = 0;
}

}  // namespace tilth
