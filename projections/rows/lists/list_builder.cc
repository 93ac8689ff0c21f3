#include "projections/rows/lists/list_builder.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
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
  ids_.push_back(id);
  values_.push_back(entry_value(id, index));
  filters_.push_back(index.filters());
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
  for (std::size_t filter = 0; filter < filters_.front().size(); ++filter) {
    write_filter(parent, filter, orders, out);
  }
  auto whole = parent;
  append_list(whole, ListFilter::kAll, {});
  std::vector<std::span<const std::uint32_t>> rows;
  for (const auto& order : orders) rows.emplace_back(order.rows);
  write_list(std::move(whole), orders, rows, fingerprinted_, out);
}

// The lists of all values of a filter. Each order is distributed to them, and stays in order.
void ListBuilder::write_filter(const std::string& parent, std::size_t filter,
                               const std::vector<Order>& orders, const Out& out) const {
  std::unordered_map<std::string_view, std::uint32_t> found;
  for (const auto& of_row : filters_) {
    if (of_row[filter]) found.emplace(*of_row[filter], 0);
  }
  std::vector<std::string_view> values;
  for (const auto& [value, number] : found) values.push_back(value);
  std::sort(values.begin(), values.end(), [](auto a, auto b) {  // as their keys, length first
    return std::pair(a.size(), a) < std::pair(b.size(), b);
  });
  for (std::uint32_t i = 0; i < values.size(); ++i) found[values[i]] = i;

  std::vector<std::optional<std::uint32_t>> list_of(ids_.size());
  std::vector<std::size_t> ends(values.size() + 1);
  for (std::size_t row = 0; row < ids_.size(); ++row) {
    if (!filters_[row][filter]) continue;
    list_of[row] = found.at(*filters_[row][filter]);
    ++ends[*list_of[row] + 1];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<Numbers> dealt;
  for (const auto& order : orders) {
    auto at = ends;
    auto& rows = dealt.emplace_back(ends.back());
    for (const auto row : order.rows) {
      if (list_of[row]) rows[at[*list_of[row]]++] = row;
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto list = parent;
    append_list(list, filter, values[i]);
    std::vector<std::span<const std::uint32_t>> rows;
    for (const auto& all : dealt) {
      rows.push_back(std::span(all).subspan(ends[i], ends[i + 1] - ends[i]));
    }
    write_list(std::move(list), orders, rows, false, out);
  }
}

// The totals, and then each order: its entries, and the counters of each level.
void ListBuilder::write_list(std::string list, const std::vector<Order>& orders,
                             const std::vector<std::span<const std::uint32_t>>& rows,
                             bool fingerprinted, const Out& out) const {
  struct Counter {
    int level;
    std::string_view entry;
    std::string count;
  };
  std::vector<std::vector<Counter>> counters(orders.size());
  std::string totals;
  for (std::size_t sort = 0; sort < orders.size(); ++sort) {
    RankedBlocks blocks(fingerprinted);
    for (const auto row : rows[sort]) {
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
    for (const auto row : rows[sort]) {
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
