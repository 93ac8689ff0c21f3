// Tables for people.

#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "events/json/json.h"

namespace tilth::cli {

// A member of a record for people: null is "-", a list's members are joined by commas.
std::string shown(const Json* value);

// The same for a measured number: at most one digit after the point.
std::string rounded(const Json* value);

// That many of a thing: "1 rate", "2 rates".
std::string counted(const Json* number, std::string_view noun);

// Text without what controls a terminal or changes the direction of the text after it.
std::string printable(std::string_view text);

// Rows under a line of titles; each column is as wide as it needs to be.
class Table {
 public:
  explicit Table(std::vector<std::string> titles) { rows_.push_back(std::move(titles)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.size() == 1; }
  void print(std::ostream& out) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// One record, a line for each member: "plan       summit".
void print_record(std::ostream& out, const Json& record);

}  // namespace tilth::cli
