#include "projections/fold/rows_ahead.h"

#include <algorithm>

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
  const bool all_are_its = rows_.changes().empty();  // then no key has to be noted
  NotedWrites noted(rows_);
  MutableRows rows(all_are_its ? static_cast<RowStore&>(rows_) : noted, record.stream,
                   record.envelope.stream_version);
  rows_.put_over(newest);
  projection.evolve(rows, event);
  if (!rows.cascade().empty()) {
    closed_ = true;
    return false;
  }
  Folded folded{record.envelope.id, {}, rows.first_put(), true};
  const auto keep = [&](std::string key, const std::optional<std::string>& value) {
    folded.of_stream_alone = folded.of_stream_alone && is_of(record.stream, key);
    folded.changes.emplace_back(std::move(key), value);
  };
  if (all_are_its) {
    folded.changes.reserve(rows_.changes().size());
    for (const auto& [key, value] : rows_.changes()) keep(key, value);
  } else {
    for (auto& key : noted.take_keys()) {
      const auto& value = rows_.changes().find(key)->second;
      keep(std::move(key), value);
    }
  }
  folded_.push_back(std::move(folded));
  return true;
}

bool RowsAhead::read(const Record& record) {
  if (folded_.empty() || folded_.front().id != record.envelope.id) return false;
  folded_.pop_front();
  return true;
}

const RowsAhead::Folded* RowsAhead::find(std::string_view id) const {
  const auto found =
      std::find_if(folded_.begin(), folded_.end(), [&](const auto& each) { return each.id == id; });
  return found == folded_.end() ? nullptr : &*found;
}

const RowReader& RowsAhead::rows(const RowReader& newest) {
  rows_.put_over(newest);
  return rows_;
}

}  // namespace tilth
