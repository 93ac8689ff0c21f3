#include "infra/usage/sharing_freshness.h"

#include <algorithm>

namespace tilth {

bool SharingFreshness::read_own(const std::string& id) {
  if (!sent_ || sent_->first != id) return false;
  fresh_since_ = sent_->second;
  sent_.reset();
  return true;
}

void SharingFreshness::read_another(std::int64_t known, Instant now) {
  known_ = std::max(known_, known);
  if (fresh_since_) another_read_at_ = now;  // else the batch is old
}

bool SharingFreshness::fresh(Instant now, std::int64_t known) const {
  return is_current(now) && known >= known_;
}

bool SharingFreshness::alone(Instant now) const {
  return fresh_since_ && (!another_read_at_ || *another_read_at_ + 2 * length_ < now);
}

}  // namespace tilth
