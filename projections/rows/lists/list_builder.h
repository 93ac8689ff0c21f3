// Builds all lists of one parent's rows at once, from the rows.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "projections/rows/row_index.h"

namespace tilth {

// Writes the same bytes as adding one row after the other to its lists (rows.cc), since those
// follow from the rows alone. The rows are sorted once for each order; links are in the first one.
class ListBuilder {
 public:
  using Out = std::function<void(std::string_view key, std::string_view value)>;

  void add(const Uuid& id, const RowIndex& index);

  // Keys in ascending order, each once. `parent` is the key prefix of the parent's lists.
  void write(const std::string& parent, const Out& out) const;

 private:
  using Numbers = std::vector<std::uint32_t>;  // of rows
  struct Order;

  Order sorted(std::size_t sort) const;
  void write_links(const std::string& parent, std::size_t filter, const Order& order,
                   const Out& out) const;
  void write_list(std::string list, const std::vector<Order>& orders, const Out& out) const;

  std::vector<Uuid> ids_;
  std::vector<std::string> values_;  // as entries store them
  std::vector<std::vector<std::optional<std::string>>> sorts_;
  // By filter: the values that rows are linked from, and the numbers of these rows.
  std::map<std::size_t, std::vector<std::pair<std::string, std::uint32_t>>> links_;
  bool counted_ = true;
  bool fingerprinted_ = false;
};

}  // namespace tilth
