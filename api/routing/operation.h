// What a request asks of the records, once it has been read: a command, or a query. Data alone:
// Operations carries it out.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "api/http/http.h"
#include "api/routing/call.h"
#include "command/decision.h"

namespace tilth {

// A command.
struct Mutation {
  Decide decide;
  std::string_view shown_table = {};  // the row that is shown when nothing changes
  Uuid shown_id = {};
};

// The answer to a query. Where `next` is set, `response` has the beginning of the body: next()
// appends a piece at a time, of the same rows, and says whether there may be another.
struct QueryAnswer {
  QueryAnswer(HttpResponse whole) : response(std::move(whole)) {}  // NOLINT: every whole one is one
  HttpResponse response;
  std::function<bool(const Rows& rows, std::string& piece)> next = {};
};
using RowQuery = std::function<Result<QueryAnswer>(const Rows& rows, Timestamp now)>;
struct HistoryQuery;  // own_history.h
using Intent = std::variant<Mutation, RowQuery, std::shared_ptr<const HistoryQuery>>;

// What is decided on, and what most queries ask.
inline constexpr std::string_view kRegistry = "registry", kFinance = "finance", kMarket = "market";

struct Operation {
  // Errors: kInvalidId, kInvalid.
  std::function<Result<Intent>(const Call&)> read;
  // What a mutation answers.
  std::function<HttpResponse(std::string_view spelled_path, const CommandResult&)> show = {};
  std::string_view projection = kRegistry;  // whose rows it asks
  std::string_view stream = {};             // which of them; "": the caller's
  // Its lists change while nothing happens: the rows have to age before they are asked (overdue.h).
  bool ages = false;
  bool of_the_past = true;  // a query that can be asked as of an earlier time, too
};

}  // namespace tilth
