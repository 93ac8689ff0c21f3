#include "command/loop/cells.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "events/log/streams.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr auto kForReferenceData = 5s;

}  // namespace

Cells::Cells(CellLayout layout, std::vector<CommandLoop*> loops)
    : layout_(layout), loops_(std::move(loops)) {}

std::size_t Cells::number_of(std::string_view stream) const {
  return layout_ ? static_cast<std::size_t>(layout_->cell_of(stream)) : 0;
}

void Cells::carry_out(CommandRequest request, OnDone done) {
  auto& loop = of(request.stream);
  if (loops_.size() == 1 || request.stream != kReferenceStream) {
    return loop.carry_out(std::move(request), std::move(done));
  }
  loop.carry_out(std::move(request), [this, done = std::move(done)](const auto& outcome) {
    if (!outcome || !outcome->position) return done(outcome);
    complete_everywhere(*outcome, done);
  });
}

// Runs `done` when the last cell has read the outcome, on that cell's thread. Called on the thread
// of the cell that decided it.
void Cells::complete_everywhere(const CommandResult& outcome, OnDone done) {
  struct Waiting {
    std::atomic<std::size_t> cells;
    CommandResult outcome;
    OnDone done;
  };
  std::unique_lock lock(mutex_);
  std::vector<CommandLoop*> going_on;
  std::ranges::copy_if(loops_, std::back_inserter(going_on),
                       [](const auto* loop) { return !loop->projector().is_halted(); });
  if (!waits_ || going_on.empty()) {
    lock.unlock();
    return done(outcome);
  }
  const auto waiting = std::make_shared<Waiting>(going_on.size(), outcome, std::move(done));
  for (auto* loop : going_on) {
    loop->when_reached(std::string(kReferenceStream), *outcome.position, kForReferenceData,
                       [waiting](bool) {
                         if (--waiting->cells == 0) waiting->done(waiting->outcome);
                       });
  }
}

void Cells::stop_waiting() {
  const std::lock_guard lock(mutex_);
  waits_ = false;
}

Cells::Reader Cells::reader_of(std::string stream, const Position& position) const {
  auto& own = of(stream);
  if (own.projector().reads(position.partition)) return {&own, std::move(stream)};
  const auto other = std::ranges::find_if(
      loops_, [&](const auto* loop) { return loop->projector().reads(position.partition); });
  return {other == loops_.end() ? &own : *other, {}};
}

bool Cells::has_reached(const std::string& stream, const Position& position) const {
  const auto [loop, asked] = reader_of(stream, position);
  return loop->projector().view(asked, position).has_value();
}

void Cells::when_reached(std::string stream, const Position& position,
                         std::chrono::milliseconds timeout, std::function<void(bool)> done) const {
  auto [loop, asked] = reader_of(std::move(stream), position);
  loop->when_reached(std::move(asked), position, timeout, std::move(done));
}

std::vector<Position> Cells::read_so_far() const {
  std::map<int, std::int64_t> next;
  for (const auto* loop : loops_) {
    for (const auto& each : loop->projector().progress().next) {
      next[each.partition] = std::max(next[each.partition], each.offset);
    }
  }
  std::vector<Position> read;
  for (const auto& [partition, offset] : next) {
    if (offset > 0) read.push_back({partition, offset - 1});
  }
  return read;
}

std::size_t Cells::waiting() const {
  std::size_t waiting = 0;
  for (const auto* loop : loops_) waiting += loop->waiting();
  return waiting;
}

void Cells::cannot_read(const UnreadableRows& rows) const {
  for (auto* loop : loops_) loop->projector().cannot_read(rows);
}

}  // namespace tilth
