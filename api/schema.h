// The JSON Schema of a described struct, as OpenAPI 3.1 takes it.

#pragma once

#include <string>
#include <vector>

#include "api/schema_forms.h"
#include "events/codec.h"
#include "events/json_writer.h"

namespace tilth {

// Requests may send numbers in quotes; answers and events have one form each. An event of a change
// says only what became different.
enum class SchemaOf { kRequest, kAnswer, kEvent };

class Schema {
 public:
  template <class T>
  static std::string of(SchemaOf use, const Rules& rules = {}) {
    if constexpr (kIs<T, Patch>) {
      return of<typename T::Value>(use, rules);
    } else if constexpr (kIs<T, std::optional>) {
      return R"({"anyOf":[)" + of<typename T::value_type>(use, rules) + R"(,{"type":"null"}]})";
    } else if constexpr (kIs<T, std::vector>) {
      return R"({"type":"array","items":)" + of<typename T::value_type>(use) + "}";
    } else if constexpr (OwnJson<T>) {
      return std::string(schema_form(static_cast<const T*>(nullptr)));
    } else if constexpr (Described<T>) {
      Schema schema(use);
      T value{};
      value.serialize(schema);
      return schema.text();
    } else {
      return scalar<T>(use, rules);
    }
  }

  template <class... T>
  void operator()(Member<T>... members) {
    (add(members), ...);
  }

 private:
  explicit Schema(SchemaOf use) : use_(use) {}

  std::string text() const {
    std::string text = R"({"type":"object")";
    if (!required_.empty()) text.append(",\"required\":").append(JsonWriter::text(required_));
    return text.append(",\"properties\":{").append(properties_).append("}}");
  }

  template <class T>
  void add(const Member<T>& member) {
    if (member.rules.hidden) return;
    const bool always = use_ == SchemaOf::kAnswer || (use_ == SchemaOf::kEvent && !kIs<T, Patch>);
    if (member.rules.required || always) required_.emplace_back(member.name);
    if (!properties_.empty()) properties_.push_back(',');
    append_json_string(member.name, properties_);
    properties_.push_back(':');
    auto schema = of<T>(use_, member.rules);
    if (!member.rules.doc.empty()) {
      schema.back() = ',';
      schema.append("\"description\":");
      append_json_string(member.rules.doc, schema);
      schema.push_back('}');
    }
    properties_.append(schema);
  }

  // "number" of a request is ["number","string"]: numbers may come in quotes.
  static std::string type(SchemaOf use, std::string_view number) {
    const auto quoted = "\"" + std::string(number) + "\"";
    if (use != SchemaOf::kRequest) return quoted;
    return "[" + quoted + R"(,"string"],"pattern":"^[+-]?\\d+(\\.\\d+)?([eE][+-]?\\d+)?$")";
  }

  template <class T>
  static std::string scalar(SchemaOf use, const Rules& rules) {
    std::string text = "{\"type\":";
    const auto bound = [&](std::string_view name, const auto& value) {
      text.append(",\"").append(name).append("\":").append(std::to_string(value));
    };
    if constexpr (Labelled<T>) {
      text.append(R"("string","enum":[)");
      for (const auto& [value, name] : labels(T{})) {
        if (text.back() != '[') text.push_back(',');
        append_json_string(name, text);
      }
      text.push_back(']');
    } else if constexpr (std::same_as<T, Figure>) {
      text.append(type(use, "number"));
    } else if constexpr (std::same_as<T, Decimal>) {
      text.append(use == SchemaOf::kRequest ? type(use, "number") : "\"string\"");
      text.append(R"(,"format":"decimal")");
    } else if constexpr (std::same_as<T, bool>) {
      text.append("\"boolean\"");
    } else if constexpr (Number<T>) {
      text.append(type(use, std::integral<T> ? "integer" : "number"));
    } else {
      text.append("\"string\"");
      if constexpr (requires { T::kFormat; }) {
        text.append(",\"format\":\"").append(T::kFormat).append(1, '"');
      }
    }
    if constexpr (Number<T> || AnyDecimal<T>) {
      if (use == SchemaOf::kRequest) {
        if (rules.positive) bound("exclusiveMinimum", 0);
        if (rules.min) bound("minimum", *rules.min);
        if (rules.max) bound("maximum", *rules.max);
      }
    }
    if (rules.min_length > 0) bound("minLength", rules.min_length);
    if (rules.max_length < Rules{}.max_length) bound("maxLength", rules.max_length);
    return text.append(1, '}');
  }

  const SchemaOf use_;
  std::vector<std::string> required_;
  std::string properties_;
};

}  // namespace tilth
