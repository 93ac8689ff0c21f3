#include "tests/simulation/simulated_share.h"

#include <algorithm>
#include <utility>

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kLastWords = 2s;  // at most, as a MembershipThread has

}  // namespace

SimulatedShare::SimulatedShare(Parts parts)
    : parts_(std::move(parts)),
      cells_(static_cast<std::size_t>(parts_.layout.cells_of_owners())),
      moves_(cells_, parts_.goes_on, *this, parts_.log_lines),
      plain_({.world = parts_.world,
              .log = parts_.announcements,
              .topic = parts_.cluster.announcements(),
              .announced = parts_.cluster.announced(),
              .node = parts_.node,
              .self =
                  [this] {
                    auto own = self();
                    own.left = leaves_since_.has_value();
                    own.ready = own.ready && !own.left;
                    return own;
                  }}),
      membership_({.log = plain_,
                   .clock = parts_.clock,
                   .ids = parts_.ids,
                   .log_lines = parts_.log_lines,
                   .self = [this] { return self(); },
                   .steady = [this] { return steady(); }}) {
  look_at_the_map();
}

// That by which it measures the silence of others.
World::Steady::time_point SimulatedShare::steady() const {
  const auto now = parts_.world.now();
  const bool is_slow = parts_.world.has(PlantedBug::kSilenceIsTooLong) && parts_.node == "node-1";
  return is_slow ? World::Steady::time_point(now.time_since_epoch() / 2) : now;
}

// Its threads, of which the one that hears the others may get no processor. What they cannot read
// or append now they try again.
void SimulatedShare::turn() {
  if (!leaves_since_ && !parts_.world.fails_once_in(20)) {
    static_cast<void>(membership_.turn(0ms));
    plain_.judge(membership_);
  }
  look_at_the_map();
  follow_what_is_filled();
  std::vector<bool> was_here, was_announced;
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    was_here.push_back(is_here(cell));
    was_announced.push_back(moves_.phases().is_announced(cell));
  }
  take_and_give_up();
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    const bool is_same = is_here(cell) == was_here[cell] &&
                         moves_.phases().is_announced(cell) == was_announced[cell];
    if (!is_same) parts_.stepped(cell);
  }
}

void SimulatedShare::take_and_give_up() {
  const auto now = parts_.world.now();
  if (ready_) return moves_.turn(now, membership_.is_current(), *map_);
  const auto begun = moves_.begin(now, membership_.is_current(), *map_);
  if (!begun || !*begun) return;  // it tries again
  parts_.world.note(parts_.node + " is ready");
  ready_ = true;
}

Announcement SimulatedShare::self() const {
  Announcement own{.node = parts_.node,
                   .started_at = started_at_,
                   .ready = ready_,
                   .peer_address = parts_.node,
                   .copies = parts_.cluster.copies(),
                   .draining = draining()};
  for (int partition = 0; partition < parts_.topic.partitions(); ++partition) {
    const auto cell = static_cast<std::size_t>(partition) % cells_;
    if (!moves_.phases().is_announced(cell)) continue;
    own.holds.push_back({partition, 0});
    if (!moves_.phases().goes_on(cell)) own.halted.push_back(partition);
  }
  return own;
}

void SimulatedShare::drain() {
  if (moves_.drain()) announce();
}

void SimulatedShare::announce() {
  membership_.announce_soon();
  plain_.ask_soon();
}

bool SimulatedShare::leave() {
  const auto now = parts_.world.now();
  if (!leaves_since_) {
    parts_.world.note(parts_.node + " leaves");
    leaves_since_ = now;
  }
  const bool has_left = membership_.leave(0ms);
  if (has_left && !plain_.has_said_that_it_leaves()) {
    parts_.world.violated(parts_.node + " stops, and has not said so");
  }
  return has_left || now >= *leaves_since_ + kLastWords;
}

void SimulatedShare::look_at_the_map() {
  auto nodes = membership_.nodes();
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

void SimulatedShare::follow_what_is_filled() {
  for (auto& [cell, filled] : filled_) {
    if (filled.follows || parts_.world.now() < filled.reads_on) continue;
    filled.follows = true;
    parts_.follow(cell);
  }
}

std::optional<Result<std::vector<Position>>> SimulatedShare::read_ends(std::size_t /*cell*/) {
  if (!parts_.reachable()) return Error{ErrorCode::kUnavailable, "The log is not reached."};
  if (parts_.world.once_in(4)) return std::nullopt;
  std::vector<Position> ends;
  for (int partition = 0; partition < parts_.topic.partitions(); ++partition) {
    ends.push_back({partition, parts_.topic.end(partition)});
  }
  return ends;
}

bool SimulatedShare::is_announced_too_early(std::size_t cell) const {
  return parts_.world.has(PlantedBug::kAnnouncedTooEarly) && cell < cells_;
}

// It takes some time, however little there is in a simulated log.
std::optional<Status> SimulatedShare::fill(std::size_t cell,
                                           const std::vector<Position>& /*ends*/) {
  auto filled = filled_.find(cell);
  if (filled == filled_.end()) {
    parts_.world.note(parts_.node + " takes cell " + std::to_string(cell));
    const auto takes = parts_.world.between(1ms, parts_.world.once_in(2) ? 6s : 20s);
    const auto now = parts_.world.now();
    filled = filled_.emplace(cell, Filled{now + takes / 2, now + takes}).first;
    parts_.stepped(cell);
  }
  if (parts_.world.now() < filled->second.at && !is_announced_too_early(cell)) return std::nullopt;
  return kDone;
}

std::optional<Status> SimulatedShare::reach(std::size_t cell, const std::vector<Position>& ends) {
  if (is_announced_too_early(cell)) return kDone;
  std::vector<std::int64_t> offsets;
  for (const auto& end : ends) offsets.push_back(end.offset);
  const bool reads = filled_.at(cell).follows && parts_.reachable();
  if (!reads || !parts_.has_read(cell, offsets)) return std::nullopt;
  parts_.stepped(cell);
  return kDone;
}

std::optional<Status> SimulatedShare::hold(std::size_t cell,
                                           const std::vector<Position>& /*ends*/) {
  if (parts_.world.once_in(2)) return std::nullopt;
  parts_.world.note(parts_.node + " holds cell " + std::to_string(cell));
  parts_.hold(cell);
  return kDone;
}

Status SimulatedShare::give_up(std::size_t cell) {
  parts_.close(cell);
  if (filled_.erase(cell) == 0) return kDone;
  parts_.world.note(parts_.node + " has given up cell " + std::to_string(cell));
  parts_.stepped(cell);
  return kDone;
}

// A cell that comes back goes on with its old rows, or those of a new disk.
Status SimulatedShare::drop_rows(std::size_t /*cell*/) { return kDone; }

bool SimulatedShare::is_here(std::size_t cell) const {
  return cell >= cells_ || moves_.phases().is_here(cell, [this] { return map_; });
}

bool SimulatedShare::is_first(std::size_t cell) const {
  return cell < cells_ && moves_.phases().is_first(cell, *map_);
}

std::vector<std::string> SimulatedShare::others_with(std::size_t cell) const {
  return map_->others_with(cell);
}

bool SimulatedShare::has_given_all_away() const {
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    if (!moves_.phases().is_away(cell)) return false;
  }
  return ready_ && moves_.moving() == 0;
}

bool SimulatedShare::is_settled() const {
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    const bool held = moves_.phases().goes_on(cell);
    if (held != map_->should_hold(cell) || held == moves_.phases().is_away(cell)) return false;
  }
  return ready_ && moves_.moving() == 0 && membership_.is_current();
}

}  // namespace tilth::testing
