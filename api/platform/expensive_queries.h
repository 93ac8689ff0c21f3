// Remembers which queries read too much for a server thread.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tilth {

// Bounded: of two queries with the same place only the latest is remembered. A query that is not
// remembered merely begins once more on a server thread. Threads: any.
class ExpensiveQueries {
 public:
  // `query` is a hash.
  bool contains(std::uint64_t query) const { return place_of(query).load() == query; }
  void insert(std::uint64_t query) { place_of(query) = query; }
  void erase(std::uint64_t query) { place_of(query).compare_exchange_strong(query, 0); }

 private:
  std::atomic<std::uint64_t>& place_of(std::uint64_t query) {
    return places_[query % places_.size()];
  }
  const std::atomic<std::uint64_t>& place_of(std::uint64_t query) const {
    return places_[query % places_.size()];
  }

  std::array<std::atomic<std::uint64_t>, 4'096> places_{};
};

}  // namespace tilth
