// Entries in one order, whose ranks are known, so that any page of a million and their total cost
// what the first page does.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "projections/rows/lists/ranked_key.h"
#include "projections/rows/row_store.h"

namespace tilth {

// Counters lie above the entries: about every 128th entry, chosen by a hash of its key, ends a
// block, and about every 16,384th a block of blocks; each has a counter of the entries in it. What
// follows the last of them is counted in the totals. So the counters follow from the entries alone,
// whatever the order in which they came, and an index that is rebuilt is the same byte for byte.
// One of ten entries has just its totals.
//
// An insert or erase costs a seek for each level of counters that the index has; none where it is
// the last, as it is in the order of creation.
class RankedIndex {
 public:
  // What follows an index's prefix in the keys of its entries, whose values it keeps.
  static constexpr char kEntries = '\1';

  // `prefix` is the index's own: no other key may begin with it. `totals`, which its changes
  // change, are kept by anyone who keeps the index.
  RankedIndex(const RowReader& store, std::string prefix, RankedTotals& totals)
      : store_(store), prefix_(std::move(prefix)), totals_(totals) {}

  // The values of the entries from `offset` on, in `order`.
  std::vector<std::string> page(Order order, std::uint64_t offset, std::uint64_t limit) const;

  // Entries that follow one another in ascending order.
  struct Part {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
  };

  // Those that are sorted by something from `from` on and before `until`, where given; never nulls.
  Part part(const std::optional<std::string>& from, const std::optional<std::string>& until) const;
  std::vector<std::string> page(Order order, std::uint64_t offset, std::uint64_t limit,
                                const Part& part) const;

  // `store` is the one given above. Inserting what is there, or erasing what is not, is a bug.
  void insert(RowStore& store, const RankedKey& key, std::string value);
  void erase(RowStore& store, const RankedKey& key);
  // Another value for an entry that is there.
  void set(RowStore& store, const RankedKey& key, std::string value);

 private:
  using Level = RankedTotals::Level;

  Level& counted(int level) const { return totals_.levels.at(static_cast<std::size_t>(level - 1)); }
  std::string at(int level, std::string_view entry) const;
  void seek_after(RowCursor& cursor, int level, std::string_view entry) const;
  void seek_rank(RowCursor& cursor, std::uint64_t rank) const;
  void add(RowStore& store, int level, std::string_view entry, std::int64_t change);
  void begin_block(RowStore& store, int level, std::string_view entry);
  void join_blocks(RowStore& store, int level, std::string_view entry);
  std::uint64_t count_after(int level, std::string_view entry, std::string_view until) const;
  std::uint64_t count_before(std::string_view entry) const;
  void take(RowCursor& cursor, Order order, std::uint64_t rank, std::uint64_t count,
            std::vector<std::string>& values) const;

  const RowReader& store_;
  const std::string prefix_;
  RankedTotals& totals_;
};

}  // namespace tilth
