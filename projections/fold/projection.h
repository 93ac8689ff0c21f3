// A projection: a fold over events into rows, for one use.

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "events/log/event.h"
#include "projections/rows/rows.h"

namespace tilth {

class EventLog;

struct Projection {
  std::string name;
  // Covers the shapes of its rows and how they are folded. If it differs from the one stored with
  // the checkpoint, the rows are dropped and folded again.
  std::string fingerprint;
  std::function<bool(std::string_view stream)> follows;
  // All streams that it follows, if their names are known; none: owners'.
  std::vector<std::string_view> streams = {};
  std::function<void(MutableRows&, const Event&)> evolve;
  // For rows that change as time passes, see overdue.h: applies some of the changes that are due by
  // `now`, and returns whether those were all.
  std::function<bool(MutableRows&, Timestamp now, std::size_t at_most)> age = {};
  // The stream whose rows are derived from all owners' events, if there is one. It has reached a
  // position once all cascades that started before it are finished.
  std::string_view of_all = {};
  // The types of events that change no row of it: they are counted and not decoded.
  std::unordered_set<std::string_view> ignored = {};
  // Whether commands are decided on it: then it stores the idempotency records.
  bool decides = false;
  // For how long it batches events before it folds them, while no reader waits for it.
  std::chrono::milliseconds linger{0};
  // About how many rows and keys of a removal are erased at once: these take a few milliseconds.
  std::size_t cascade_budget = 1'000;
  // If its streams are divided among several cells (cell_layout.h): which of them this is, of how
  // many, and the partitions that it reads. No partitions: all of the log's.
  int cell = 0;
  int cells = 1;
  std::vector<int> partitions = {};

  // The folder of its rows, and what log lines call it: "registry", or "registry.2" of several.
  std::string title() const { return cells == 1 ? name : name + '.' + std::to_string(cell); }
  std::vector<int> partitions_of(const EventLog& log) const;
  bool reads(int partition) const;
};

// Everything on every owner's land, and the reference data that all of them read.
Projection registry();

// What farms earn and spend, summed, and the exchange rates that convert it to one currency.
Projection finance();

// What crops cost in each country, from all owners' sales and price reports.
Projection market();

// Users and their API keys.
Projection access();

}  // namespace tilth
