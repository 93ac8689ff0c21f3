// The port through which a person is erased, for operators and for the person.

#pragma once

#include <functional>
#include <optional>
#include <string>

#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

struct Erasure {
  std::string user_id;
  Timestamp erased_at = {};
  // Nothing of the person is left in the files of this node. Until then it is only unreadable
  // through the service, and in the log.
  bool complete = false;
  std::string left = {};  // what the last try has left, if it is known: a sentence
};

// Threads: any.
class PersonEraser {
 public:
  struct Order {
    std::string user_id;
    std::optional<std::string> reason = {};
    std::string actor;       // who asks for it
    std::string request_id;  // of the request
    std::string traceparent = {};
  };
  // On another thread. Errors:
  //
  //   kNotFound     there never was such a user.
  //   kConflict     no person can be erased from this log; the message says why. Nothing changed.
  //   kUnavailable  the user was not erased, or that is not known, or other nodes may still admit
  //                 the user's keys; repeat it.
  using OnErased = std::function<void(const Result<Erasure>&)>;

  virtual ~PersonEraser() = default;

  // Repeating it finishes what an earlier one left.
  virtual void erase(Order order, OnErased done) = 0;

  // Looks again for erasures that are not finished: the log has more records, or a key is
  // destroyed.
  virtual void wake() = 0;

  // Null: the user was not erased.
  virtual std::optional<Erasure> find(const std::string& user_id) const = 0;
};

}  // namespace tilth
