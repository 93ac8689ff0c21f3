// A projection: a fold over events into rows, for one use.

#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "events/catalogue.h"
#include "projections/event_types.h"
#include "projections/rows.h"

namespace tilth {

struct Projection {
  std::string name;
  // Of the shapes of its rows and of how they are folded: where it differs from the one beside the
  // checkpoint, the rows are thrown away and folded anew.
  std::string fingerprint;
  std::function<bool(std::string_view stream)> follows;
  std::function<void(MutableRows&, const Event&)> evolve;
  // Of rows that change as time passes, see aging.h: lets some of those that changed by `now` pass,
  // and says whether that were all.
  std::function<bool(MutableRows&, Timestamp now, std::size_t at_most)> age = {};
  // The stream whose rows come of everybody's events, if there is one: it is as new as a position
  // once what anybody removed before it is gone.
  std::string_view of_all = {};
  // Events that change no row of it: they are counted, and what they say is not read.
  EventTypes ignored = {};
  // Whether commands are decided on it, so that it keeps how requests with an Idempotency-Key
  // ended.
  bool remembers = false;
  // For how long it lets events come together, to be folded at once, while nobody waits for it.
  std::chrono::milliseconds gathers{0};
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
