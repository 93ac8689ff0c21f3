// Routes of resources, derived from the descriptions of their commands, queries and rows.
//
//   creation<Create<Plant>, Plant>("/farms/{id}/…/plants", Scope::kFieldsWrite, "Register a plant")
//
// The command or query is filled and checked from its description: `at` from the path, its members
// from the body or the query. Nothing here blocks; Operations runs a route.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/routing/operation.h"
#include "api/routing/read_request.h"
#include "api/routing/route.h"
#include "events/json/schema.h"
#include "events/json/type_name.h"
#include "projections/rows/rendered_row.h"

namespace tilth {

// The filters and sort orders of a list.
template <class Query>
Json list_schema() {
  auto schema = request_schema<Query>();
  const auto& sorts = Query::Row::kSorts;
  add_property(schema, "sort", enum_schema({sorts.begin(), sorts.end()}));
  return schema;
}

// {"data": …}, and for a page {"data": …, "pagination": {…}}.
Json data_schema(Json data);
Json page_schema(Json data);

// {"data": …} for one row, or for a result shown as one.
template <class Shown>
Json row_schema() {
  return data_schema(answer_schema<Shown>());
}

// What the description says of every route of a kind.
inline constexpr std::string_view kAboutPages =
    "Returns one page, the newest first by default; `pagination.total` counts all matching "
    "records.";
inline constexpr std::string_view kAboutWholeList =
    "Returns all of them in one response, or one page if `page` or `limit` is given.";
inline constexpr std::string_view kAboutCreation =
    "Returns the new record with its `id`. A repeated request with the same `Idempotency-Key` "
    "creates nothing more and returns the same response.";
inline constexpr std::string_view kAboutAmendment =
    "Members that are left out keep their values; null clears an optional member. With `If-Match`, "
    "the request fails with 412 if the record has changed since.";
inline constexpr std::string_view kAboutDeed =
    "Returns the record after the change. Repeating the request changes nothing more.";
inline constexpr std::string_view kAboutRemoval =
    "Returns 204 without a body; later requests for the record fail with 404. With `If-Match`, the "
    "request fails with 412 if the record has changed since.";
inline constexpr std::string_view kAboutSingle =
    "Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the "
    "record has not changed.";
inline constexpr std::string_view kAboutComputed =
    "Computed from the current records for each request, so there is no `ETag`.";

// Puts what is particular to a route before what is said of every route of its kind.
Route explained(Route route, std::string_view about);

// Whether what is below a record is a verb: "/crops/{id}/status".
constexpr bool is_deed(std::string_view pattern) { return !pattern.ends_with('}'); }

// Marks routes as second spellings of others with the same names.
std::vector<Route> as_aliases(std::vector<Route> routes);

// "listCrops" of "Crop".
std::string list_name(std::string_view type_name);

// Whether bodies of that schema may contain polygons.
bool takes_geometry(const Json& schema);

HttpResponse json_response(int status, std::string body);

// {"data": …} for one row in JSON, with its entity tag.
HttpResponse row_response(int status, std::string_view shown, std::string_view tag);

// {"data": …} for one row as of `now`, with its entity tag.
template <class Row>
HttpResponse row_response(int status, const Row& row, Timestamp now) {
  const auto shown = render_json(row, now);
  return row_response(status, shown, entity_tag(shown));
}

// {"data": […], "pagination": {…}}, written row by row.
class ListBody {
 public:
  explicit ListBody(std::size_t usual_bytes = 0);

  void add(std::string_view row_json);

  // What was added since the beginning or the last piece; more may follow.
  std::string take_piece() { return std::exchange(body_, {}); }

  // What was added since then, and the end.
  std::string end(std::uint64_t total, std::uint64_t page, std::uint64_t limit);

 private:
  std::string body_;
  bool first_ = true;
};

template <class Row>
HttpResponse list_response(const Listed<Row>& listed, std::uint64_t page, std::uint64_t limit,
                           Timestamp now) {
  constexpr std::size_t kUsualRow = 640;
  ListBody body(listed.rows.size() * kUsualRow);
  for (const auto& row : listed.rows) body.add(render_json(row, now));
  return json_response(200, body.end(listed.total, page, limit));
}

template <class Command>
Result<Intent> read_mutation(const Call& call) {
  Command command{};
  RequestIssues problems;
  read_path(call, command.at, problems);
  if constexpr (Described<Command>) read_body(call.request().body, command, problems.values);
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

// POST: 201, the new row, and its location.
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
  std::vector<std::string_view> headers{"ETag"};
  if (read_below != kNowhere) headers.push_back("Location");
  return {.method = "POST",
          .pattern = pattern,
          .summary = summary,
          .scope = scope,
          .action = Operation{.read = read_mutation<Command>,
                              .show = show,
                              .takes_geometry = takes_geometry(request_schema<Command>())},
          .description = Description{.name = operation_name(type_name(kSpelling<Command>)),
                                     .about = std::string(kAboutCreation),
                                     .path = request_schema<decltype(Command::at)>,
                                     .body = request_schema<Command>,
                                     .answer = row_schema<Row>,
                                     .status = 201,
                                     .headers = std::move(headers)}};
}

// PUT, or a POSTed action: 200 and the row as it is now.
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
          .summary = summary,
          .scope = scope,
          .action = Operation{.read = read,
                              .show = show,
                              .takes_geometry = takes_geometry(request_schema<Command>())},
          .description =
              Description{.name = operation_name(type_name(kSpelling<Command>)),
                          .about = std::string(is_deed(pattern) ? kAboutDeed : kAboutAmendment),
                          .path = request_schema<decltype(Command::at)>,
                          .body = request_schema<Command>,
                          .answer = row_schema<Row>,
                          .headers = {"ETag"}}};
}

