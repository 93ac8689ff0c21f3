// A person is erased: the account closes, and what the owner recorded is removed from the rows. The
// members of earlier events that name the person can no longer be read, by which time depends on
// the log (docs/operations.md).

#pragma once

#include <optional>
#include <string>

#include "events/json/described.h"
#include "events/values/time.h"

namespace tilth {

// Stored forever. In the stream `access`. The user's keys, sessions and identities are gone. The
// actor says who asked for it: an operator, or the user.
struct UserErased {
  static constexpr EventType kType{"tilth.user.erased"};

  std::string user_id;
  std::optional<std::string> reason;  // must not name the person
  Timestamp erased_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("userId", user_id),
       member("reason", reason,
              {.doc = "Why it was erased, as the operator gave it; it must not name the person."}),
       member("erasedAt", erased_at));
  }
};

// Stored forever. In the stream of an owner who was erased: all their records are removed. What
// names no person stays where it is counted, such as in regional prices.
struct RecordsErased {
  static constexpr EventType kType{"tilth.records.erased"};

  Timestamp erased_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("erasedAt", erased_at));
  }
};

}  // namespace tilth
