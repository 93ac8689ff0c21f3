// Reads and writes the JSON of each kind of value that is not a struct.

#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "events/json/described.h"
#include "events/json/json.h"
#include "events/values/decimal.h"
#include "events/values/textual.h"

namespace tilth {

template <class T>
concept Number = (std::integral<T> && !std::same_as<T, bool>) || std::floating_point<T>;

template <class T>
concept AnyDecimal = std::derived_from<T, Decimal>;

// A value with a JSON form of its own, such as a geometry:
//   static std::optional<T> read_json(const Json&, bool check, Issues&, const std::string& path)
//   void write_json(std::string& out) const
template <class T>
concept OwnJson = requires(const T& value, std::string& out) {
  value.write_json(out);
};

// A request is checked against the rules. A stored event was decided long ago, so only its shape is
// read. Both ignore unknown members and keep the defaults of absent ones.
enum class Reading { kRequest, kStored };

// What a T looks like, for error messages.
template <class T>
std::string expected() {
  if constexpr (Labelled<T>) {
    std::string names;
    for (const auto& [value, name] : labels(T{})) {
      names.append(names.empty() ? "one of " : ", ").append(name);
    }
    return names;
  } else if constexpr (Textual<T>) {
    return std::string(T::kExpected);
  } else if constexpr (std::same_as<T, bool>) {
    return "true or false";
  } else {
    return std::integral<T> ? "a whole number" : Number<T> ? "a number" : "a string";
  }
}

// A whole number in text, in any notation: "1e2" and "5.0" are whole, too.
std::optional<std::int64_t> read_whole(std::string_view text);

// The double nearest to a number in text; nullopt also if the number is out of range.
std::optional<double> read_double(std::string_view text);

// Whether `value`, the nearest double, may represent the number in `text`. It may if both are
// equal, or if the number has at most 17 decimal places, since a program may have written it from
// the same double. Rounding to a whole number is refused, so rounding never reaches a bound.
bool stands_for(double value, std::string_view text);
inline constexpr const char* kTooManyDigits = "too many digits: up to 15 are always kept";

// nullopt if the JSON is not expected<T>(). Numbers may be quoted.
template <class T>
std::optional<T> read_scalar(const Json& json, Reading how) {
  const bool quoted = json.kind == Json::Kind::kString;
  const bool number = json.kind == Json::Kind::kNumber;
  if constexpr (Labelled<T>) {
    for (const auto& [value, name] : labels(T{})) {
      if (quoted && json.text == name) return value;
    }
  } else if constexpr (Textual<T>) {
    if constexpr (requires { T::stored(json.text); }) {
      if (quoted && how == Reading::kStored) return T::stored(json.text);
    }
    if (quoted || (number && AnyDecimal<T>)) return T::parse(json.text);
  } else if constexpr (std::same_as<T, bool>) {
    if (json.kind == Json::Kind::kBool) return json.text == "true";
  } else if constexpr (std::floating_point<T>) {
    if (quoted || number) return read_double(json.text);
  } else if constexpr (Number<T>) {
    const auto whole = quoted || number ? read_whole(json.text) : std::nullopt;
    if (whole && std::in_range<T>(*whole)) return static_cast<T>(*whole);
  } else {
    if (quoted) return json.text;
  }
  return std::nullopt;
}

// The error message for JSON that is no T.
template <class T>
std::string misfit(const Json& json) {
  if constexpr (std::floating_point<T>) {
    if (WrittenNumber::parse(json.text)) return std::string("has ") + kTooManyDigits;
  }
  return "must be " + expected<T>();
}

template <class T>
void write_scalar(const T& value, std::string& out) {
  if constexpr (OwnJson<T>) {
    value.write_json(out);
  } else if constexpr (Labelled<T>) {
    out.append(1, '"').append(name_of(value)).append(1, '"');
  } else if constexpr (std::same_as<T, Figure>) {
    out.append(value.text());
  } else if constexpr (requires { value.append_to(out); }) {
    out.push_back('"');
    value.append_to(out);  // nothing in it has to be escaped
    out.push_back('"');
  } else if constexpr (Textual<T>) {
    append_json_string(value.text(), out);
  } else if constexpr (std::same_as<T, bool>) {
    out.append(value ? "true" : "false");
  } else if constexpr (Number<T>) {
    char text[32];
    out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
  } else {
    append_json_string(value, out);
  }
}

}  // namespace tilth
