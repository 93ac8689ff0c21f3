// Commands on operators, from an operator who administers.

#pragma once

#include <string>
#include <string_view>

#include "command/decision.h"
#include "projections/access/operator.h"

namespace tilth {

// Whether an operator may have that name: 1 to 64 of a-z 0-9 . _ and -, beginning with a letter.
bool is_operator_name(std::string_view name);

// Digests are made beforehand: decide() uses no randomness.
struct AddOperator {
  std::string name;
  OperatorRole role = {};
  std::string token_digest;
};

struct AmendOperator {
  std::string name;
  OperatorRole role = {};
};

struct RotateOperatorToken {
  std::string name;
  std::string token_digest;
};

struct RemoveOperator {
  std::string name;
};

// OperatorAdded. kConflict: an operator has that name, or had it before being removed.
Decision decide(const Rows&, const AddOperator&, const Context&);

// OperatorAmended; nothing if the operator has that role. kNotFound: there is no such operator.
Decision decide(const Rows&, const AmendOperator&, const Context&);

// OperatorTokenRotated. kNotFound: there is no such operator.
Decision decide(const Rows&, const RotateOperatorToken&, const Context&);

// OperatorRemoved. kNotFound: there is no such operator.
Decision decide(const Rows&, const RemoveOperator&, const Context&);

}  // namespace tilth
