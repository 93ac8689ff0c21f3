// How operators' routes ask and change what is known of users and keys.

#pragma once

#include <functional>
#include <string_view>

#include "api/operator/operator_api.h"
#include "api/route.h"
#include "projections/user.h"

namespace tilth {

// The row that an answer shows when nothing was changed.
struct ShownRow {
  std::string_view table = {};
  Uuid id = {};
};

// Carries a command out on the stream of users and keys, and answers what `show` makes of it.
void carry_out(const OperatorParts& parts, OperatorCall call, Decide decide, ShownRow shown,
               std::function<HttpResponse(const Outcome&)> show);

// Answers from the newest rows of users and keys.
void answer_from(const OperatorParts& parts, const OperatorCall& call,
                 const std::function<Result<HttpResponse>(const Rows&)>& question);

std::optional<User> find_user(const Rows& rows, const std::string& user_id);

// Runs what takes long on a thread of its own; answers 503 instead when too much runs already.
void run_aside(const OperatorParts& parts, const OperatorCall& call, std::function<void()> work);

// kInvalid with these issues.
Error invalid(Issues issues);

}  // namespace tilth
