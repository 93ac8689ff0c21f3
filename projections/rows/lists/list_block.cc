#include "projections/rows/lists/list_block.h"

#define XXH_INLINE_ALL
#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include <xxhash.h>

#include "projections/rows/lists/entry_values.h"

namespace tilth {
namespace {

constexpr std::size_t kIdBytes = 16;
constexpr std::uint32_t kMostOfAByte = 255;

// The distinct values of a column, sorted, and for each entry the number of its value among them.
// A hash table finds them first, since few are distinct: sorting all values takes three times as
// long.
class DistinctValues {
 public:
  explicit DistinctValues(const std::vector<std::optional<std::string_view>>& values) {
    std::vector<std::uint32_t> table(std::bit_ceil(2 * values.size() + 1), kNone);
    const auto mask = table.size() - 1;
    numbers_.reserve(values.size());
    for (const auto& value : values) {
      if (!value) {
        numbers_.push_back(kNone);
        all_have_one_ = false;
        continue;
      }
      auto at = XXH3_64bits(value->data(), value->size()) & mask;
      while (table[at] != kNone && sorted_[table[at]] != *value) at = (at + 1) & mask;
      if (table[at] == kNone) {
        table[at] = size();
        sorted_.push_back(*value);
      }
      numbers_.push_back(table[at]);
    }
    sort();
  }

  const std::vector<std::string_view>& sorted() const { return sorted_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(sorted_.size()); }
  bool all_have_one() const { return all_have_one_; }
  // Without a value: size().
  const std::vector<std::uint32_t>& numbers() const { return numbers_; }

 private:
  static constexpr std::uint32_t kNone = ~0U;

  void sort() {
    std::vector<std::uint32_t> order(sorted_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return sorted_[a] < sorted_[b]; });
    std::vector<std::string_view> sorted;
    std::vector<std::uint32_t> number_of(order.size());
    for (const auto found : order) {
      number_of[found] = static_cast<std::uint32_t>(sorted.size());
      sorted.push_back(sorted_[found]);
    }
    sorted_ = std::move(sorted);
    for (auto& number : numbers_) number = number == kNone ? size() : number_of[number];
  }

  std::vector<std::string_view> sorted_;
  std::vector<std::uint32_t> numbers_;
  bool all_have_one_ = true;
};

}  // namespace

ListBlock::ListBlock(const std::vector<std::string>& entries, const Columns& columns)
    : size_(entries.size()) {
  std::vector<std::vector<std::optional<std::string_view>>> values(columns.count);
  for (auto& column : values) column.reserve(size_);
  for (const std::string_view entry : entries) {
    auto rest = entry.substr(std::min(kIdBytes, entry.size()));
    for (std::size_t i = 0; i < columns.first + columns.count; ++i) {
      const auto value = rest.empty() ? std::nullopt : take_entry_value(rest);
      if (i >= columns.first) values[i - columns.first].push_back(value);
    }
  }
  columns_.reserve(columns.count);
  for (const auto& column : values) add_column(column);
  text_.shrink_to_fit(), ends_.shrink_to_fit();
  bytes_.shrink_to_fit(), words_.shrink_to_fit();
}

std::size_t ListBlock::bytes() const {
  return sizeof(*this) + columns_.capacity() * sizeof(Column) + text_.capacity() +
         ends_.capacity() * sizeof(std::uint32_t) + bytes_.capacity() +
         words_.capacity() * sizeof(std::uint32_t);
}

void ListBlock::add_column(const std::vector<std::optional<std::string_view>>& values) {
  DistinctValues distinct(values);
  auto& column = columns_.emplace_back();
  column.first_value = static_cast<std::uint32_t>(ends_.size());
  column.values = distinct.size();
  for (const auto value : distinct.sorted()) {
    text_ += value;
    ends_.push_back(static_cast<std::uint32_t>(text_.size()));
  }
  if (distinct.size() + (distinct.all_have_one() ? 0 : 1) <= 1) return;
  column.width = column.values <= kMostOfAByte ? Width::kByte : Width::kWord;
  column.numbers =
      static_cast<std::uint32_t>(column.width == Width::kByte ? bytes_.size() : words_.size());
  for (const auto number : distinct.numbers()) {
    if (column.width == Width::kByte) {
      bytes_.push_back(static_cast<std::uint8_t>(number));
    } else {
      words_.push_back(number);
    }
  }
  if (column.width == Width::kByte) bytes_.resize(column.numbers + padded(size_));
}

std::string_view ListBlock::value(const Column& column, std::uint32_t number) const {
  const auto at = column.first_value + number;
  const auto begin = at == 0 ? 0 : ends_[at - 1];
  return std::string_view(text_).substr(begin, ends_[at] - begin);
}

std::uint32_t ListBlock::first_not_before(const Column& column, std::string_view wanted) const {
  std::uint32_t begin = 0, end = column.values;
  while (begin < end) {
    const auto middle = begin + (end - begin) / 2;
    if (value(column, middle) < wanted) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

bool ListBlock::keep(std::size_t column, std::string_view wanted, Marks& marks) const {
  const auto& in = columns_.at(column);
  const auto number = first_not_before(in, wanted);
  if (number == in.values || value(in, number) != wanted) return false;
  return keep(in, number, number + 1, marks);
}

bool ListBlock::keep(std::size_t column, const std::optional<std::string>& from,
                     const std::optional<std::string>& until, Marks& marks) const {
  const auto& in = columns_.at(column);
  return keep(in, from ? first_not_before(in, *from) : 0,
              until ? first_not_before(in, *until) : in.values, marks);
}

// Those with numbers from `begin` and before `end`.
bool ListBlock::keep(const Column& column, std::uint32_t begin, std::uint32_t end,
                     Marks& marks) const {
  if (begin >= end) return false;
  if (column.width == Width::kByte) {
    const auto* const numbers = bytes_.data() + column.numbers;
    const auto first = static_cast<std::uint8_t>(begin);
    const auto count = static_cast<std::uint8_t>(end - begin);
    auto* const to = marks.data();
    for (std::size_t i = 0; i < size_; i += kStep) {
      for (std::size_t j = i; j < i + kStep; ++j) {  // a fixed number, for vector instructions
        to[j] &= static_cast<std::uint8_t>(static_cast<std::uint8_t>(numbers[j] - first) < count);
      }
    }
  } else if (column.width == Width::kWord) {
    const auto* const numbers = words_.data() + column.numbers;
    for (std::size_t i = 0; i < size_; ++i) {
      marks[i] &= static_cast<std::uint8_t>(numbers[i] - begin < end - begin);
    }
  }
  return true;
}

}  // namespace tilth
