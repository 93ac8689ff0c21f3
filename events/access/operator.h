// Operators: those who run the service, each with a token and a role of their own. They are in the
// `access` stream, together with users and keys, so that every node knows them.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "events/json/described.h"
#include "events/values/ids.h"
#include "events/values/time.h"

namespace tilth {

using OperatorId = Id<struct Operator>;

// What an operator may do; each role includes those before it.
enum class OperatorRole : std::uint8_t { kRead, kOperate, kAdminister };

constexpr auto labels(OperatorRole) { return named<OperatorRole>("read", "operate", "administer"); }

// The operator who has the token in the data directory.
inline constexpr std::string_view kBuiltInOperator = "operator";

// Stored forever: a new shape needs a new version with an upcast().
struct OperatorAdded {
  static constexpr EventType kType{"tilth.operator.added"};

  OperatorId operator_id;
  std::string name;  // no other operator ever has it
  OperatorRole role = {};
  std::string token_digest;  // HMAC-SHA256 of the token, in hex; the token itself is not stored
  Timestamp added_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("operatorId", operator_id), member("name", name), member("role", role),
       member("tokenDigest", token_digest), member("addedAt", added_at));
  }
};

// Stored forever. The operator has another role from now on.
struct OperatorAmended {
  static constexpr EventType kType{"tilth.operator.amended"};

  OperatorId operator_id;
  OperatorRole role = {};
  Timestamp amended_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("operatorId", operator_id), member("role", role), member("amendedAt", amended_at));
  }
};

// Stored forever. The operator has another token, and the earlier one is no longer taken.
struct OperatorTokenRotated {
  static constexpr EventType kType{"tilth.operator.token_rotated"};

  OperatorId operator_id;
  std::string token_digest;
  Timestamp rotated_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("operatorId", operator_id), member("tokenDigest", token_digest),
       member("rotatedAt", rotated_at));
  }
};

// Stored forever. It cannot be undone: the name stays with what this operator did.
struct OperatorRemoved {
  static constexpr EventType kType{"tilth.operator.removed"};

  OperatorId operator_id;
  Timestamp removed_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("operatorId", operator_id), member("removedAt", removed_at));
  }
};

}  // namespace tilth
