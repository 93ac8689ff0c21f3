#include "projections/rows/lists/list_scan.h"

#define XXH_INLINE_ALL
#include <algorithm>
#include <numeric>
#include <utility>

#include <xxhash.h>

#include "projections/rows/lists/entry_values.h"

namespace tilth {

ListScan::ListScan(const RowReader& store, const RankedIndex& list, const RankedIndex::Part& part,
                   const Listing& listing, std::size_t filters, ScanCache* cache)
    : list_(list),
      listing_(listing),
      filters_(filters),
      cuts_(listing.cut && listing.cut->sort != listing.sort),
      cache_(cache),
      conditions_(conditions()),
      entries_(store.cursor()) {
  const auto end = part.first + part.count;
  if (listing.order == Order::kAscending) {
    ranges_ = {{part.first, end}};
  } else {  // nulls come last here, too
    const auto nulls = std::clamp(list.first_null(), part.first, end);
    ranges_ = {{part.first, nulls}, {nulls, end}};
  }
  std::uint64_t rank = 0;
  list.for_each_section(*entries_, [&](const RankedCount& count, std::string_view before) {
    if (rank < end && rank + count.entries > part.first) {
      look_at({count, rank, std::string(before)});
    }
    rank += count.entries;
  });
}

// What identifies the conditions, together with the content of a section.
Fingerprint ListScan::conditions() const {
  std::string bytes;
  for (const auto& [filter, value, is_link] : listing_.filters) {
    bytes.append(1, static_cast<char>(filter));
    append_entry_value(bytes, value);
  }
  if (cuts_) {
    bytes.append(1, static_cast<char>(ListFilter::kAll));
    append_entry_value(bytes, listing_.cut->from);
    append_entry_value(bytes, listing_.cut->until);
  }
  const auto hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), filters_);
  return {hash.low64, hash.high64};
}

void ListScan::look_at(Stretch section) {
  count_once(section, [&] {
    for (auto& run : runs_of(section)) {
      count(run);
      section.found[0] += run.found[0], section.found[1] += run.found[1];
    }
  });
  const auto all = section.found[0] + section.found[1];
  if (all == 0) return;
  total_ += all;
  sections_.push_back(std::move(section));
}

// Calls `count`, which counts what a stretch has in each range, unless the cache has it.
template <class Count>
void ListScan::count_once(Stretch& stretch, const Count& count) const {
  const auto whole = std::ranges::find_if(ranges_, [&](const Ranks& range) {
    const auto [begin, end] = within(stretch, range);
    return end - begin == stretch.count.entries;
  });
  if (cache_ == nullptr || whole == ranges_.end()) return count();
  auto& found = stretch.found.at(static_cast<std::size_t>(whole - ranges_.begin()));
  const ListCountCache::Key key{stretch.count, conditions_};
  if (const auto known = cache_->counts.find(key)) {
    found = *known;
    return;
  }
  count();
  cache_->counts.keep(key, static_cast<std::uint32_t>(found));
}

// The runs of a section, ascending and not counted.
std::vector<ListScan::Stretch> ListScan::runs_of(const Stretch& section) const {
  std::vector<Stretch> runs;
  auto rank = section.first;
  list_.for_each_run(*entries_, section.before, section.count,
                     [&](const RankedCount& count, std::string_view before) {
                       runs.push_back({count, rank, std::string(before)});
                       rank += count.entries;
                     });
  return runs;
}

// Counts what a run has in each range.
void ListScan::count(Stretch& run) const {
  const bool outside = std::ranges::all_of(ranges_, [&](const Ranks& range) {
    const auto [begin, end] = within(run, range);
    return begin == end;
  });
  if (outside || !mark(run, marks_)) return;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const auto [begin, end] = within(run, ranges_[i]);
    run.found.at(i) = std::accumulate(marks_.begin() + static_cast<std::ptrdiff_t>(begin),
                                      marks_.begin() + static_cast<std::ptrdiff_t>(end), 0U);
  }
}

