// A computed number that is not money: a score, a weight, a price, a prediction. In responses it is
// a JSON number with all its digits.

#pragma once

#include <string>
#include <string_view>

namespace tilth {

struct Computed {
  static constexpr std::string_view kSchema = R"({"type":"number","examples":[12.5]})";

  std::string text = "0";  // canonical: "12.5", never "12.50" or "1.25e1"

  void write_json(std::string& out) const { out.append(text); }
  friend bool operator==(const Computed&, const Computed&) = default;
};

}  // namespace tilth
