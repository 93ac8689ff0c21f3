#include "projections/fold/pending_cascades.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace tilth {
namespace {

// No stream begins with this byte.
const std::string kCascades = "\1cascade";
constexpr std::size_t kSweepsPerBudget = 4;  // others may be waiting

}  // namespace

bool PendingCascades::any_in(const RowReader& state) {
  const auto cursor = state.cursor();
  cursor->seek(kCascades);
  return cursor->valid() && cursor->key().starts_with(kCascades);
}

void PendingCascades::resume() {
  const auto cursor = rows_.stored().cursor();
  for (cursor->seek(kCascades); cursor->valid() && cursor->key().starts_with(kCascades);
       cursor->next()) {
    const std::string stream(cursor->key().substr(kCascades.size()));
    std::string stored(cursor->value());
    Cascade cascade(Cascade::decode(stored));
    rows_.set_swept(stream, cascade.hidden_below());
    pending_.insert({stream, {std::move(cascade), std::move(stored), nullptr}});
  }
}

void PendingCascades::begin(RowBatch& batch, MutableRows& rows, ByStream& begun) const {
  if (rows.cascade().empty()) return;
  Cascade cascade(rows.cascade());
  if (cascade.advance(rows, budget_)) return;
  const std::string stream(rows.stream());
  if (const auto present = pending_.find(stream); present != pending_.end()) {
    Cascade both = present->second.cascade;
    both.add(std::move(cascade));
    cascade = std::move(both);
  }
  auto stored = Cascade::encode(cascade.steps());
  batch.put(kCascades + stream, stored);
  auto before = cascade.is_hidden() ? nullptr : rows_.snapshot_of(stream);
  begun.insert({stream, {std::move(cascade), std::move(stored), std::move(before)}});
}

void PendingCascades::hold(const ByStream& begun) {
  for (const auto& [stream, pending] : begun) {
    if (pending.cascade.is_hidden()) {
      rows_.set_swept(stream, pending.cascade.hidden_below());
    } else {
      rows_.hold(stream, pending.before);
    }
  }
}

void PendingCascades::release(const ByStream& begun) {
  for (const auto& [stream, pending] : begun) {
    const auto present = pending_.find(stream);
    rows_.set_swept(stream, present == pending_.end() ? std::set<Uuid>()
                                                      : present->second.cascade.hidden_below());
    rows_.release(stream);
  }
}

void PendingCascades::add(ByStream begun) {
  for (auto& [stream, pending] : begun) pending_.insert_or_assign(stream, std::move(pending));
}

Result<bool> PendingCascades::advance() {
  std::vector<std::string> streams;
  for (const auto& [stream, pending] : pending_) {
    if (!pending.cascade.is_hidden()) streams.push_back(stream);
  }
  for (const auto& stream : streams) {
    const auto finished = advance(stream, budget_);
    if (!finished) return finished.error();
  }
  return !streams.empty();
}

Result<bool> PendingCascades::sweep() {
  const auto is_due = [](const auto& each) { return each.second.cascade.is_hidden(); };
  auto next = std::find_if(pending_.upper_bound(swept_last_), pending_.end(), is_due);
  if (next == pending_.end()) next = std::find_if(pending_.begin(), pending_.end(), is_due);
  if (next == pending_.end()) return false;
  swept_last_ = next->first;
  const auto finished = advance(swept_last_, std::max<std::size_t>(budget_ / kSweepsPerBudget, 1));
  return finished ? Result<bool>(true) : finished.error();
}

Status PendingCascades::finish(const std::string& stream) {
  while (true) {
    const auto finished = advance(stream, budget_);
    if (!finished) return finished.error();
    if (*finished) return kDone;
  }
}

Result<bool> PendingCascades::advance(const std::string& stream, std::size_t budget) {
  auto& pending = pending_.at(stream);
  RowBatch batch(rows_.stored());
  MutableRows rows(batch, stream, rows_.version(stream));
  Cascade ahead = pending.cascade;  // the stored one stays unchanged until the commit
  const bool finished = ahead.advance(rows, budget);
  auto stored = Cascade::encode(ahead.steps());
  if (finished) {
    batch.erase(kCascades + stream);
  } else if (stored != pending.stored) {
    batch.put(kCascades + stream, stored);
  }
  const bool hides = !pending.cascade.is_hidden() && ahead.is_hidden() && !finished;
  if (hides) rows_.set_swept(stream, ahead.hidden_below());  // while readers see the rows before
  if (const auto committed = rows_.commit(batch.changes()); !committed) return committed.error();
  pending.cascade = std::move(ahead);
  pending.stored = std::move(stored);
  if (!pending.cascade.is_hidden()) return false;
  auto unreported = std::exchange(pending.unreported, {});
  pending.before.reset();
  if (finished) {
    pending_.erase(stream);
    rows_.set_swept(stream, {});
  }
  rows_.release(stream);
  report(std::move(unreported));
  return finished;
}

bool PendingCascades::cascading(const std::string& stream) const {
  const auto found = pending_.find(stream);
  return found != pending_.end() && !found->second.cascade.is_hidden();
}

void PendingCascades::report_and_clear() {
  std::vector<Unreported> unreported;
  for (auto& [stream, pending] : pending_) {
    std::move(pending.unreported.begin(), pending.unreported.end(), std::back_inserter(unreported));
  }
  pending_.clear();
  report(std::move(unreported));
}

void PendingCascades::report(std::vector<Unreported> unreported) {
  for (auto& each : unreported) {
    on_record_(each.logged, each.accepted, each.event, std::move(each.row));
  }
}

}  // namespace tilth
