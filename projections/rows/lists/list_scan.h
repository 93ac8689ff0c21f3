// Answers queries with conditions on a large list.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "projections/rows/lists/list_block.h"
#include "projections/rows/lists/list_count_cache.h"
#include "projections/rows/lists/list_parts.h"
#include "projections/rows/lists/ranked_index.h"
#include "projections/rows/row_index.h"

namespace tilth {

// What scans found, for the next ones.
struct ScanCache {
  ListPartsCache parts;
  ListBlockCache blocks;
  ListCountCache counts;
};

// Operation: counts the entries that meet all conditions, section by section, so that it knows the
// exact total and the sections that the page is in. The count of a section is cached. If it is not,
// the section is counted run by run, in columns that are cached, too. Of the sections of the page,
// only the runs up to the page are counted. Only the entries of the page are read, and those of
// runs that are not in the cache: after a change, of the run it is in.
//
// Memory: some bytes for each section of about 16,384 entries, for as long as it lives.
//
// Threads: one.
class ListScan {
 public:
  // `list` is fingerprinted and in the order of the listing, `part` the part of it to look at.
  // Entries store `filters` values before the cut value. A cut by what the list is sorted by is not
  // looked at: it is the part. Without a cache, all entries are read. All must outlive the scan.
  ListScan(const RowReader& store, const RankedIndex& list, const RankedIndex::Part& part,
           const Listing& listing, std::size_t filters, ScanCache* cache);

  std::uint64_t total() const { return total_; }

  // What the entries of the listing's page store, in its order.
  std::vector<std::string> page() const;

 private:
  struct Ranks {
    std::uint64_t begin = 0, end = 0;
  };
  // Consecutive entries: a section or a run.
  struct Stretch {
    RankedCount count;
    std::uint64_t first = 0;               // rank
    std::string before = {};               // the entry before it
    std::array<std::uint64_t, 2> found{};  // in each of ranges_
  };
  struct Pick {
    std::uint64_t first = 0;          // the rank of a run
    std::vector<std::size_t> places;  // of entries in the run, in the page's order
  };

  void look_at(Stretch section);
  std::vector<Stretch> runs_of(const Stretch& section) const;
  template <class Count>
  void count_once(Stretch& stretch, const Count& count) const;
  void count(Stretch& run) const;
  bool mark(const Stretch& run, ListBlock::Marks& marks) const;
  ListBlockCache::Kept columns(const Stretch& run, const ListBlock::Columns& columns) const;
  Ranks within(const Stretch& stretch, const Ranks& range) const;
  Fingerprint conditions() const;
  std::vector<Pick> picks() const;

  const RankedIndex& list_;
  const Listing& listing_;
  const std::size_t filters_;
  const bool cuts_;
  ScanCache* const cache_;
  const Fingerprint conditions_;
  const std::unique_ptr<RowCursor> entries_;
  std::vector<Ranks> ranges_;      // one or two, in the order of the page
  std::vector<Stretch> sections_;  // with something in them, ascending
  std::uint64_t total_ = 0;
  mutable ListBlock::Marks marks_;
};

}  // namespace tilth
