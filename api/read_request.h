// Fills commands and questions from a request and collects everything that is wrong with it.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "events/json_reader.h"
#include "events/result.h"
#include "query/listing.h"

namespace tilth {

using Parameters = std::vector<std::pair<std::string, std::string>>;

// What stands where a pattern has {names}, decoded. Refers to the pattern and to the path's
// segments.
using PathParameters = std::vector<std::pair<std::string_view, std::string_view>>;

// A request once it is known where it goes.
struct Call {
  PathParameters path;
  Parameters query;  // decoded
  std::string_view spelled_path;
  std::string_view body;
  Timestamp now = {};
};

// What is wrong so far. Ids that are none hide everything else (docs/api.md, "Errors").
struct Faults {
  Issues ids;
  Issues values;

  Status verdict() const {
    if (!ids.empty()) return Error{ErrorCode::kInvalidId, "An id is not a UUID.", ids};
    if (!values.empty()) return Error{ErrorCode::kInvalid, "The request is not valid.", values};
    return kDone;
  }
};

Json text_json(const std::string& text);

// A value as a query spells it: all of them are text there.
template <class Value>
std::optional<Value> read_parameter(const std::string& text) {
  if constexpr (std::same_as<Value, bool>) {
    return text == "true"    ? std::optional(true)
           : text == "false" ? std::optional(false)
                             : std::nullopt;
  } else {
    return read_scalar<Value>(text_json(text), Reading::kRequest);
  }
}

// Reads the members of a path, all of which its pattern names.
class PathReader {
 public:
  PathReader(const PathParameters& path, Issues& issues) : path_(path), issues_(issues) {}

  template <class... T>
  void operator()(Member<T>... members) {
    (take(members), ...);
  }

 private:
  template <Textual T>
  void take(const Member<T>& member) {
    for (const auto& [name, text] : path_) {
      if (name != member.name) continue;
      if (auto value = T::parse(text)) {
        member.value = std::move(*value);
      } else {
        issues_[std::string(name)].push_back("must be " + expected<T>());
      }
    }
  }

  const PathParameters& path_;
  Issues& issues_;
};

template <class Path>
void read_path(const Call& call, Path& at, Faults& faults) {
  PathReader reader(call.path, faults.ids);
  at.serialize(reader);
}

// The body as one JSON object; an empty one counts as {}.
template <class Body>
void read_body(std::string_view text, Body& body, Issues& issues) {
  const auto json = parse_json(text.empty() ? "{}" : text);
  if (!json) {
    issues["body"].push_back(json.error().message);
  } else if (json->kind != Json::Kind::kObject) {
    issues["body"].push_back("must be a JSON object");
  } else {
    JsonReader::read(*json, Reading::kRequest, body, issues);
  }
}

// Reads a question's members from the query: each once at most, ids apart from the rest.
class QueryReader {
 public:
  QueryReader(const Parameters& query, Faults& faults) : query_(query), faults_(faults) {}

  template <class... T>
  void operator()(Member<T>... members) {
    (take(members), ...);
  }

  // The one value of a parameter; null if there is none, or more, which is an issue.
  const std::string* find(std::string_view name);

 private:
  template <class T>
  void take(const Member<T>& member) {
    using Value = typename T::value_type;
    const auto* text = find(member.name);
    if (text == nullptr) {
      auto& issues = faults_.values[std::string(member.name)];
      if (issues.empty() && member.rules.required) issues.emplace_back("is required");
      if (issues.empty()) faults_.values.erase(std::string(member.name));
      return;
    }
    auto value = read_parameter<Value>(*text);
    if (value) {
      member.value = std::move(*value);
    } else {
      auto& issues = kIs<Value, Id> ? faults_.ids : faults_.values;
      issues[std::string(member.name)].push_back("must be " + expected<Value>());
    }
  }

  const Parameters& query_;
  Faults& faults_;
};

// What a question asks: of what in the path, and its members in the query.
template <class Question>
void read_question(const Call& call, Question& question, QueryReader& query, Faults& faults) {
  if constexpr (requires { question.at; }) read_path(call, question.at, faults);
  question.serialize(query);
  if constexpr (requires { question.check(faults.values); }) question.check(faults.values);
}

// limit: at least 1, and `most` where it is larger.
std::optional<std::uint64_t> read_limit(QueryReader& query, Faults& faults, std::uint64_t most);

// page, limit, sort and order (docs/api.md, "Lists"); `page` is what is absent.
PageRequest read_page(QueryReader& query, std::span<const std::string_view> sorts, Faults& faults,
                      PageRequest page = {});

}  // namespace tilth
