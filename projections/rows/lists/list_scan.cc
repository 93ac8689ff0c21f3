#include "projections/rows/lists/list_scan.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tilth {

ListScan::ListScan(const RowReader& store, const RankedIndex& list, const RankedIndex::Part& part,
                   const Listing& listing, std::size_t filters, ListBlockCache* cache)
    : list_(list),
      listing_(listing),
      filters_(filters),
      cuts_(listing.cut && listing.cut->sort != listing.sort),
      cache_(cache),
      cursor_(store.cursor()) {
  const auto end = part.first + part.count;
  if (listing.order == Order::kAscending) {
    ranges_ = {{part.first, end}};
  } else {  // nulls come last here, too
    const auto nulls = std::clamp(list.first_null(), part.first, end);
    ranges_ = {{part.first, nulls}, {nulls, end}};
  }
  std::uint64_t rank = 0;
  list.for_each_run([&](const RankedCount& count, std::string_view before) {
    if (rank < end && rank + count.entries > part.first) look_at(count, rank, before);
    rank += count.entries;
  });
}

void ListScan::look_at(const RankedCount& count, std::uint64_t first, std::string_view before) {
  if (!mark(count, before, marks_)) return;
  Run run{count, first};
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const auto [begin, end] = within(run, ranges_[i]);
    run.found[i] = std::accumulate(marks_.begin() + static_cast<std::ptrdiff_t>(begin),
                                   marks_.begin() + static_cast<std::ptrdiff_t>(end), 0U);
  }
  const auto all = run.found[0] + run.found[1];
  if (all == 0) return;
  total_ += all;
  run.before = before;
  runs_.push_back(std::move(run));
}

// The places of a run that are in a range.
ListScan::Ranks ListScan::within(const Run& run, const Ranks& range) const {
  const auto place = [&](std::uint64_t rank) {
    return std::clamp(rank, run.first, run.first + run.count.entries) - run.first;
  };
  return {place(range.begin), place(range.end)};
}

// Marks the entries that meet all conditions. False: there are none.
bool ListScan::mark(const RankedCount& count, std::string_view before,
                    ListBlock::Marks& marks) const {
  marks.assign(ListBlock::padded(count.entries), 1);
  if (!listing_.filters.empty()) {
    const auto block = columns(count, before, {0, filters_});
    for (const auto& [filter, value] : listing_.filters) {
      if (!block->keep(filter, value, marks)) return false;
    }
  }
  if (!cuts_) return true;
  return columns(count, before, {filters_, 1})
      ->keep(0, listing_.cut->from, listing_.cut->until, marks);
}

ListBlockCache::Block ListScan::columns(const RankedCount& count, std::string_view before,
                                        const ListBlock::Columns& columns) const {
  if (cache_ != nullptr) {
    if (auto block = cache_->find({count, columns})) return block;
  }
  std::vector<std::string> entries;
  entries.reserve(count.entries);
  list_.values_after(*cursor_, before, count.entries,
                     [&](std::string_view value) { entries.emplace_back(value); });
  auto block = std::make_shared<const ListBlock>(entries, columns);
  if (cache_ != nullptr) cache_->keep({count, columns}, block);
  return block;
}

// Where the entries of the page are.
std::vector<ListScan::Pick> ListScan::picks() const {
  std::vector<Pick> picks;
  auto skipped = listing_.offset, left = listing_.limit;
  const auto pick = [&](const Run& run, std::size_t number) {
    if (const auto found = run.found[number]; skipped >= found) {
      skipped -= found;
      return;
    }
    if (left == 0 || !mark(run.count, run.before, marks_)) return;
    const auto [begin, end] = within(run, ranges_[number]);
    Pick picked{&run, {}};
    for (auto i = begin; i < end && left > 0; ++i) {
      const auto place = listing_.order == Order::kAscending ? i : begin + end - 1 - i;
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
  for (std::size_t number = 0; number < ranges_.size() && left > 0; ++number) {
    if (listing_.order == Order::kAscending) {
      for (auto at = runs_.begin(); at != runs_.end() && left > 0; ++at) pick(*at, number);
    } else {
      for (auto at = runs_.rbegin(); at != runs_.rend() && left > 0; ++at) pick(*at, number);
    }
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
    list_.values_after(*cursor_, run->before, *most + 1,
                       [&, from = *least](std::string_view value) {
                         if (place++ >= from) entries.emplace_back(value);
                       });
    for (const auto each : places) page.push_back(std::move(entries.at(each - *least)));
  }
  return page;
}

}  // namespace tilth