// The places of a stretch that are in a range.
ListScan::Ranks ListScan::within(const Stretch& stretch, const Ranks& range) const {
  const auto place = [&](std::uint64_t rank) {
    return std::clamp(rank, stretch.first, stretch.first + stretch.count.entries) - stretch.first;
  };
  return {place(range.begin), place(range.end)};
}

// Marks the entries that meet all conditions. False: there are none.
bool ListScan::mark(const Stretch& run, ListBlock::Marks& marks) const {
  marks.assign(ListBlock::padded(run.count.entries), 1);
  if (!listing_.filters.empty()) {
    const auto block = columns(run, {0, filters_});
    for (const auto& [filter, value, is_link] : listing_.filters) {
      if (!block->keep(filter, value, marks)) return false;
    }
  }
  if (!cuts_) return true;
  return columns(run, {filters_, 1})->keep(0, listing_.cut->from, listing_.cut->until, marks);
}

ListBlockCache::Kept ListScan::columns(const Stretch& run,
                                       const ListBlock::Columns& columns) const {
  const ListBlockCache::Key key{run.count, columns};
  if (cache_ != nullptr) {
    if (auto block = cache_->blocks.find(key)) return block;
  }
  std::vector<std::string> entries;
  entries.reserve(run.count.entries);
  list_.values_after(*entries_, run.before, run.count.entries,
                     [&](std::string_view value) { entries.emplace_back(value); });
  auto block = std::make_shared<const ListBlock>(entries, columns);
  if (cache_ != nullptr) cache_->blocks.keep(key, block);
  return block;
}

// Where the entries of the page are.
std::vector<ListScan::Pick> ListScan::picks() const {
  std::vector<Pick> picks;
  const bool ascending = listing_.order == Order::kAscending;
  auto skipped = listing_.offset, left = listing_.limit;
  const auto skip = [&](const Stretch& stretch, std::size_t range) {
    const auto found = stretch.found.at(range);
    const bool all = skipped >= found;
    if (all) skipped -= found;
    return all;
  };
  const auto pick = [&](Stretch& run, std::size_t range) {
    count_once(run, [&] { count(run); });
    if (skip(run, range) || !mark(run, marks_)) return;
    const auto [begin, end] = within(run, ranges_[range]);
    Pick picked{run.first, {}};
    for (auto i = begin; i < end && left > 0; ++i) {
      const auto place = ascending ? i : begin + end - 1 - i;
      if (marks_[place] == 0) continue;
      if (skipped > 0) {
        --skipped;
        continue;
      }
      picked.places.push_back(place);
      --left;
    }
    picks.push_back(std::move(picked));
  };
  const auto in_order = [&](auto& stretches, const auto& visit) {
    for (std::size_t i = 0; i < stretches.size() && left > 0; ++i) {
      visit(stretches[ascending ? i : stretches.size() - 1 - i]);
    }
  };
  for (std::size_t range = 0; range < ranges_.size(); ++range) {
    in_order(sections_, [&](const Stretch& section) {
      if (skip(section, range)) return;
      auto runs = runs_of(section);
      in_order(runs, [&](Stretch& run) { pick(run, range); });
    });
  }
  return picks;
}

std::vector<std::string> ListScan::page() const {
  std::vector<std::string> page;
  for (const auto& [first, places] : picks()) {
    if (places.empty()) continue;
    const auto [least, most] = std::minmax_element(places.begin(), places.end());
    std::vector<std::string> entries;
    list_.values_from(*entries_, first + *least, *most - *least + 1,
                      [&](std::string_view value) { entries.emplace_back(value); });
    for (const auto each : places) {
      if (const auto at = each - *least; at < entries.size())
        page.push_back(std::move(entries[at]));
    }
  }
  return page;
}

}  // namespace tilth
