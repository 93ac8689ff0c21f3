// A route is data: where it is, who may call it, and what it means.
//
//   creation<Create<Plant>, Plant>("/farms/{id}/…/plants", Scope::kFieldsWrite, "Register a plant")
//
// The command or question is filled and checked from its description: `at` from the path, its
// members from the body or the query. Nothing here waits; the platform carries a route out.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/http/http.h"
#include "api/openapi/schema.h"
#include "api/routing/read_request.h"
#include "api/routing/scope.h"
#include "command/decision.h"
#include "projections/rows/rendered_row.h"

namespace tilth {

// A request once it has been read: what to decide, or a question.
struct Mutation {
  Decide decide;
  std::string_view shown_table = {};  // the row that is shown when nothing changes
  Uuid shown_id = {};
};

// What a question comes to. Where `next` is set the body goes on: it appends a piece at a time, and
// says whether there may be another; it reads the rows that the question was asked of.
struct Answer {
  Answer(HttpResponse whole) : response(std::move(whole)) {}  // NOLINT: every whole one is one
  HttpResponse response;
  std::function<bool(std::string& piece)> next = {};
};
using RowQuery = std::function<Result<Answer>(const Rows&, Timestamp now)>;
struct HistoryQuery;  // own_history.h
using Intent = std::variant<Mutation, RowQuery, std::shared_ptr<const HistoryQuery>>;

// What is decided on, and what most questions are asked of.
inline constexpr std::string_view kRegistry = "registry", kFinance = "finance", kMarket = "market";

struct Route {
  std::string_view method;
  std::string_view pattern;  // below /api/v1
  Scope scope;
  std::string_view summary;
  std::function<Result<Intent>(const Call&)> read;
  // What a mutation answers.
  std::function<HttpResponse(std::string_view spelled_path, const CommandResult&)> show = {};
  std::string_view projection = kRegistry;  // whose rows it asks
  std::string_view stream = {};             // which of them; "": the caller's
  // Its lists change while nothing happens: the rows have to age before they are asked (overdue.h).
  bool ages = false;
  bool of_the_past = true;  // a question that can be asked as of an earlier time, too
  // For the API's own description: JSON Schemas of the path's and the query's members, of the body
  // and of `data` and `meta`; null where there is none.
  Json (*path_schema)() = nullptr;
  Json (*query_schema)() = nullptr;
  Json (*body_schema)() = nullptr;
  Json (*data_schema)() = nullptr;
  Json (*meta_schema)() = nullptr;
  int status = 200;
  bool paged = true;      // of a list
  bool of_lines = false;  // answers JSON lines or server-sent events, each with one of `data`
};

// The filters of a list, and what it can be sorted by.
template <class Query>
Json list_schema() {
  auto schema = request_schema<Query>();
  const auto& sorts = Query::Row::kSorts;
  add_property(schema, "sort", enum_schema({sorts.begin(), sorts.end()}));
  return schema;
}

// {"data": …, "pagination": {…}}
Json page_schema(Json data);

HttpResponse json_response(int status, std::string body);

// {"data": …} of one row in JSON, with its entity tag.
HttpResponse row_response(int status, std::string_view shown, std::string_view tag);

// {"data": …} of one row as of `now`, with its entity tag.
template <class Row>
HttpResponse row_response(int status, const Row& row, Timestamp now) {
  const auto shown = render_json(row, now);
  return row_response(status, shown, entity_tag(shown));
}

// {"data": […], "pagination": {…}} of rows in JSON.
HttpResponse list_response(const std::vector<std::string>& shown, std::uint64_t total,
                           std::uint64_t page, std::uint64_t limit);

template <class Row>
HttpResponse list_response(const Listed<Row>& listed, std::uint64_t page, std::uint64_t limit,
                           Timestamp now) {
  std::vector<std::string> shown;
  shown.reserve(listed.rows.size());
  for (const auto& row : listed.rows) shown.push_back(render_json(row, now));
  return list_response(shown, listed.total, page, limit);
}

template <class Command>
Result<Intent> read_mutation(const Call& call) {
  Command command{};
  RequestIssues problems;
  read_path(call, command.at, problems);
  if constexpr (Described<Command>) read_body(call.body, command, problems.values);
  if constexpr (requires { command.check(problems.values, call.now); }) {
    command.check(problems.values, call.now);
  }
  if (const auto verdict = problems.verdict(); !verdict) return verdict.error();
  Mutation mutation{deciding(command)};
  if constexpr (requires { command.at.row_id(); }) mutation.shown_id = command.at.row_id();
  return Intent(std::move(mutation));
}

// Where a new row can be read.
inline constexpr std::string_view kItsList = ".";  // below the path that was POSTed to
inline constexpr std::string_view kNowhere = "";

// POST: 201, the new row, and where it is.
template <class Command, class Row>
Route creation(std::string_view pattern, Scope scope, std::string_view summary,
               std::string_view read_below = kItsList) {
  const auto show = [read_below](std::string_view spelled_path, const CommandResult& outcome) {
    const auto row = RowCodec<Row>::decode(outcome.row.value().bytes);
    auto response = row_response(201, row, outcome.at);
    if (read_below == kNowhere) return response;
    response.headers.emplace_back(
        "Location",
        std::string(read_below == kItsList ? spelled_path : read_below) + "/" + row.id.text());
    return response;
  };
  return {.method = "POST",
          .pattern = pattern,
          .scope = scope,
          .summary = summary,
          .read = read_mutation<Command>,
          .show = show,
          .path_schema = request_schema<decltype(Command::at)>,
          .body_schema = request_schema<Command>,
          .data_schema = answer_schema<Row>,
          .status = 201};
}

// PUT, or a deed that is POSTed: 200 and the row as it is now.
template <class Command, class Row>
Route amendment(std::string_view pattern, Scope scope, std::string_view summary,
                std::string_view method = "PUT") {
  const auto read = [](const Call& call) -> Result<Intent> {
    auto intent = read_mutation<Command>(call);
    if (intent) std::get<Mutation>(*intent).shown_table = Row::kTable;
    return intent;
  };
  const auto show = [](std::string_view, const CommandResult& outcome) {
    return row_response(200, RowCodec<Row>::decode(outcome.row.value().bytes), outcome.at);
  };
  return {.method = method,
          .pattern = pattern,
          .scope = scope,
          .summary = summary,
          .read = read,
          .show = show,
          .path_schema = request_schema<decltype(Command::at)>,
          .body_schema = request_schema<Command>,
          .data_schema = answer_schema<Row>};
}

// DELETE: 204.
template <class Command>
Route removal(std::string_view pattern, Scope scope, std::string_view summary) {
  const auto show = [](std::string_view, const CommandResult&) { return HttpResponse{204}; };
  return {.method = "DELETE",
          .pattern = pattern,
          .scope = scope,
          .summary = summary,
          .read = read_mutation<Command>,
          .show = show,
          .path_schema = request_schema<decltype(Command::at)>,
          .status = 204};
}

// GET one row.
template <class Path, class Row>
Route single(std::string_view pattern, Scope scope, std::string_view summary) {
  const auto read = [](const Call& call) -> Result<Intent> {
    Path at{};
    RequestIssues problems;
    read_path(call, at, problems);
    if (const auto verdict = problems.verdict(); !verdict) return verdict.error();
    return Intent(RowQuery([at](const Rows& rows, Timestamp now) -> Result<Answer> {
      constexpr const char* kMissing = "There is no such record.";
      if constexpr (LeadsToLasting<Path>) {
        const auto found = find_rendered(rows, at);
        if (!found) return Error{ErrorCode::kNotFound, kMissing};
        return row_response(200, found->json, found->tag);
      } else {
        const auto row = find(rows, at);
        if (!row) return Error{ErrorCode::kNotFound, kMissing};
        return row_response(200, *row, now);
      }
    }));
  };
  return {.method = "GET",
          .pattern = pattern,
          .scope = scope,
          .summary = summary,
          .read = read,
          .path_schema = request_schema<Path>,
          .data_schema = answer_schema<Row>};
}

// How many rows an answer without pages reads at once; what is longer goes out piece by piece.
inline constexpr std::uint64_t kRowsAtOnce = 1'000;
inline constexpr std::uint64_t kWholeLimit = 10'000;  // what `limit` says then

// Every row of a list, of which `first` is the beginning.
template <class Query>
Answer whole_list_response(const Rows& rows, const Query& question, PageRequest page,
                           const Listed<typename Query::Row>& first, Timestamp now) {
  auto whole = list_response(first, 1, kWholeLimit, now);
  if (first.total <= first.rows.size()) return whole;
  const auto end = whole.body.rfind("],\"pagination\"");
  Answer answered(HttpResponse{whole.status, whole.headers, whole.body.substr(0, end)});
  answered.next = [&rows, question, page, now,
                   tail = whole.body.substr(end)](std::string& piece) mutable {
    ++page.page;
    const auto more = answer(rows, question, page);
    if (!more || more->rows.empty()) {
      piece.append(tail);
      return false;
    }
    for (const auto& row : more->rows) piece.append(1, ',').append(render_json(row, now));
    return true;
  };
  return answered;
}

// Of lists that are not newest first, `kOrder` says so.
template <class Query>
constexpr PageRequest usual_page() {
  PageRequest page;
  if constexpr (requires { Query::kOrder; }) page.order = Query::kOrder;
  return page;
}

// Whether a row, or what is computed, changes while nothing happens (overdue.h).
template <class T>
constexpr bool ages() {
  return requires { T::kAges; };
}

// GET a list. Where `whole`, it answers every row unless page or limit is given
// (docs/api.md, "Lists").
template <class Query>
Route listing(std::string_view pattern, Scope scope, std::string_view summary, bool whole = false) {
  const auto read = [whole](const Call& call) -> Result<Intent> {
    Query question{};
    RequestIssues problems;
    QueryReader query(call.query, problems);
    read_question(call, question, query, problems);
    auto page = read_page(query, Query::Row::kSorts, problems, usual_page<Query>());
    if (const auto verdict = problems.verdict(); !verdict) return verdict.error();
    const bool paged = !whole || query.find("page") != nullptr || query.find("limit") != nullptr;
    if (!paged) page.limit = kRowsAtOnce;
    return Intent(
        RowQuery([question, page, paged](const Rows& rows, Timestamp now) -> Result<Answer> {
          const auto listed = answer(rows, question, page);
          if (!listed) return listed.error();
          if (paged) return list_response(*listed, page.page, page.limit, now);
          return whole_list_response<Query>(rows, question, page, *listed, now);
        }));
  };
  return {.method = "GET",
          .pattern = pattern,
          .scope = scope,
          .summary = summary,
          .read = read,
          .ages = ages<typename Query::Row>(),
          .path_schema = request_schema<decltype(Query::at)>,
          .query_schema = list_schema<Query>,
          .data_schema = answer_schema<std::vector<typename Query::Row>>};
}

// GET what is computed from rows and is no record of its own: without an entity tag.
template <class Query>
Route computed(std::string_view pattern, Scope scope, std::string_view summary) {
  const auto read = [](const Call& call) -> Result<Intent> {
    Query question{};
    RequestIssues problems;
    QueryReader query(call.query, problems);
    read_question(call, question, query, problems);
    if (const auto verdict = problems.verdict(); !verdict) return verdict.error();
    return Intent(RowQuery([question](const Rows& rows, Timestamp now) -> Result<Answer> {
      const auto found = answer(rows, question, now);
      if (!found) return found.error();
      return Answer(json_response(200, "{\"data\":" + JsonWriter::text(*found) + "}"));
    }));
  };
  return {.method = "GET",
          .pattern = pattern,
          .scope = scope,
          .summary = summary,
          .read = read,
          .ages = ages<Query>(),
          .path_schema = request_schema<decltype(Query::at)>,
          .query_schema = request_schema<Query>,
          .data_schema = answer_schema<typename Query::Answer>,
          .paged = false};
}

}  // namespace tilth
