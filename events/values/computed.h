// A number that was computed, and is no money: a score, a weight, a price, a prediction. It is
// answered as a JSON number, as long as it is.

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
