#include "projections/rows/lists/list_block.h"

#include <algorithm>

#include "projections/rows/lists/entry_values.h"

namespace tilth {
namespace {

constexpr std::size_t kIdBytes = 16;
constexpr std::uint32_t kMostOfAByte = 255;

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
  std::vector<std::string_view> distinct;
  for (const auto& value : values) {
    // Equal values are often next to each other.
    if (value && (distinct.empty() || distinct.back() != *value)) distinct.push_back(*value);
  }
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());

  auto& column = columns_.emplace_back();
  column.first_value = static_cast<std::uint32_t>(ends_.size());
  column.values = static_cast<std::uint32_t>(distinct.size());
  for (const auto value : distinct) {
    text_ += value;
    ends_.push_back(static_cast<std::uint32_t>(text_.size()));
  }
  const bool all_have_one = std::all_of(values.begin(), values.end(),
                                        [](const auto& value) { return value.has_value(); });
  if (distinct.size() + (all_have_one ? 0 : 1) <= 1) return;
  column.width = column.values <= kMostOfAByte ? Width::kByte : Width::kWord;
  column.numbers =
      static_cast<std::uint32_t>(column.width == Width::kByte ? bytes_.size() : words_.size());
  for (const auto& value : values) {
    const auto at =
        value ? std::lower_bound(distinct.begin(), distinct.end(), *value) : distinct.end();
    const auto number = static_cast<std::uint32_t>(at - distinct.begin());
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
