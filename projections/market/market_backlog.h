// What the market has to look at again: ranges of its index keys, worked off a part at a time, so
// that a change which touches a million offers costs no memory and no one else notices.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "projections/rows/rows.h"

namespace tilth {

// All keys from `begin` on and before `end`. Asked for again it begins again.
void enqueue_review(MutableRows& market, const std::string& begin, const std::string& end);

// All keys that begin with `prefix`.
void enqueue_review(MutableRows& market, std::string prefix);

// Hands over about `at_most` keys that are to be looked at; whether those were all. `visit` may
// change what it likes, and ask for more.
bool review_some(MutableRows& market, std::size_t at_most,
                 const std::function<void(std::string_view key)>& visit);

// Whether there is nothing to look at; one look-up.
bool nothing_to_review(const Rows& market);

}  // namespace tilth
