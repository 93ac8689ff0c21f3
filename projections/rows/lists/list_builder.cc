#include "projections/rows/lists/list_builder.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "projections/rows/lists/ranked_blocks.h"
#include "projections/rows/lists/ranked_list.h"
#include "projections/rows/row_keys.h"

namespace tilth {

// One order of the rows, and their entries in it.
struct ListBuilder::Order {
  std::string_view entry(std::uint32_t row) const {
    return std::string_view(bytes).substr(ends[row], ends[row + 1] - ends[row]);
  }

  std::string bytes;              // of all entries
  std::vector<std::size_t> ends;  // where each begins and the one before it ends
  std::vector<std::int8_t> levels;
  Numbers rows;  // sorted
};

void ListBuilder::add(const Uuid& id, const RowIndex& index) {
  for (const auto filter : index.links()) {
    links_[filter].emplace_back(*index.filters()[filter], static_cast<std::uint32_t>(ids_.size()));
  }
  ids_.push_back(id);
  values_.push_back(entry_value(id, index));
  sorts_.push_back(index.sorts());
  counted_ = index.counted();
  fingerprinted_ = index.fingerprinted();
}

ListBuilder::Order ListBuilder::sorted(std::size_t sort) const {
  Order order;
  order.ends.reserve(ids_.size() + 1);
  order.ends.push_back(0);
  for (std::size_t row = 0; row < ids_.size(); ++row) {
    order.bytes += ranked_entry({sorts_[row][sort], std::string(ids_[row].key())});
    order.ends.push_back(order.bytes.size());
  }
  order.rows.resize(ids_.size());
  std::iota(order.rows.begin(), order.rows.end(), 0U);
  for (const auto row : order.rows) {
    order.levels.push_back(static_cast<std::int8_t>(ranked_level(order.entry(row))));
  }
  std::sort(order.rows.begin(), order.rows.end(),
            [&](auto a, auto b) { return order.entry(a) < order.entry(b); });
  return order;
}

void ListBuilder::write(const std::string& parent, const Out& out) const {
  if (ids_.empty() || sorts_.front().empty()) return;
  std::vector<Order> orders;
  for (std::size_t sort = 0; sort < sorts_.front().size(); ++sort) orders.push_back(sorted(sort));
  if (counted_) {
    for (const auto& [filter, links] : links_) write_links(parent, filter, orders.front(), out);
  }
  auto whole = parent;
  append_list(whole, ListFilter::kAll, {});
  write_list(std::move(whole), orders, out);
}

// The keys of a filter's links, in order: by value, whose length comes first, and then by entry.
void ListBuilder::write_links(const std::string& parent, std::size_t filter, const Order& order,
                              const Out& out) const {
  auto links = links_.at(filter);
  std::sort(links.begin(), links.end(), [&](const auto& a, const auto& b) {
    return std::tuple(a.first.size(), std::string_view(a.first), order.entry(a.second)) <
           std::tuple(b.first.size(), std::string_view(b.first), order.entry(b.second));
  });
  for (const auto& [value, row] : links) {
    auto key = parent;
    append_list(key, filter, value);
    out(RankedList::entries_prefix(key, 0).append(order.entry(row)), {});
  }
}

// The totals, and then each order: its entries, and the counters of each level.
void ListBuilder::write_list(std::string list, const std::vector<Order>& orders,
                             const Out& out) const {
  struct Counter {
    int level;
    std::string_view entry;
    std::string count;
  };
  std::vector<std::vector<Counter>> counters(orders.size());
  std::string totals;
  for (std::size_t sort = 0; sort < orders.size(); ++sort) {
    RankedBlocks blocks(fingerprinted_);
    for (const auto row : orders[sort].rows) {
      blocks.add(orders[sort].entry(row), values_[row], orders[sort].levels[row],
                 [&](int level, std::string_view entry, std::string count) {
                   counters[sort].push_back({level, entry, std::move(count)});
                 });
    }
    blocks.totals().append_to(totals);
  }
  if (counted_) out(list, totals);
  for (std::size_t sort = 0; sort < orders.size(); ++sort) {
    auto key = RankedList::entries_prefix(list, sort);
    const auto size = key.size();
    for (const auto row : orders[sort].rows) {
      out(key.append(orders[sort].entry(row)), values_[row]);
      key.resize(size);
    }
    for (int level = 1; counted_ && level <= static_cast<int>(RankedTotals::kLevels); ++level) {
      ++key.back();
      for (const auto& counter : counters[sort]) {
        if (counter.level != level) continue;
        out(key.append(counter.entry), counter.count);
        key.resize(size);
      }
    }
  }
}

}  // namespace tilth
