// What the market has to review: ranges of its index keys, reviewed a part at a time, so that a
// change that affects a million offers costs no memory and delays no other owner.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "projections/rows/rows.h"

namespace tilth {

// Enqueues all keys from `begin` on and before `end`. If enqueued again, the range starts over.
void enqueue_review(MutableRows& market, const std::string& begin, const std::string& end);

// Enqueues all keys that begin with `prefix`.
void enqueue_review(MutableRows& market, std::string prefix);

// Visits about `at_most` enqueued keys; returns whether those were all. `visit` may change
// anything, and enqueue more.
bool review_some(MutableRows& market, std::size_t at_most,
                 const std::function<void(std::string_view key)>& visit);

// Whether there is nothing to review; one look-up.
bool nothing_to_review(const Rows& market);

}  // namespace tilth
