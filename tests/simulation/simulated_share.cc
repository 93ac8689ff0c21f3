#include "tests/simulation/simulated_share.h"

#include <algorithm>
#include <utility>

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kBeat = 1s;

}  // namespace

// Begins at the end: what was said before may be long past.
SimulatedShare::SimulatedShare(Parts parts)
    : parts_(std::move(parts)),
      cells_(static_cast<std::size_t>(parts_.layout.cells_of_owners())),
      run_(parts_.world.uuid().text()),
      view_(run_, parts_.world.now()),
      phases_(cells_, parts_.goes_on),
      read_(parts_.cluster.said().size()) {
  look_at_the_map();
}

void SimulatedShare::turn() {
  read_on();
  announce();
  look_at_the_map();
  const bool knows = phases_.knows_the_others(parts_.world.now(), hears());
  if (taking_) return go_on_taking();
  if (!knows) return;
  ready_ ? move_on() : begin();
}

bool SimulatedShare::hears() const {
  return view_.has_heard_itself() && view_.fresh(parts_.world.now());
}

Announcement SimulatedShare::self() const {
  Announcement own{.node = parts_.node, .run = run_, .at = parts_.world.wall_clock()};
  own.ready = ready_;
  own.peer_address = parts_.node;
  own.copies = parts_.cluster.copies();
  own.draining = draining_;
  for (int partition = 0; partition < parts_.topic.partitions(); ++partition) {
    const auto cell = static_cast<std::size_t>(partition) % cells_;
    if (!phases_.is_announced(cell)) continue;
    own.holds.push_back({partition, 0});
    if (!phases_.goes_on(cell)) own.halted.push_back(partition);
  }
  return own;
}

// What is late comes together.
void SimulatedShare::read_on() {
  if (!parts_.reachable() || parts_.world.fails_once_in(20)) return;
  const auto& said = parts_.cluster.said();
  const auto visible = parts_.world.fails_once_in(5)
                           ? read_ + parts_.world.below(said.size() - read_ + 1)
                           : said.size();
  for (; read_ < visible; ++read_) {
    view_.hear(said[read_].what, parts_.world.now(), parts_.world.wall_clock());
    if (said[read_].id == sending_->id) view_.confirm(sending_->at);
  }
}

// One at a time.
void SimulatedShare::announce() {
  const auto now = parts_.world.now();
  if ((now < next_beat_ && !hurries_) || sending_->under_way) return;
  hurries_ = false;
  next_beat_ = now + kBeat;
  append(self());
}

void SimulatedShare::append(Announcement said) {
  auto& world = parts_.world;
  sending_->under_way = true;
  sending_->id = world.uuid().text();
  sending_->at = world.now();
  const bool is_lost = !parts_.reachable() || world.fails_once_in(10);
  const auto delay = world.fails_once_in(15) ? world.between(10ms, 7s) : world.between(1ms, 20ms);
  world.after(delay, [&cluster = parts_.cluster, sending = sending_, is_lost, id = sending_->id,
                      said = std::move(said)] {
    sending->under_way = false;
    if (!is_lost) cluster.append({id, said});
  });
}

void SimulatedShare::leave() {
  auto own = self();
  own.ready = false;
  own.left = true;
  append(std::move(own));
}

void SimulatedShare::look_at_the_map() {
  auto nodes = view_.standing(self(), parts_.world.now());
  if (parts_.world.has(PlantedBug::kGivenUpTooEarly) && parts_.node == "node-1") {
    for (auto& node : nodes) {
      if (node.self) continue;
      node.ready = true;
      node.next.clear();
      for (int at = 0; at < parts_.topic.partitions(); ++at) node.next.push_back({at, 0});
    }
  }
  map_ = std::make_shared<CellMap>(nodes, parts_.topic.partitions(), static_cast<int>(cells_),
                                   parts_.cluster.copies());
}

std::vector<std::int64_t> SimulatedShare::ends() const {
  std::vector<std::int64_t> ends;
  for (int partition = 0; partition < parts_.topic.partitions(); ++partition) {
    ends.push_back(parts_.topic.end(partition));
  }
  return ends;
}

// Filling takes some time, however little there is in a simulated log.
void SimulatedShare::take(std::size_t cell) {
  if (!parts_.reachable()) return;
  parts_.world.note(parts_.node + " takes cell " + std::to_string(cell));
  const auto longest = parts_.world.once_in(2) ? 6s : 20s;
  taking_ = Taking{cell, parts_.world.now() + parts_.world.between(1ms, longest), ends()};
  parts_.stepped(cell);
  if (parts_.world.has(PlantedBug::kAnnouncedTooEarly) && cell < cells_) {
    parts_.hold(cell);
    phases_.take(cell);
    hurries_ = true;
  }
}

void SimulatedShare::go_on_taking() {
  auto& taking = *taking_;
  if (parts_.world.now() < taking.filled_at) return;
  if (!std::exchange(taking.began, true)) parts_.fill(taking.cell);
  if (!parts_.reachable() || !parts_.has_read(taking.cell, taking.ends)) return;
  if (!std::exchange(taking.is_filled, true)) {
    taking.ends = ends();
    return parts_.stepped(taking.cell);
  }
  const auto cell = taking.cell;
  taking_.reset();
  parts_.hold(cell);
  if (cell == cells_) return void(has_reference_ = true);
  parts_.world.note(parts_.node + " holds cell " + std::to_string(cell));
  phases_.take(cell);
  hurries_ = ready_;
  parts_.stepped(cell);
}

// All that it should hold, before it answers for anything.
void SimulatedShare::begin() {
  if (!has_reference_) return take(cells_);
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    if (map_->should_hold(cell) && phases_.is_away(cell)) return take(cell);
  }
  parts_.world.note(parts_.node + " is ready");
  ready_ = hurries_ = true;
}

void SimulatedShare::move_on() {
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    const bool was_here = is_here(cell);
    const auto step = phases_.move_on(cell, parts_.world.now(), *map_);
    if (is_here(cell) != was_here) parts_.stepped(cell);
    switch (step) {
      case CellPhases::Step::kNone:
        break;
      case CellPhases::Step::kAnnounce:
        hurries_ = true;
        parts_.stepped(cell);
        break;
      case CellPhases::Step::kClose:
        parts_.world.note(parts_.node + " has given up cell " + std::to_string(cell));
        parts_.close(cell);
        parts_.stepped(cell);
        break;
      case CellPhases::Step::kRemove:
        break;  // a cell that comes back goes on with its old rows, or those of a new disk
      case CellPhases::Step::kTake:
        return take(cell);
    }
  }
}

bool SimulatedShare::is_here(std::size_t cell) const {
  return cell >= cells_ || phases_.is_here(cell, [this] { return map_; });
}

bool SimulatedShare::is_first(std::size_t cell) const {
  return cell < cells_ && phases_.is_first(cell, *map_);
}

std::vector<std::string> SimulatedShare::others_with(std::size_t cell) const {
  return map_->others_with(cell);
}

bool SimulatedShare::has_given_all_away() const {
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    if (!phases_.is_away(cell)) return false;
  }
  return ready_ && !taking_;
}

bool SimulatedShare::is_settled() const {
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    const bool held = phases_.goes_on(cell);
    if (held != map_->should_hold(cell) || held == phases_.is_away(cell)) return false;
  }
  return ready_ && !taking_ && hears();
}

}  // namespace tilth::testing
