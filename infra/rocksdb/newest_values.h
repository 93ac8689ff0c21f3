// The few values that folding and deciding read again and again: the totals of lists, the rows that
// commands point at.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "projections/row_batch.h"
#include "projections/row_store.h"

namespace tilth {

// Exact: what it holds is what is committed, or that nothing is. Of two generations the older one
// goes when the newer one is full; what is asked for moves to the newer.
//
// Belongs to one thread, the one that commits.
class NewestValues {
 public:
  using Value = std::optional<std::string>;  // null: there is no such key

  explicit NewestValues(std::size_t bytes) : capacity_(bytes / 2) {}

  // Null: not known here.
  const Value* find(std::string_view key) { return find_value(key); }

  Value* keep(std::string key, Value value) {
    if (bytes_ >= capacity_) {
      old_ = std::exchange(young_, {});
      bytes_ = 0;
    }
    bytes_ += key.size() + size_of(value) + kOverhead;
    return &young_.insert_or_assign(std::move(key), std::move(value)).first->second;
  }

  // What is known here and has just been committed to be otherwise.
  void follow(const RowBatch::Changes& changes) {
    for (const auto& [key, value] : changes) {
      auto* known = find_value(key);
      if (known == nullptr) continue;
      bytes_ += size_of(value) - size_of(*known);  // wraps as it should
      *known = value;
    }
  }

 private:
  static constexpr std::size_t kOverhead = 128;  // what the map and the allocator add

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const {
      return std::hash<std::string_view>{}(key);
    }
  };
  using Values = std::unordered_map<std::string, Value, Hash, std::equal_to<>>;

  static std::size_t size_of(const Value& value) { return value ? value->size() : 0; }

  Value* find_value(std::string_view key) {
    if (const auto found = young_.find(key); found != young_.end()) return &found->second;
    const auto found = old_.find(key);
    if (found == old_.end()) return nullptr;
    auto node = old_.extract(found);
    return keep(std::move(node.key()), std::move(node.mapped()));
  }

  const std::size_t capacity_;  // of one generation
  Values young_, old_;
  std::size_t bytes_ = 0;  // about what the younger holds
};

// What is committed, with the values that are read again and again from memory. Belongs to one
// thread, the one that commits.
class NewestRows final : public RowReader {
 public:
  NewestRows(const RowReader& stored, std::size_t bytes) : stored_(stored), values_(bytes) {}

  std::optional<std::string> get(std::string_view key) const override {
    if (const auto* known = values_.find(key)) return *known;
    return *values_.keep(std::string(key), stored_.get(key));
  }
  std::vector<std::optional<std::string>> get_many(
      const std::vector<std::string>& keys) const override {
    return stored_.get_many(keys);
  }
  std::unique_ptr<RowCursor> cursor() const override { return stored_.cursor(); }

  void follow(const RowBatch::Changes& changes) { values_.follow(changes); }

 private:
  const RowReader& stored_;
  mutable NewestValues values_;
};

}  // namespace tilth
