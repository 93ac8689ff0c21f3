// The operators who have a token, in memory.

#pragma once

#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "events/access/operator.h"
#include "events/log/event.h"
#include "projections/rows/rows.h"

namespace tilth {

// What the tokens of all operators but the built-in one begin with.
inline constexpr std::string_view kOperatorTokenPrefix = "svc_operator_";

// Who carries out an operator's request.
struct OperatorIdentity {
  std::string name;
  OperatorRole role = {};
  std::string actor;  // of the events that the request leads to

  static std::shared_ptr<const OperatorIdentity> of(const std::string& name, OperatorRole role);
  static std::shared_ptr<const OperatorIdentity> built_in() {
    return of(std::string(kBuiltInOperator), OperatorRole::kAdminister);
  }

  // "operator" for the built-in one, else "operator:amina".
  static std::string actor_of(const std::string& name);
};

// Follows the access projection: filled from its rows at startup, then given each event before the
// command that caused it completes. Threads: any.
class OperatorRing {
 public:
  void fill(const Rows& rows);
  void on_event(const Event& event);

  // The operator whose token has that digest; null when there is none.
  std::shared_ptr<const OperatorIdentity> find(const std::string& digest) const;

 private:
  struct Known {
    std::string name;
    OperatorRole role = {};
    std::string digest;
  };

  void put(const OperatorId& id, Known known);
  void erase(const OperatorId& id);

  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, Known> operators_;  // by id
  std::unordered_map<std::string, std::shared_ptr<const OperatorIdentity>> by_digest_;
};

}  // namespace tilth
