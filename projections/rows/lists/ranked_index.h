// Entries in one order, whose ranks are known, so that any page of a million, and their total, cost
// as much as the first page.

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "projections/rows/lists/list_parts.h"
#include "projections/rows/lists/ranked_key.h"
#include "projections/rows/row_store.h"

namespace tilth {

// Above the entries are counters: about every 128th entry, chosen by a hash of its key, ends a
// block, and about every 16,384th a block of blocks; each block has a counter of its entries.
// Entries after the last block are counted in the totals. So the counters depend on the entries
// alone, not on the order in which they arrived, and a rebuilt index is the same byte for byte. An
// index of ten entries usually has only its totals.
//
// An insert or erase costs a seek for each level of counters that the index has; none if the entry
// is the last, as it is in the order of creation.
class RankedIndex {
 public:
  // Follows the index's prefix in the keys of its entries, which store the values.
  static constexpr char kEntries = '\1';

  // `prefix` is the index's own: no other key may begin with it. The owner of the index stores
  // `totals`, which changes to the index update. `known` keeps the parts of an index that is
  // fingerprinted; without it, each page reads the counters above it.
  RankedIndex(const RowReader& store, std::string prefix, RankedTotals& totals,
              ListPartsCache* known = nullptr)
      : store_(store), prefix_(std::move(prefix)), totals_(totals), known_(known) {}

  // The values of the entries from `offset` on, in `order`.
  std::vector<std::string> page(Order order, std::uint64_t offset, std::uint64_t limit) const;

  // Consecutive entries in ascending order.
  struct Part {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
  };

  // The entries whose sort value is at least `from` and less than `until`, where given; never
  // nulls.
  Part part(const std::optional<std::string>& from, const std::optional<std::string>& until) const;
  std::vector<std::string> page(Order order, std::uint64_t offset, std::uint64_t limit,
                                const Part& part) const;

  std::uint64_t size() const { return totals_.all.entries; }
  // The entries from this rank on are nulls.
  std::uint64_t first_null() const { return size() - totals_.nulls; }
  bool fingerprinted() const { return totals_.fingerprinted; }

  // Visits the entries in ascending order, in parts. `before` is the entry before the part, or
  // empty. A section is a block of the highest level, about 16,384 entries.
  using VisitPart = std::function<void(const RankedCount& part, std::string_view before)>;
  void for_each_section(RowCursor& cursor, const VisitPart& visit) const;
  // The runs of a section, which begins after the entry `before`. A run is about 512 entries:
  // blocks of the first level, up to one that the hash of its last entry chooses.
  void for_each_run(RowCursor& cursor, std::string_view before, const RankedCount& section,
                    const VisitPart& visit) const;
  // Visits the values of the first `count` entries after the entry `before`, or from the first
  // entry on if that is empty, in ascending order.
  using VisitValue = std::function<void(std::string_view value)>;
  void values_after(RowCursor& cursor, std::string_view before, std::uint64_t count,
                    const VisitValue& visit) const;
  // The same from the entry on that has `rank` others before it.
  void values_from(RowCursor& cursor, std::uint64_t rank, std::uint64_t count,
                   const VisitValue& visit) const;

  // `store` is the one given above. Inserting an entry that exists, or erasing one that does not or
  // has another value, is a bug.
  void insert(RowStore& store, const RankedKey& key, std::string value);
  void erase(RowStore& store, const RankedKey& key, std::string_view value);
  // Replaces the value of an entry that exists.
  void set(RowStore& store, const RankedKey& key, std::string_view old_value, std::string value);

 private:
  using Level = RankedTotals::Level;

  Level& counted(int level) const { return totals_.levels.at(static_cast<std::size_t>(level - 1)); }
  std::string at(int level, std::string_view entry) const;
  void seek_after(RowCursor& cursor, int level, std::string_view entry) const;
  using Parts = std::shared_ptr<const ListParts>;
  Parts parts(RowCursor& cursor, int level, std::string_view before,
              const RankedCount& whole) const;
  Parts read_parts(RowCursor& cursor, int level, std::string_view before,
                   const RankedCount& whole) const;
  template <class Passes>
  std::string block_before(RowCursor& cursor, const Passes& passes) const;
  void seek_rank(RowCursor& cursor, std::uint64_t rank) const;
  RankedCount one(std::string_view entry, std::string_view value) const;
  void add(RowStore& store, int level, std::string_view entry, const RankedCount& more);
  void begin_block(RowStore& store, int level, std::string_view entry, RankedCount own);
  void join_blocks(RowStore& store, int level, std::string_view entry, const RankedCount& own);
  RankedCount count_after(int level, std::string_view entry, std::string_view until) const;
  RankedCount count_in(const RowCursor& cursor) const;
  std::uint64_t count_before(std::string_view entry) const;
  void take(RowCursor& cursor, Order order, std::uint64_t rank, std::uint64_t count,
            std::vector<std::string>& values) const;

  const RowReader& store_;
  const std::string prefix_;
  RankedTotals& totals_;
  ListPartsCache* const known_;
};

}  // namespace tilth
