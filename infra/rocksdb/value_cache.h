// Caches the few values that are read from the database again and again: the rows that commands
// refer to, the lists that they do not change.

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace tilth {

// Values of a database, valid as long as nothing is written to it. There are two generations: the
// older one is evicted when the newer one is full, and a value that is read moves to the newer.
//
// Belongs to one thread.
class ValueCache {
 public:
  using Value = std::optional<std::string>;  // null: there is no such key

  explicit ValueCache(std::size_t bytes) : capacity_(bytes / 2) {}

  // Null: not cached.
  const Value* find(std::string_view key) {
    if (const auto found = young_.find(key); found != young_.end()) return &found->second;
    const auto found = old_.find(key);
    if (found == old_.end()) return nullptr;
    auto node = old_.extract(found);
    return keep(std::move(node.key()), std::move(node.mapped()));
  }

  const Value* keep(std::string key, Value value) {
    if (bytes_ >= capacity_) {
      old_ = std::exchange(young_, {});
      bytes_ = 0;
    }
    bytes_ += key.size() + (value ? value->size() : 0) + kOverhead;
    return &young_.insert_or_assign(std::move(key), std::move(value)).first->second;
  }

  void clear() {
    young_.clear(), old_.clear();
    bytes_ = 0;
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

  const std::size_t capacity_;  // of one generation
  Values young_, old_;
  std::size_t bytes_ = 0;  // of the younger, about
};

}  // namespace tilth
