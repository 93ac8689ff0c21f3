#include "projections/rows/row_batch.h"

#include <iterator>
#include <utility>

#include "projections/rows/layered_cursor.h"

namespace tilth {

namespace {

// There is no position before the first change: end() stands for both ends.
class MapCursor {
 public:
  explicit MapCursor(const RowBatch::Changes& changes) : changes_(changes), at_(changes.end()) {}
  void seek(std::string_view key) { at_ = changes_.lower_bound(key); }
  void seek_for_prev(std::string_view key) { at_ = changes_.upper_bound(key), prev(); }
  void next() { ++at_; }
  void prev() { at_ = at_ == changes_.begin() ? changes_.end() : std::prev(at_); }
  bool valid() const { return at_ != changes_.end(); }
  std::string_view key() const { return at_->first; }
  std::optional<std::string_view> value() const { return at_->second; }

 private:
  const RowBatch::Changes& changes_;
  RowBatch::Changes::const_iterator at_;
};

}  // namespace

class RowBatch::Cursor final : public LayeredCursor<MapCursor> {
 public:
  explicit Cursor(const RowBatch& batch)
      : LayeredCursor(MapCursor(batch.changes_), batch.idle_cursor()), batch_(batch) {}
  ~Cursor() override {
    if (auto under = take_under()) batch_.idle_.push_back(std::move(under));
  }

 private:
  const RowBatch& batch_;
};

std::unique_ptr<RowCursor> RowBatch::idle_cursor() const {
  if (under_ == nullptr) return nullptr;
  if (idle_.empty()) return under_->cursor();
  auto cursor = std::move(idle_.back());
  idle_.pop_back();
  return cursor;
}

std::optional<std::string> RowBatch::get(std::string_view key) const {
  const auto change = changes_.find(key);
  if (change != changes_.end()) return change->second;
  return under_ ? under_->get(key) : std::nullopt;
}

std::vector<std::optional<std::string>> RowBatch::get_many(
    const std::vector<std::string>& keys) const {
  std::vector<std::optional<std::string>> found;
  found.reserve(keys.size());
  for (const auto& key : keys) found.push_back(get(key));
  return found;
}

std::unique_ptr<RowCursor> RowBatch::cursor() const { return std::make_unique<Cursor>(*this); }

std::unique_ptr<RowCursor> RowBatch::cursor_within(std::string_view prefix) const {
  using Within = ChangesWithin<MapCursor>;
  return std::make_unique<LayeredCursor<Within>>(Within(MapCursor(changes_), prefix),
                                                 under_ ? under_->cursor_within(prefix) : nullptr);
}

void RowBatch::put(std::string key, std::string value) {
  changes_.insert_or_assign(std::move(key), std::move(value));
}

void RowBatch::put_all(Changes changes) {
  if (changes_.empty()) {
    changes_ = std::move(changes);
    return;
  }
  changes_.merge(changes);
  for (auto& [key, value] : changes) changes_.find(key)->second = std::move(value);
}

void RowBatch::erase(std::string key) {
  if (under_ == nullptr) {
    changes_.erase(key);
  } else {
    changes_.insert_or_assign(std::move(key), std::nullopt);
  }
}

}  // namespace tilth
