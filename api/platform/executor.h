// Port: where work runs that takes too long for the thread that brings it.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "events/json/described.h"
#include "events/values/result.h"

namespace tilth {

// What the metrics distinguish.
enum class WorkKind : std::uint8_t { kBody, kQuery, kStream, kAsOf, kPassword, kProvider };

constexpr auto labels(WorkKind) {
  return named<WorkKind>("body", "query", "stream", "as_of", "password", "provider");
}

// Whether a piece of work should continue.
class WorkToken {
 public:
  virtual ~WorkToken() = default;

  // False once the client is gone, the deadline has passed or the service stops; then it stays
  // false. On the thread of the work it may block, so that the work of other owners can run: hold
  // no lock. Call it about every millisecond.
  virtual bool go_on() = 0;

  // The response after go_on() returned false: kUnavailable.
  virtual Error error() const = 0;
};

// Threads: any.
class Executor {
 public:
  struct Work {
    std::string owner;
    WorkKind kind = WorkKind::kQuery;
    // Called exactly once, unless post() refused it; also when it is too late, or the service
    // stops: then the token says so from the start.
    std::function<void(WorkToken&)> run;
    std::function<bool()> abandoned = {};  // whether its client is gone; from any thread
    std::chrono::seconds timeout{30};      // from post(); the deadline of all its slices
    bool continues = false;                // work that was accepted earlier: never too much
  };

  virtual ~Executor() = default;

  // Never runs it within the call. kUnavailable, and nothing is done: too much waits, of this owner
  // or of all, or it is closed.
  virtual Status post(Work work) = 0;
};

}  // namespace tilth
