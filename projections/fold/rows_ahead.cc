#include "projections/fold/rows_ahead.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "events/access/erasure.h"

namespace tilth {
namespace {

bool is_of(std::string_view stream, std::string_view key) {
  return key.size() > stream.size() && key.starts_with(stream) && key[stream.size()] == '\0';
}

// Notes which keys are written.
class NotedWrites final : public RowStore {
 public:
  explicit NotedWrites(RowBatch& rows) : rows_(rows) {}

  std::optional<std::string> get(std::string_view key) const override { return rows_.get(key); }
  std::vector<std::optional<std::string>> get_many(
      const std::vector<std::string>& keys) const override {
    return rows_.get_many(keys);
  }
  std::unique_ptr<RowCursor> cursor() const override { return rows_.cursor(); }
  std::unique_ptr<RowCursor> cursor_within(std::string_view prefix) const override {
    return rows_.cursor_within(prefix);
  }
  void put(std::string key, std::string value) override {
    keys_.push_back(key);
    rows_.put(std::move(key), std::move(value));
  }
  void erase(std::string key) override {
    keys_.push_back(key);
    rows_.erase(std::move(key));
  }

  // In order, each once.
  std::vector<std::string> take_keys() {
    std::sort(keys_.begin(), keys_.end());
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    return std::move(keys_);
  }

 private:
  RowBatch& rows_;
  std::vector<std::string> keys_;
};

}  // namespace

bool RowsAhead::fold(const RowReader& newest, const Projection& projection, const Record& record,
                     const Event& event) {
  // It forgets requests, and those before it are remembered only once their records are read.
  if (event.is<RecordsErased>()) {
    closed_ = true;
    return false;
  }
  const bool is_first = awaited_.empty() && rows_.changes().empty();  // no key has to be noted
  NotedWrites noted(rows_);
  MutableRows rows(is_first ? static_cast<RowStore&>(rows_) : noted, record.stream,
                   record.envelope.stream_version);
  if (!awaited_.empty() && !awaited_.front().changes) awaited_.front().changes = rows_.changes();
  rows_.put_over(newest);
  projection.evolve(rows, event);
  if (!rows.cascade().empty()) {
    closed_ = true;
    return false;
  }
  Awaited awaited{record.envelope.id, std::nullopt, rows.first_put(), true};
  if (!is_first) {
    awaited.changes.emplace();
    for (auto& key : noted.take_keys()) {
      const auto& value = rows_.changes().find(key)->second;
      awaited.changes->emplace_hint(awaited.changes->end(), std::move(key), value);
    }
  }
  const auto& changes = is_first ? rows_.changes() : *awaited.changes;
  awaited.can_be_taken = std::all_of(changes.begin(), changes.end(), [&](const auto& change) {
    return is_of(record.stream, change.first);
  });
  awaited_.push_back(std::move(awaited));
  return true;
}

bool RowsAhead::read(const Record& record) {
  if (awaited_.empty() || awaited_.front().id != record.envelope.id) return false;
  awaited_.pop_front();
  return true;
}

std::optional<RowsAhead::Folded> RowsAhead::take(std::string_view id) {
  const auto found = std::find_if(awaited_.begin(), awaited_.end(),
                                  [&](const auto& each) { return each.id == id; });
  if (found == awaited_.end() || !std::exchange(found->can_be_taken, false)) return std::nullopt;
  if (found->changes) return Folded{std::move(*found->changes), std::move(found->row)};
  taken_ = true;
  return Folded{rows_.take_changes(), std::move(found->row)};
}

const RowReader& RowsAhead::rows(const RowReader& newest) {
  rows_.put_over(newest);
  return rows_;
}

}  // namespace tilth
