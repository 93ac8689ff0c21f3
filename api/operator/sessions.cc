// Operators see who is signed in to the dashboard, and end sessions.

#include <algorithm>
#include <array>

#include "api/guards/session_guard.h"
#include "api/operator/commands.h"
#include "api/usage/shown_session.h"

namespace tilth {
namespace {

constexpr std::array<std::string_view, 1> kSorts{"createdAt"};

const Error kNoUser{ErrorCode::kNotFound, "There is no such user."};

struct SessionOfUser {
  std::string user_id;
  ShownSession session;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("userId", user_id));
    session.serialize(ar);
  }
};

// The sessions in force, newest first.
std::vector<Sessions::Found> sessions_in_force(const OperatorParts& parts, const Rows& rows,
                                               const std::optional<std::string>& user_id) {
  auto all = parts.sessions.list(user_id);
  std::erase_if(all, [&](const auto& found) {
    const auto user = find_user(rows, found.session.by.user_id);
    return !user || !is_valid(found.session, *user);
  });
  return all;
}

void list_sessions(const OperatorParts& parts, const Call& call) {
  RequestIssues problems;
  QueryReader query(call.query, problems);
  const auto page = read_page(query, kSorts, problems);
  const auto* user_id = query.find("user");
  if (const auto verdict = problems.verdict(); !verdict) return call.answer(verdict.error());
  answer_from(access_stream(parts), call, [&](const Rows& rows) -> Result<HttpResponse> {
    if (user_id != nullptr && !find_user(rows, *user_id)) return kNoUser;
    auto all =
        sessions_in_force(parts, rows, user_id != nullptr ? std::optional(*user_id) : std::nullopt);
    if (page.order == Order::kAscending) std::reverse(all.begin(), all.end());
    const auto first = std::min<std::uint64_t>((page.page - 1) * page.limit, all.size());
    const auto end = std::min<std::uint64_t>(first + page.limit, all.size());
    ListBody body;
    for (auto i = first; i < end; ++i) {
      const auto& found = all[i];
      body.add(JsonWriter::text(SessionOfUser{found.session.by.user_id, ShownSession::of(found)}));
    }
    return json_response(200, body.end(all.size(), page.page, page.limit));
  });
}

void end_session(const OperatorParts& parts, const Call& call) {
  const auto id = call.id("id");
  const auto ended =
      parts.sessions.end_all([&](const Sessions::Found& found) { return found.id == id; });
  if (!ended) return call.answer(ended.error());
  if (*ended > 0) return call.answer(HttpResponse{204});
  call.answer(Error{ErrorCode::kNotFound, "There is no such session."});
}

void end_sessions(const OperatorParts& parts, const Call& call) {
  RequestIssues problems;
  QueryReader query(call.query, problems);
  const auto* user_id = query.find("user");
  if (user_id == nullptr && !problems.values.contains("user")) {
    problems.values["user"].emplace_back("is required");
  }
  if (const auto verdict = problems.verdict(); !verdict) return call.answer(verdict.error());
  answer_from(access_stream(parts), call, [&](const Rows& rows) -> Result<HttpResponse> {
    const auto user = find_user(rows, *user_id);
    if (!user) return kNoUser;
    const auto ended = parts.sessions.end_all([&](const Sessions::Found& found) {
      return found.session.by.user_id == user->user_id && is_valid(found.session, *user);
    });
    if (!ended) return ended.error();
    return json_response(200, "{\"data\":{\"ended\":" + std::to_string(*ended) + "}}");
  });
}

}  // namespace

std::vector<OperatorRoute> operator_session_routes() {
  constexpr std::string_view kMany = "/operator/v1/sessions";
  return {
      operator_route("GET", kMany, "List the sessions", list_sessions),
      operator_route("DELETE", kMany, "End a user's sessions", end_sessions),
      operator_route("DELETE", "/operator/v1/sessions/{id}", "End a session", end_session),
  };
}

}  // namespace tilth
