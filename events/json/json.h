// A JSON value. Numbers stay as they were written, so that no decimal passes through a double.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/values/result.h"

namespace tilth {

struct Json {
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  std::string text;  // "true", a number, a string's characters
  struct Child;
  std::vector<Child> children;

  static Json object();
  static Json array(std::vector<Json> items);
  static Json string(std::string_view text);
  static Json number(std::int64_t value);
  static Json boolean(bool value);

  const Json* find(std::string_view name) const;  // the last of duplicates; null if there is none
  Json& add(std::string_view name, Json child);
};

// Replaces std::pair, which cannot hold a Json before Json is complete.
struct Json::Child {
  std::string first;  // the name; an array's children have none
  Json second;
};

inline Json Json::object() { return {Kind::kObject, {}, {}}; }
inline Json Json::string(std::string_view text) { return {Kind::kString, std::string(text), {}}; }
inline Json Json::number(std::int64_t value) { return {Kind::kNumber, std::to_string(value), {}}; }
inline Json Json::boolean(bool value) { return {Kind::kBool, value ? "true" : "false", {}}; }

inline Json Json::array(std::vector<Json> items) {
  Json array{Kind::kArray, {}, {}};
  for (auto& item : items) array.children.push_back({{}, std::move(item)});
  return array;
}

inline Json& Json::add(std::string_view name, Json child) {
  return children.emplace_back(Child{std::string(name), std::move(child)}).second;
}

// An object with any content, kept as it was sent, without insignificant whitespace.
struct FreeObject {
  static constexpr std::string_view kSchema = R"({"type":"object","examples":[{}]})";

  std::string json = "{}";
  static constexpr auto kWrapped = &FreeObject::json;

  static std::optional<FreeObject> read_json(const Json& json, bool check, Issues& issues,
                                             const std::string& path);
  void write_json(std::string& out) const { out.append(json); }
};

// Fails with kInvalid on anything but one well-formed UTF-8 document, nested at most 64 deep.
Result<Json> parse_json(std::string_view text);

// The items of the array `name` of an object, as views of its text. Each can be parsed by itself,
// so a large document costs no more memory than its text. kInvalid: the text is no such document,
// or has no such array; the issues say which.
Result<std::vector<std::string_view>> split_json(std::string_view text, std::string_view name);

void write_json(const Json& json, std::string& out);
std::string text_of(const Json& json);

// Appends `text`, well-formed UTF-8, in quotes and escaped.
void append_json_string(std::string_view text, std::string& out);

}  // namespace tilth
