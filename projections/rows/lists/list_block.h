// The values of consecutive entries of a list, column by column.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "projections/rows/lists/list_cache.h"

namespace tilth {

// Tells which of the entries have given values, by comparing small numbers. A column is one of
// the values that entries store (entry_values.h): each entry has the number of its value among the
// column's distinct ones, which are sorted. A column that is the same for all entries has none.
//
// Threads: any number may read it.
class ListBlock {
 public:
  // Which values of the entries are columns.
  struct Columns {
    std::size_t first = 0;
    std::size_t count = 0;

    friend bool operator==(const Columns&, const Columns&) = default;
  };
  // One for each entry: 1, or 0 once a condition does not hold for it. It has room for padded()
  // entries; what is after the last one means nothing.
  using Marks = std::vector<std::uint8_t>;
  static constexpr std::size_t padded(std::size_t entries) {
    return (entries + kStep - 1) / kStep * kStep;
  }

  // `entries` are the values of a list's entries, in its order.
  ListBlock(const std::vector<std::string>& entries, const Columns& columns);

  std::size_t size() const { return size_; }
  std::size_t bytes() const;  // approximate memory use

  // Unmarks the entries with another value in that column, or with none. If the result is false,
  // none is left, and the marks are undefined.
  bool keep(std::size_t column, std::string_view value, Marks& marks) const;
  // Unmarks those whose value is not at least `from` and less than `until`, where given.
  bool keep(std::size_t column, const std::optional<std::string>& from,
            const std::optional<std::string>& until, Marks& marks) const;

 private:
  static constexpr std::size_t kStep = 32;  // entries that are compared together

  enum class Width : std::uint8_t { kNone, kByte, kWord };
  struct Column {
    std::uint32_t first_value = 0;  // in ends_
    std::uint32_t values = 0;       // also the number of those that have no value
    std::uint32_t numbers = 0;      // where they begin in bytes_ or words_
    Width width = Width::kNone;
  };

  void add_column(const std::vector<std::optional<std::string_view>>& values);
  std::string_view value(const Column& column, std::uint32_t number) const;
  std::uint32_t first_not_before(const Column& column, std::string_view value) const;
  bool keep(const Column& column, std::uint32_t begin, std::uint32_t end, Marks& marks) const;

  const std::size_t size_;
  std::vector<Column> columns_;
  std::string text_;                 // the distinct values of all columns
  std::vector<std::uint32_t> ends_;  // of each value in text_
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint32_t> words_;
};

// One list has the same numbers of columns everywhere.
using ListBlockCache = ListCache<ListBlock::Columns, ListBlock>;

}  // namespace tilth
