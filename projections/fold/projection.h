// A projection: a fold over events into rows, for one use.

#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "events/log/event.h"
#include "projections/rows/rows.h"

namespace tilth {

struct Projection {
  std::string name;
  // Of the shapes of its rows and of how they are folded: where it differs from the one next to the
  // checkpoint, the rows are thrown away and folded again.
  std::string fingerprint;
  std::function<bool(std::string_view stream)> follows;
  std::function<void(MutableRows&, const Event&)> evolve;
  // Of rows that change as time passes, see overdue.h: lets some of those that changed by `now`
  // pass, and says whether that were all.
  std::function<bool(MutableRows&, Timestamp now, std::size_t at_most)> age = {};
  // The stream whose rows come of everybody's events, if there is one: it is as new as a position
  // once what anybody removed before it is gone.
  std::string_view of_all = {};
  // The types of events that change no row of it: they are counted and not decoded.
  std::unordered_set<std::string_view> ignored = {};
  // Whether commands are decided on it: then it keeps the idempotency records.
  bool decides = false;
  // For how long it batches events before it folds them, while no reader waits for it.
  std::chrono::milliseconds linger{0};
};

// What stands on every owner's land, and the reference data that all of them read.
Projection registry();

// What farms earn and spend, added up, and the exchange rates by which that is told in one
// currency.
Projection finance();

// What crops cost in each country, of all owners' sales and price reports.
Projection market();

// Users and their API keys.
Projection access();

}  // namespace tilth
