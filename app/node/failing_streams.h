// The streams whose due work could not be carried out, so that they delay no other.

#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "events/values/result.h"

namespace tilth {

// Threads: any.
class FailingStreams {
 public:
  using Steady = std::chrono::steady_clock;

  // That long a stream is left alone after it has failed.
  static constexpr std::chrono::milliseconds kPause{1'000};

  void add(const std::vector<std::string>& streams, const Status& why, Steady::time_point now);

  std::size_t count() const;
  bool contains(const std::string& stream) const;
  // Why one of them fails; kDone if there is none.
  Status why() const;

  // Those whose pause is over, as long as no more than `at_most` are under way at once. Each is
  // under way until ended() is called for it: with kDone it is no longer among these.
  std::vector<std::string> begin(std::size_t at_most, Steady::time_point now);
  void ended(const std::string& stream, const Status& how, Steady::time_point now);

  // Forgets those that are not under way.
  void forget_idle();

 private:
  struct Failing {
    Status why = kDone;
    Steady::time_point again = {};
    bool under_way = false;
  };

  mutable std::mutex mutex_;
  std::map<std::string, Failing> streams_;
  std::size_t under_way_ = 0;
};

}  // namespace tilth
