#include "projections/row_batch.h"

#include <utility>

namespace tilth {

// Merges the changes with what lies under them; of two entries under one key the change counts.
class RowBatch::Cursor final : public RowCursor {
 public:
  explicit Cursor(const RowBatch& batch) : batch_(batch) {
    if (batch.under_ == nullptr) return;
    if (batch.idle_.empty()) {
      under_ = batch.under_->cursor();
    } else {
      under_ = std::move(batch.idle_.back());
      batch.idle_.pop_back();
    }
  }
  ~Cursor() override {
    if (under_) batch_.idle_.push_back(std::move(under_));
  }

  void seek(std::string_view key) override {
    forward_ = true;
    if (under_) under_->seek(key);
    change_ = batch_.changes_.lower_bound(key);
    settle();
  }

  void seek_for_prev(std::string_view key) override {
    forward_ = false;
    if (under_) under_->seek_for_prev(key);
    change_ = batch_.changes_.upper_bound(key);
    step_change_back();
    settle();
  }

  void next() override {
    if (!forward_) return turn(&Cursor::seek);
    const bool both = at_change_ && under_valid() && under_->key() == change_->first;
    if (!at_change_ || both) under_->next();
    if (at_change_) ++change_;
    settle();
  }

  void prev() override {
    if (forward_) return turn(&Cursor::seek_for_prev);
    const bool both = at_change_ && under_valid() && under_->key() == change_->first;
    if (!at_change_ || both) under_->prev();
    if (at_change_) step_change_back();
    settle();
  }

  bool valid() const override { return valid_; }
  std::string_view key() const override { return at_change_ ? change_->first : under_->key(); }
  std::string_view value() const override {
    return at_change_ ? std::string_view(*change_->second) : under_->value();
  }

 private:
  bool under_valid() const { return under_ && under_->valid(); }
  bool change_valid() const { return change_ != batch_.changes_.end(); }

  // Before the first change there is none: end() stands for both ends, the direction tells which.
  void step_change_back() {
    change_ = change_ == batch_.changes_.begin() ? batch_.changes_.end() : std::prev(change_);
  }

  // Goes on from the same key in the other direction.
  void turn(void (Cursor::*again)(std::string_view)) {
    const std::string from(key());
    (this->*again)(from);
    if (valid_ && key() == from) forward_ ? next() : prev();
  }

  // Finds out which of the two comes next, past what is erased.
  void settle() {
    while (true) {
      const bool base = under_valid(), change = change_valid();
      valid_ = base || change;
      if (!valid_) return;
      const int order = !base ? -1 : !change ? 1 : change_->first.compare(under_->key());
      at_change_ = order == 0 || (forward_ ? order < 0 : order > 0);
      if (!base) at_change_ = true;
      if (!change) at_change_ = false;
      if (!at_change_ || change_->second) return;
      if (order == 0 && base) forward_ ? under_->next() : under_->prev();
      if (forward_) {
        ++change_;
      } else {
        step_change_back();
      }
    }
  }

  const RowBatch& batch_;
  std::unique_ptr<RowCursor> under_;
  Changes::const_iterator change_ = batch_.changes_.end();
  bool forward_ = true;
  bool valid_ = false;
  bool at_change_ = false;
};

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

void RowBatch::put(std::string key, std::string value) {
  changes_.insert_or_assign(std::move(key), std::move(value));
}

void RowBatch::erase(std::string key) {
  if (under_ == nullptr) {
    changes_.erase(key);
  } else {
    changes_.insert_or_assign(std::move(key), std::nullopt);
  }
}

}  // namespace tilth