// DELETE: 204.
template <class Command>
Route removal(std::string_view pattern, Scope scope, std::string_view summary) {
  const auto show = [](std::string_view, const CommandResult&) { return HttpResponse{204}; };
  return {.method = "DELETE",
          .pattern = pattern,
          .summary = summary,
          .scope = scope,
          .action = Operation{.read = read_mutation<Command>, .show = show},
          .description = Description{.name = operation_name(type_name(kSpelling<Command>)),
                                     .about = std::string(kAboutRemoval),
                                     .path = request_schema<decltype(Command::at)>,
                                     .status = 204}};
}

// GET one row.
template <class Path, class Row>
Route single(std::string_view pattern, Scope scope, std::string_view summary) {
  const auto read = [](const Call& call) -> Result<Intent> {
    Path at{};
    RequestIssues problems;
    read_path(call, at, problems);
    if (const auto verdict = problems.verdict(); !verdict) return verdict.error();
    return Intent(RowQuery([at](const Rows& rows, Timestamp now) -> Result<QueryResult> {
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
          .summary = summary,
          .scope = scope,
          .action = Operation{.read = read},
          .description = Description{.name = "get" + type_name(kSpelling<Row>),
                                     .about = std::string(kAboutSingle),
                                     .path = request_schema<Path>,
                                     .answer = row_schema<Row>,
                                     .headers = {"ETag"}}};
}

// The rows that a response without pages reads at once; a longer list is sent in pieces.
inline constexpr std::uint64_t kRowsAtOnce = 1'000;
inline constexpr std::uint64_t kWholeLimit = 10'000;  // the `limit` shown then

// Every row of a list that begins with `first`.
template <class Query>
QueryResult whole_list_response(const Query& query, PageRequest page,
                                const Listed<typename Query::Row>& first, Timestamp now) {
  if (first.total <= first.rows.size()) return list_response(first, 1, kWholeLimit, now);
  ListBody body;
  for (const auto& row : first.rows) body.add(render_json(row, now));
  QueryResult begun(json_response(200, body.take_piece()));
  begun.next = [query, page, now, body, total = first.total](const Rows& rows,
                                                             std::string& piece) mutable {
    ++page.page;
    const auto more = run_query(rows, query, page);
    if (!more || more->rows.empty()) {
      piece.append(body.end(total, 1, kWholeLimit));
      return false;
    }
    for (const auto& row : more->rows) body.add(render_json(row, now));
    piece.append(body.take_piece());
    return true;
  };
  return begun;
}

// The default page. A list that is not newest first has its `kOrder`.
template <class Query>
constexpr PageRequest usual_page() {
  PageRequest page;
  if constexpr (requires { Query::kOrder; }) page.order = Query::kOrder;
  return page;
}

// Whether a row or a computed result changes without events (overdue.h).
template <class T>
constexpr bool ages() {
  return requires { T::kAges; };
}

// GET a list. If `whole`, it returns every row unless page or limit is given (docs/api.md,
// "Lists").
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
        RowQuery([question, page, paged](const Rows& rows, Timestamp now) -> Result<QueryResult> {
          const auto listed = run_query(rows, question, page);
          if (!listed) return listed.error();
          if (paged) return list_response(*listed, page.page, page.limit, now);
          return whole_list_response<Query>(question, page, *listed, now);
        }));
  };
  return {
      .method = "GET",
      .pattern = pattern,
      .summary = summary,
      .scope = scope,
      .action = Operation{.read = read, .ages = ages<typename Query::Row>()},
      .description = Description{
          .name = list_name(type_name(kSpelling<typename Query::Row>)),
          .about = std::string(whole ? kAboutWholeList : kAboutPages),
          .path = request_schema<decltype(Query::at)>,
          .query = list_schema<Query>,
          .answer = [] { return page_schema(answer_schema<std::vector<typename Query::Row>>()); },
          .paged = true}};
}

// GET a result computed from rows, which is not a record: without an entity tag.
template <class Query>
Route computed(std::string_view pattern, Scope scope, std::string_view summary) {
  const auto read = [](const Call& call) -> Result<Intent> {
    Query question{};
    RequestIssues problems;
    QueryReader query(call.query, problems);
    read_question(call, question, query, problems);
    if (const auto verdict = problems.verdict(); !verdict) return verdict.error();
    return Intent(RowQuery([question](const Rows& rows, Timestamp now) -> Result<QueryResult> {
      const auto found = run_query(rows, question, now);
      if (!found) return found.error();
      return QueryResult(json_response(200, "{\"data\":" + JsonWriter::text(*found) + "}"));
    }));
  };
  return {.method = "GET",
          .pattern = pattern,
          .summary = summary,
          .scope = scope,
          .action = Operation{.read = read, .ages = ages<Query>()},
          .description = Description{.name = "get" + type_name(kSpelling<typename Query::Answer>),
                                     .about = std::string(kAboutComputed),
                                     .path = request_schema<decltype(Query::at)>,
                                     .query = request_schema<Query>,
                                     .answer = row_schema<typename Query::Answer>}};
}

}  // namespace tilth
