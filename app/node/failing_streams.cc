#include "app/node/failing_streams.h"

namespace tilth {

void FailingStreams::add(const std::vector<std::string>& streams, const Status& why,
                         Steady::time_point now) {
  const std::lock_guard lock(mutex_);
  for (const auto& stream : streams) {
    auto& failing = streams_[stream];
    failing.why = why;
    failing.again = now + kPause;
  }
}

std::size_t FailingStreams::count() const {
  const std::lock_guard lock(mutex_);
  return streams_.size();
}

bool FailingStreams::contains(const std::string& stream) const {
  const std::lock_guard lock(mutex_);
  return streams_.contains(stream);
}

Status FailingStreams::why() const {
  const std::lock_guard lock(mutex_);
  return streams_.empty() ? kDone : streams_.begin()->second.why;
}

std::vector<std::string> FailingStreams::begin(std::size_t at_most, Steady::time_point now) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> begun;
  for (auto& [stream, failing] : streams_) {
    if (under_way_ >= at_most) break;
    if (failing.under_way || now < failing.again) continue;
    failing.under_way = true;
    ++under_way_;
    begun.push_back(stream);
  }
  return begun;
}

void FailingStreams::ended(const std::string& stream, const Status& how, Steady::time_point now) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  --under_way_;
  if (how) {
    streams_.erase(found);
  } else {
    found->second = {how, now + kPause};
  }
}

void FailingStreams::forget_idle() {
  const std::lock_guard lock(mutex_);
  std::erase_if(streams_, [](const auto& each) { return !each.second.under_way; });
}

}  // namespace tilth
