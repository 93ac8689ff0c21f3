#include "app/cli/engine/table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <ostream>

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include "app/cli/engine/json_text.h"

namespace tilth::cli {
namespace {

// Code points: close enough to columns for names of people and farms.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

void print_rows(std::ostream& out, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  for (const auto& row : rows) {
    std::string line;
    std::size_t missing = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += std::string(missing, ' ') + row[i];
      missing = widths[i] - width(row[i]) + 2;
    }
    out << line << '\n';
  }
}

// Whether it controls a terminal, or changes the direction of the text after it.
bool misleads(UChar32 code_point) {
  return u_charType(code_point) == U_CONTROL_CHAR ||
         (code_point >= 0x202A && code_point <= 0x202E) ||
         (code_point >= 0x2066 && code_point <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text) {
  const auto* units = reinterpret_cast<const std::uint8_t*>(text.data());
  std::string safe;
  for (std::size_t at = 0; at < text.size();) {
    const auto begin = at;
    UChar32 code_point = 0;
    U8_NEXT(units, at, text.size(), code_point);
    const bool fits = code_point >= 0 && !misleads(code_point);
    safe.append(fits ? text.substr(begin, at - begin) : "?");
  }
  return safe;
}

std::string shown(const Json* value) {
  if (value == nullptr || value->kind == Json::Kind::kNull) return "-";
  if (value->kind == Json::Kind::kObject) return printable(to_text(*value));
  if (value->kind != Json::Kind::kArray) return printable(value->text);
  std::string list;
  for (const auto& [name, member] : value->children)
    list += (list.empty() ? "" : ",") + shown(&member);
  return list.empty() ? "-" : list;
}

std::string counted(const Json* number, std::string_view noun) {
  const auto text = shown(number);
  return std::string(text).append(" ").append(noun).append(text == "1" ? "" : "s");
}

std::string rounded(const Json* value) {
  auto text = shown(value);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return text;
  std::array<char, 64> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number,
                                     std::chars_format::fixed, 1);
  if (written.ec != std::errc()) return text;
  text.assign(digits.data(), written.ptr);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

void Table::print(std::ostream& out) const { print_rows(out, rows_); }

void print_record(std::ostream& out, const Json& record) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, value] : record.children)
    rows.push_back({printable(name), shown(&value)});
  print_rows(out, rows);
}

}  // namespace tilth::cli
