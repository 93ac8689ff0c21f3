#include "command/loop/cells.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <utility>

#include "command/loop/moving_rows.h"
#include "events/log/streams.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr auto kForReferenceData = 5s;

}  // namespace

Cells::Cells(CellLayout layout, std::vector<CommandLoop*> loops)
    : layout_(layout), loops_(std::move(loops)), held_(loops_.size()) {
  for (auto& held : held_) held = true;
}

std::vector<std::size_t> Cells::held() const {
  std::vector<std::size_t> cells;
  for (std::size_t cell = 0; cell < held_.size(); ++cell) {
    if (held_[cell]) cells.push_back(cell);
  }
  return cells;
}

std::size_t Cells::number_of(std::string_view stream) const {
  return layout_ ? static_cast<std::size_t>(layout_->cell_of(stream)) : 0;
}

void Cells::carry_out(CommandRequest request, OnDone done) {
  if (!holds(request.stream)) return done(rows_are_moving());
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
  for (const auto cell : held()) {
    if (!at(cell).projector().is_halted()) going_on.push_back(&at(cell));
  }
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

std::optional<Cells::Reader> Cells::reader_of(std::string stream, const Position& position) const {
  auto& own = of(stream);
  if (own.projector().reads(position.partition)) return Reader{&own, std::move(stream)};
  for (const auto cell : held()) {
    if (at(cell).projector().reads(position.partition)) return Reader{&at(cell), {}};
  }
  if (layout_ && position.partition < layout_->partitions()) return std::nullopt;
  return Reader{&own, {}};  // it is never reached
}

bool Cells::concerns(std::size_t cell, const Position& position) const {
  return at(cell).projector().reads(position.partition) ||
         (layout_ && position.partition >= layout_->partitions());
}

bool Cells::has_reached(const std::string& stream, const Position& position) const {
  const auto reader = reader_of(stream, position);
  return !reader || reader->loop->projector().view(reader->stream, position).has_value();
}

void Cells::when_reached(std::string stream, const Position& position,
                         std::chrono::milliseconds timeout, std::function<void(bool)> done) const {
  if (!holds(stream)) return done(false);
  auto reader = reader_of(std::move(stream), position);
  if (!reader) return done(true);
  reader->loop->when_reached(std::move(reader->stream), position, timeout, std::move(done));
}

std::vector<Position> Cells::read_so_far() const {
  std::map<int, std::int64_t> next;
  for (const auto cell : held()) {
    for (const auto& each : at(cell).projector().progress().next) {
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
