#include "command/finance/exchange_rate_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace tilth {
namespace {

constexpr std::size_t kMostCells = 1'000;  // per line; there are fewer currencies

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// The beginning of a cell, whatever its bytes, for messages.
std::string quoted(std::string_view cell) {
  constexpr std::size_t kEnough = 40;
  std::string text(cell.substr(0, kEnough));
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return "'" + text + "'";
}

// "2 March 2026"
std::optional<Date> spelled_date(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMonths = {
      "January", "February", "March",     "April",   "May",      "June",
      "July",    "August",   "September", "October", "November", "December"};
  const auto first = text.find(' '), second = text.rfind(' ');
  if (first == text.npos || second == first) return std::nullopt;
  const auto day = text.substr(0, first), year = text.substr(second + 1);
  const auto month = std::ranges::find(kMonths, text.substr(first + 1, second - first - 1));
  if (month == kMonths.end() || day.size() > 2 || day.empty()) return std::nullopt;
  auto number = std::to_string(month - kMonths.begin() + 1);
  number.insert(0, 2 - number.size(), '0');
  const std::string written(2 - day.size(), '0');
  return Date::parse(std::string(year) + "-" + number + "-" + written + std::string(day));
}

std::optional<Date> read_date(std::string_view text) {
  constexpr std::size_t kIsoLength = 10;  // without a time of day
  const bool iso = text.size() == kIsoLength && text[4] == '-';
  return iso ? Date::parse(text) : spelled_date(text);
}

}  // namespace

Result<ExchangeRateFile> ExchangeRateFile::open(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // spreadsheets write it
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  ExchangeRateFile file(text);
  if (!file.next_line() || file.cells_.front() != "Date") {
    return file.fault("the first line must be Date and the codes of currencies");
  }
  auto& cells = file.cells_;
  if (cells.size() > 1 && cells.back().empty()) cells.pop_back();
  for (std::size_t i = 1; i < cells.size(); ++i) {
    auto currency = Currency::ever(cells[i]);
    if (!currency) return file.fault(quoted(cells[i]) + " is no code of a currency");
    if (std::ranges::find(file.currencies_, *currency) != file.currencies_.end()) {
      return file.fault(currency->code + " has two columns");
    }
    file.currencies_.push_back(std::move(*currency));
  }
  if (file.currencies_.empty()) return file.fault("there is no column of a currency");
  return file;
}

Result<std::optional<PublishedDay>> ExchangeRateFile::next() {
  if (!next_line()) return std::optional<PublishedDay>();
  const auto date = read_date(cells_.front());
  if (!date) return fault(quoted(cells_.front()) + " is no date");
  const auto columns = 1 + currencies_.size();
  if (cells_.size() == columns + 1 && cells_.back().empty()) cells_.pop_back();
  if (cells_.size() != columns) {
    return fault("there must be " + std::to_string(columns) + " values, as in the first line");
  }
  PublishedDay day{*date, {}};
  for (std::size_t i = 0; i < currencies_.size(); ++i) {
    const auto cell = cells_[i + 1];
    if (cell.empty() || cell == "N/A") continue;
    const auto value = Decimal::parse(cell);
    if (!value || *value <= Decimal()) return fault(quoted(cell) + " is no rate");
    day.rates.push_back({currencies_[i], *value});
  }
  return std::optional(std::move(day));
}

// Reads the next line that is not blank; false at the end.
bool ExchangeRateFile::next_line() {
  cells_.clear();
  while (cells_.empty() && !rest_.empty()) {
    ++number_;
    const auto end = rest_.find('\n');
    auto line = rest_.substr(0, end);
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
    if (without_blanks(line).empty()) continue;
    for (auto comma = line.find(','); comma != line.npos && cells_.size() < kMostCells;
         comma = line.find(',')) {
      cells_.push_back(without_blanks(line.substr(0, comma)));
      line.remove_prefix(comma + 1);
    }
    cells_.push_back(without_blanks(line));
  }
  return !cells_.empty();
}

Error ExchangeRateFile::fault(const std::string& what) const {
  const auto line = "line " + std::to_string(std::max<std::size_t>(number_, 1));
  return {
      ErrorCode::kInvalid, "The exchange rates are not valid.", {{"body", {line + ": " + what}}}};
}

}  // namespace tilth
