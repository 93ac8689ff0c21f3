// Fills a described struct from JSON, and says everything that is wrong with it.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "events/codec.h"
#include "events/result.h"

namespace tilth {

// Collects every issue under its dotted path, not just the first. A struct may have
// `void check(Issues&) const` for what its members break only together; it runs on requests, and
// leaves alone what has an issue already.
class JsonReader {
 public:
  template <class T>
  static void read(const Json& json, Reading how, T& value, Issues& issues,
                   const std::string& path = {}, const Rules& rules = {}) {
    if constexpr (Described<T>) {
      if (json.kind != Json::Kind::kObject) return issues[path].push_back("must be an object");
      JsonReader reader(json, how, issues, path);
      value.serialize(reader);
      if constexpr (requires { value.check(issues); }) {
        if (how == Reading::kRequest) value.check(issues);
      }
    } else if constexpr (kIs<T, std::optional>) {
      value.reset();
      if (json.kind == Json::Kind::kNull) return;
      read(json, how, value.emplace(), issues, path, rules);
    } else if constexpr (kIs<T, std::vector>) {
      if (json.kind != Json::Kind::kArray) return issues[path].push_back("must be an array");
      value.clear();
      for (std::size_t i = 0; i < json.children.size(); ++i) {
        read(json.children[i].second, how, value.emplace_back(), issues, join(path, i), rules);
      }
    } else if constexpr (OwnJson<T>) {
      auto found = T::read_json(json, how == Reading::kRequest, issues, path);
      if (found) value = std::move(*found);
    } else {
      auto scalar = read_scalar<T>(json, how);
      if (!scalar) return issues[path].push_back(misfit<T>(json));
      value = std::move(*scalar);
      if (how == Reading::kStored) return;
      std::vector<std::string> faults;
      check_rules(value, rules, faults);
      if constexpr (std::floating_point<T>) {
        if (!stands_for(value, json.text)) faults.push_back(std::string("has ") + kTooManyDigits);
      }
      for (auto& fault : faults) issues[path].push_back(std::move(fault));
    }
  }

  template <class... T>
  void operator()(Member<T>... members) {
    (take(members), ...);
  }

 private:
  JsonReader(const Json& object, Reading how, Issues& issues, const std::string& path)
      : object_(object), how_(how), issues_(issues), path_(path) {}

  static std::string join(const std::string& path, std::size_t index) {
    return path + "." + std::to_string(index);
  }

  template <class T>
  void take(const Member<T>& member) {
    const std::string path = (path_.empty() ? "" : path_ + ".") + std::string(member.name);
    const Json* found = object_.find(member.name);
    if (found == nullptr) {
      if (how_ == Reading::kRequest && member.rules.required) {
        issues_[path].push_back("is required");
      }
    } else if constexpr (kIs<T, Patch>) {
      read(*found, how_, member.value.to.emplace(), issues_, path, member.rules);
    } else {
      read(*found, how_, member.value, issues_, path, member.rules);
    }
  }

  template <class T>
  static void check_rules(const T& value, const Rules& rules, std::vector<std::string>& faults) {
    const auto expect = [&](bool holds, const char* what, auto bound, const char* unit = "") {
      if (!holds) faults.push_back(what + std::to_string(bound) + unit);
    };
    if constexpr (Number<T> || AnyDecimal<T>) {
      if (rules.positive) expect(value > T{}, "must be more than ", 0);
      if (rules.min) expect(value >= T(*rules.min), "must be at least ", *rules.min);
      if (rules.max) expect(value <= T(*rules.max), "must be at most ", *rules.max);
    } else if constexpr (std::same_as<T, std::string>) {
      const auto length = code_points(value);
      expect(length >= rules.min_length, "must have at least ", rules.min_length,
             rules.min_length == 1 ? " character" : " characters");
      expect(length <= rules.max_length, "must have at most ", rules.max_length, " characters");
      if (value.find('\0') != value.npos) faults.emplace_back("must not contain U+0000");
    }
  }

  const Json& object_;
  Reading how_;
  Issues& issues_;
  std::string path_;
};

}  // namespace tilth
