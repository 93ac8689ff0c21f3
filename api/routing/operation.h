// What a request does, once it has been read: a command or a query. Data alone: Operations runs it.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/http/http.h"
#include "api/routing/call.h"
#include "command/decision.h"

namespace tilth {

// A command.
struct Mutation {
  Decide decide;
  std::string_view shown_table = {};  // the row in the response when nothing changes
  Uuid shown_id = {};
};

// The response to a query. If `next` is set, `response` has the beginning of the body: next()
// appends a piece at a time, from the same rows, and returns whether there may be more.
struct QueryResult {
  QueryResult(HttpResponse whole) : response(std::move(whole)) {}  // NOLINT: implicit by design
  HttpResponse response;
  std::function<bool(const Rows& rows, std::string& piece)> next = {};
};
using RowQuery = std::function<Result<QueryResult>(const Rows& rows, Timestamp now)>;
struct HistoryQuery;  // own_history.h

// A question about all owners: each cell of the projection, here or on another node, answers for
// its own, and what they answer is joined. Threads: one at a time; part() from any.
class JointQuestion {
 public:
  JointQuestion() = default;
  JointQuestion(const JointQuestion&) = delete;
  JointQuestion& operator=(const JointQuestion&) = delete;
  virtual ~JointQuestion() = default;

  // What is asked of a cell, one of so many; of all cells in their order.
  virtual std::string ask(std::size_t cell, std::size_t cells) = 0;
  // What it answers. kInvalid: this release does not understand what is asked.
  virtual Result<std::string> part(const Rows& rows, std::string_view ask) const = 0;
  // The response, from the answers of all cells; `rows` are those of a cell here. Null: the cells
  // have to be asked once more. kUnavailable: this release does not understand an answer.
  virtual Result<std::optional<HttpResponse>> join(const std::vector<std::string>& answers,
                                                   const Rows& rows) = 0;
};

using Intent = std::variant<Mutation, RowQuery, std::shared_ptr<const HistoryQuery>,
                            std::shared_ptr<JointQuestion>>;

// Commands decide on the registry, and most queries read it.
inline constexpr std::string_view kRegistry = "registry", kFinance = "finance", kMarket = "market";

struct Operation {
  // Errors: kInvalidId, kInvalid.
  std::function<Result<Intent>(const Call&)> read;
  // The response to a mutation.
  std::function<HttpResponse(std::string_view spelled_path, const CommandResult&)> show = {};
  std::string_view projection = kRegistry;  // whose rows it reads
  std::string_view stream = {};             // the stream of those rows; "": the caller's
  // Its lists change without events: the rows have to age before they are read (overdue.h).
  bool ages = false;
  bool of_the_past = true;      // whether a query can be run as of an earlier time
  bool is_joint = false;        // its intent is a JointQuestion
  bool is_long = false;         // a query that reads much besides rows, which no meter counts
  bool takes_geometry = false;  // checking its body is expensive for its size
};

}  // namespace tilth
