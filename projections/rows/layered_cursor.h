// Iterates over rows with uncommitted changes on top.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "projections/rows/row_store.h"

namespace tilth {

// Changes to keys that begin with a prefix. The others are not looked at.
template <class Changes>
class ChangesWithin {
 public:
  ChangesWithin(Changes changes, std::string_view prefix)
      : changes_(std::move(changes)), prefix_(prefix) {}

  void seek(std::string_view key) { changes_.seek(key); }
  void seek_for_prev(std::string_view key) { changes_.seek_for_prev(key); }
  void next() { changes_.next(); }
  void prev() { changes_.prev(); }
  bool valid() const { return changes_.valid() && changes_.key().starts_with(prefix_); }
  auto key() const { return changes_.key(); }
  auto value() const { return changes_.value(); }

 private:
  Changes changes_;
  std::string prefix_;
};

// If both have a key, the change counts. `Changes` moves as a RowCursor does, but its value() is an
// optional: null if the row is erased.
template <class Changes>
class LayeredCursor : public RowCursor {
 public:
  // `under` may be null: there are no rows.
  LayeredCursor(Changes changes, std::unique_ptr<RowCursor> under)
      : changes_(std::move(changes)), under_(std::move(under)) {}

  void seek(std::string_view key) override {
    forward_ = true;
    if (under_) under_->seek(key);
    changes_.seek(key);
    choose_layer();
  }

  void seek_for_prev(std::string_view key) override {
    forward_ = false;
    if (under_) under_->seek_for_prev(key);
    changes_.seek_for_prev(key);
    choose_layer();
  }

  void next() override {
    if (!forward_) return turn(&LayeredCursor::seek);
    const bool both = at_change_ && under_valid() && under_->key() == changes_.key();
    if (!at_change_ || both) under_->next();
    if (at_change_) changes_.next();
    choose_layer();
  }

  void prev() override {
    if (forward_) return turn(&LayeredCursor::seek_for_prev);
    const bool both = at_change_ && under_valid() && under_->key() == changes_.key();
    if (!at_change_ || both) under_->prev();
    if (at_change_) changes_.prev();
    choose_layer();
  }

  bool valid() const override { return valid_; }
  std::string_view key() const override { return at_change_ ? changes_.key() : under_->key(); }
  std::string_view value() const override {
    return at_change_ ? *changes_.value() : under_->value();
  }

 protected:
  std::unique_ptr<RowCursor> take_under() { return std::move(under_); }

 private:
  bool under_valid() const { return under_ && under_->valid(); }

  // Continues from the same key in the other direction.
  void turn(void (LayeredCursor::*again)(std::string_view)) {
    const std::string from(key());
    (this->*again)(from);
    if (valid_ && key() == from) forward_ ? next() : prev();
  }

  // Determines which of the two comes next, and skips erased rows.
  void choose_layer() {
    while (true) {
      const bool base = under_valid(), change = changes_.valid();
      valid_ = base || change;
      if (!valid_) return;
      const int order = !base ? -1 : !change ? 1 : changes_.key().compare(under_->key());
      at_change_ = order == 0 || (forward_ ? order < 0 : order > 0);
      if (!base) at_change_ = true;
      if (!change) at_change_ = false;
      if (!at_change_ || changes_.value()) return;
      if (order == 0 && base) forward_ ? under_->next() : under_->prev();
      forward_ ? changes_.next() : changes_.prev();
    }
  }

  Changes changes_;
  std::unique_ptr<RowCursor> under_;
  bool forward_ = true;
  bool valid_ = false;
  bool at_change_ = false;
};

}  // namespace tilth
