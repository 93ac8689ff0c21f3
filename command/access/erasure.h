// Commands by which a person is erased. They are carried out one after the other:
// docs/operations.md says what happens in between.

#pragma once

#include <optional>
#include <string>

#include "command/decision.h"
#include "projections/access/erased_user.h"

namespace tilth {

// On the stream of users and keys.
struct EraseUser {
  std::string user_id;
  std::optional<std::string> reason = {};
};

// On the owner's stream.
struct EraseRecords {};

// UserErased; nothing if the user was erased before. kNotFound: there never was such a user.
Decision decide(const Rows&, const EraseUser&, const Context&);

// RecordsErased; nothing if there is nothing to remove.
Decision decide(const Rows&, const EraseRecords&, const Context&);

}  // namespace tilth
