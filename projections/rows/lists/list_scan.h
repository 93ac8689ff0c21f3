// Answers queries with several conditions on a large list, run by run.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "projections/rows/lists/list_block_cache.h"
#include "projections/rows/lists/ranked_index.h"
#include "projections/rows/row_index.h"

namespace tilth {

// Operation: counts, in each run of the whole list, the entries that meet all conditions, so that
// it knows the exact total and the runs that the page is in. Only those runs' entries are read, and
// the ones of runs that are not in the cache: after a change, those of the run it is in.
//
// Memory: some bytes for each run of about 512 entries, for as long as it lives.
//
// Threads: one.
class ListScan {
 public:
  // `list` is fingerprinted and in the order of the listing, `part` the part of it to look at.
  // Entries store `filters` values before the cut value. A cut by what the list is sorted by is not
  // looked at: it is the part. Without a cache, all entries are read. All must outlive the scan.
  ListScan(const RowReader& store, const RankedIndex& list, const RankedIndex::Part& part,
           const Listing& listing, std::size_t filters, ListBlockCache* cache);

  std::uint64_t total() const { return total_; }

  // What the entries of the listing's page store, in its order.
  std::vector<std::string> page() const;

 private:
  struct Ranks {
    std::uint64_t begin = 0, end = 0;
  };
  struct Run {
    RankedCount count;
    std::uint64_t first = 0;               // rank
    std::string before = {};               // the entry before it
    std::array<std::uint64_t, 2> found{};  // in each of ranges_
  };
  struct Pick {
    const Run* run;
    std::vector<std::size_t> places;  // of entries in the run, in the page's order
  };

  void look_at(const RankedCount& count, std::uint64_t first, std::string_view before);
  bool mark(const RankedCount& count, std::string_view before, ListBlock::Marks& marks) const;
  ListBlockCache::Block columns(const RankedCount& count, std::string_view before,
                                const ListBlock::Columns& columns) const;
  Ranks within(const Run& run, const Ranks& range) const;
  std::vector<Pick> picks() const;

  const RankedIndex& list_;
  const Listing& listing_;
  const std::size_t filters_;
  const bool cuts_;
  ListBlockCache* const cache_;
  const std::unique_ptr<RowCursor> cursor_;
  std::vector<Ranks> ranges_;  // one or two, in the order of the page
  std::vector<Run> runs_;      // with something in them, ascending
  std::uint64_t total_ = 0;
  mutable ListBlock::Marks marks_;
};

}  // namespace tilth
