// Fills commands and queries from a request and collects all of its issues.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "api/routing/call.h"
#include "events/json/json_reader.h"
#include "events/json/type_form.h"
#include "events/values/result.h"
#include "query/listing.h"

namespace tilth {

// The issues so far. Invalid ids hide everything else (docs/api.md, "Errors").
struct RequestIssues {
  Issues ids;
  Issues values;

  Status verdict() const {
    if (!ids.empty()) return Error{ErrorCode::kInvalidId, "An id is not a UUID.", ids};
    if (!values.empty()) return Error{ErrorCode::kInvalid, "The request is not valid.", values};
    return kDone;
  }
};

// Reads the members of a path; its pattern names all of them.
class PathReader final : public MemberVisitor {
 public:
  PathReader(const PathParameters& path, Issues& issues) : path_(path), issues_(issues) {}

 private:
  void visit(std::string_view name, const Rules& rules, const TypeForm& form, void* value) override;

  const PathParameters& path_;
  Issues& issues_;
};

template <class Path>
void read_path(const Call& call, Path& at, RequestIssues& problems) {
  PathReader reader(call.path, problems.ids);
  at.serialize(static_cast<MemberVisitor&>(reader));
}

// Reads the body as one JSON object; an empty one counts as {}.
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

// Reads a query's members from the URL: each at most once, with issues of ids kept separate.
class QueryReader final : public MemberVisitor {
 public:
  QueryReader(const Parameters& query, RequestIssues& problems)
      : query_(query), problems_(problems) {}

  // The single value of a parameter; null if there is none, or several, which is an issue.
  const std::string* find(std::string_view name);

 private:
  void visit(std::string_view name, const Rules& rules, const TypeForm& form, void* value) override;

  const Parameters& query_;
  RequestIssues& problems_;
};

// Fills a query: `at` from the path, its members from the URL's query.
template <class RowQuery>
void read_question(const Call& call, RowQuery& question, QueryReader& query,
                   RequestIssues& problems) {
  if constexpr (requires { question.at; }) read_path(call, question.at, problems);
  question.serialize(static_cast<MemberVisitor&>(query));
  if constexpr (requires { question.check(problems.values); }) question.check(problems.values);
}

// limit: at least 1; larger than `most` becomes `most`.
std::optional<std::uint64_t> read_limit(QueryReader& query, RequestIssues& problems,
                                        std::uint64_t most);

// page, limit, sort and order (docs/api.md, "Lists"); `page` has the defaults.
PageRequest read_page(QueryReader& query, std::span<const std::string_view> sorts,
                      RequestIssues& problems, PageRequest page = {});

}  // namespace tilth
