// Values by random ids, for many of them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "events/values/ids.h"

namespace tilth {

// Entries are never erased, keep their addresses, and are iterated in the order in which they were
// added. Finding out that there is none, as for each row that is new, touches one cache line, where
// std::unordered_map follows a list through several.
//
// Threads: one at a time.
template <class Value>
class IdMap {
 public:
  using Entry = std::pair<const Uuid, Value>;

  // Null: there is none.
  Entry* find(const Uuid& id) {
    if (slots_.empty()) return nullptr;
    const auto slot = slots_[slot_of(id, hash_of(id))];
    return slot.entry == 0 ? nullptr : &entries_[slot.entry - 1];
  }

  // Adds it if there is none.
  Entry& operator[](const Uuid& id) {
    if (entries_.size() * 3 >= slots_.size() * 2) grow();
    const auto hash = hash_of(id);
    auto& slot = slots_[slot_of(id, hash)];
    if (slot.entry == 0) {
      entries_.emplace_back(id, Value{});
      slot = {hash, static_cast<std::uint32_t>(entries_.size())};
    }
    return entries_[slot.entry - 1];
  }

  std::size_t size() const { return entries_.size(); }
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t entry = 0;  // its number, from 1 on; 0: the slot is free
  };

  // Ids end in random bits; those that are made up for a test need not.
  static std::uint32_t hash_of(const Uuid& id) {
    std::uint64_t end = 0;
    std::memcpy(&end, id.bytes.data() + 8, sizeof end);
    return static_cast<std::uint32_t>((end * 0x9E3779B97F4A7C15U) >> 32);
  }

  std::size_t slot_of(const Uuid& id, std::uint32_t hash) const {
    for (auto at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      const auto& slot = slots_[at];
      if (slot.entry == 0 || (slot.hash == hash && entries_[slot.entry - 1].first == id)) return at;
    }
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
    old.swap(slots_);
    for (const auto& slot : old) {
      if (slot.entry == 0) continue;
      auto at = slot.hash & (slots_.size() - 1);
      while (slots_[at].entry != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
  }

  std::deque<Entry> entries_;
  std::vector<Slot> slots_;  // a power of two of them, at most two thirds taken
};

}  // namespace tilth
