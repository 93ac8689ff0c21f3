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
      entries_(store.cursor()),
      counters_(store.cursor()) {
  const auto end = part.first + part.count;
  if (listing.order == Order::kAscending) {
    ranges_ = {{part.first, end}};
  } else {  // nulls come last here, too
    const auto nulls = std::clamp(list.first_null(), part.first, end);
    ranges_ = {{part.first, nulls}, {nulls, end}};
  }
  std::uint64_t rank = 0;
  list.for_each_section([&](const RankedCount& count, std::string_view before) {
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
  std::array<std::uint64_t, 2> whole{};
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const auto [begin, end] = within(section, ranges_[i]);
    whole.at(i) = end - begin == section.count.entries;
  }
  const ListCountCache::Key key{section.count, conditions_};
  const auto in = whole[0] != 0 ? 0U : 1U;
  const bool cached = cache_ != nullptr && whole[in] != 0;
  if (const auto known = cached ? cache_->counts.find(key) : std::nullopt) {
    section.found.at(in) = *known;
  } else {
    for (const auto& run : runs_of(section)) {
      section.found[0] += run.found[0], section.found[1] += run.found[1];
    }
    if (cached) cache_->counts.keep(key, static_cast<std::uint32_t>(section.found.at(in)));
  }
  const auto all = section.found[0] + section.found[1];
  if (all == 0) return;
  total_ += all;
  sections_.push_back(std::move(section));
}

// The runs of a section that have something in them, ascending.
std::vector<ListScan::Stretch> ListScan::runs_of(const Stretch& section) const {
  std::vector<Stretch> runs;
  auto rank = section.first;
  list_.for_each_run(*counters_, section.before, section.count.entries,
                     [&](const RankedCount& count, std::string_view before) {
                       Stretch run{count, rank, std::string(before)};
                       rank += count.entries;
                       if (this->count(run)) runs.push_back(std::move(run));
                     });
  return runs;
}

// Counts what a run has in each range. False: nothing.
bool ListScan::count(Stretch& run) const {
  const bool outside = std::ranges::all_of(ranges_, [&](const Ranks& range) {
    const auto [begin, end] = within(run, range);
    return begin == end;
  });
  if (outside || !mark(run, marks_)) return false;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const auto [begin, end] = within(run, ranges_[i]);
    run.found.at(i) = std::accumulate(marks_.begin() + static_cast<std::ptrdiff_t>(begin),
                                      marks_.begin() + static_cast<std::ptrdiff_t>(end), 0U);
  }
  return run.found[0] + run.found[1] > 0;
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

ListBlockCache::Block ListScan::columns(const Stretch& run,
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
  const auto pick = [&](const Stretch& run, std::size_t range) {
    if (skip(run, range) || !mark(run, marks_)) return;
    const auto [begin, end] = within(run, ranges_[range]);
    Pick picked{run, {}};
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
  const auto in_order = [&](const std::vector<Stretch>& stretches, const auto& visit) {
    for (std::size_t i = 0; i < stretches.size() && left > 0; ++i) {
      visit(stretches[ascending ? i : stretches.size() - 1 - i]);
    }
  };
  for (std::size_t range = 0; range < ranges_.size(); ++range) {
    in_order(sections_, [&](const Stretch& section) {
      if (skip(section, range)) return;
      in_order(runs_of(section), [&](const Stretch& run) { pick(run, range); });
    });
  }
  return picks;
}

std::vector<std::string> ListScan::page() const {
  std::vector<std::string> page;
  for (const auto& [run, places] : picks()) {
    if (places.empty()) continue;
    const auto [least, most] = std::minmax_element(places.begin(), places.end());
    std::vector<std::string> entries;
    std::size_t place = 0;
    list_.values_after(*entries_, run.before, *most + 1,
                       [&, from = *least](std::string_view value) {
                         if (place++ >= from) entries.emplace_back(value);
                       });
    for (const auto each : places) page.push_back(std::move(entries.at(each - *least)));
  }
  return page;
}

}  // namespace tilth
