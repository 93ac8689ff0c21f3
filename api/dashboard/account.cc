// A user's own account: the password, and the sessions that are in force.

#include <utility>

#include "api/dashboard/dashboard.h"
#include "api/dashboard/proof.h"
#include "api/http/refusal.h"
#include "api/usage/shown_session.h"
#include "command/access/user.h"

namespace tilth {
namespace {

const Error kGone{ErrorCode::kUnauthenticated, "Sign in first."};
const Error kNoSession{ErrorCode::kNotFound, "There is no such session."};

struct NewPassword {
  std::optional<std::string> old_password;
  std::string new_password;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("oldPassword", old_password,
              {.doc = "Required unless the account has no password yet."}),
       member("newPassword", new_password,
              {.required = true, .min_length = kShortestPassword, .max_length = kLongestPassword}));
  }
};

// The change ended every session of the user: this browser gets a new one.
void go_on(Dashboard& dashboard, const Call& call, SignInMethod method,
           const CommandResult& outcome) {
  const auto user = find_user(dashboard.access_view().rows, call.user_id());
  if (!user) return call.answer(kGone);
  const auto ended = dashboard.parts().sessions.end_all([&](const Sessions::Found& found) {
    return found.session.by.user_id == user->user_id && !is_valid(found.session, *user);
  });
  if (!ended) return call.answer(ended.error());
  auto cookie = dashboard.begin_session(call, *user, method);
  if (!cookie) return call.answer(cookie.error());
  HttpResponse response{204, {std::move(*cookie)}};
  if (outcome.position) {
    response.headers.emplace_back("Tilth-Position", position_token(*outcome.position));
  }
  call.answer(std::move(response));
}

// On a worker thread.
void change(Dashboard& dashboard, const Call& call, const NewPassword& request) {
  const auto user = find_user(dashboard.access_view().rows, call.user_id());
  if (!user) return call.answer(kGone);
  if (const auto proved = prove(dashboard, call, *user, request.old_password); !proved) {
    return call.answer(proved.error());
  }
  const ChangePassword command{user->user_id, user->password_hash,
                               dashboard.parts().hash_password(request.new_password)};
  const auto session = dashboard.current_session(call);
  const auto method = session ? session->session.by.method : SignInMethod::kPassword;
  dashboard.carry_out_as(
      user->user_id, call, deciding(command),
      [&dashboard, call, method](const Result<CommandResult>& outcome) {
        if (!outcome) return call.answer(outcome.error());
        dashboard.parts().row_faults.guard(call.exchange,
                                           [&] { go_on(dashboard, call, method, *outcome); });
      },
      dashboard.parts().lease);
}

void change_password(Dashboard& dashboard, const Call& call) {
  if (const auto may = check_guesses(dashboard, *call.user); !may) return call.answer(may.error());
  NewPassword request;
  Issues issues;
  read_body(call.request().body, request, issues);
  if (call.user->password_hash && !request.old_password && !issues.contains("oldPassword") &&
      !issues.contains("body")) {
    issues["oldPassword"].emplace_back("is required");
  }
  if (!issues.empty()) {
    return call.answer(Error{ErrorCode::kInvalid, "The request is not valid.", std::move(issues)});
  }
  on_password_thread(dashboard, call, [&dashboard, call, request = std::move(request)] {
    change(dashboard, call, request);
  });
}

const Error kNoErasure{ErrorCode::kConflict, "No person can be erased from this service."};

struct OwnErasure {
  std::optional<std::string> password;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("password", password, {.doc = "Required unless the account has no password."}));
  }
};

// On a worker thread.
void erase(Dashboard& dashboard, const Call& call, const std::optional<std::string>& password) {
  const auto user = find_user(dashboard.access_view().rows, call.user_id());
  if (!user) return call.answer(kGone);
  if (const auto proved = prove(dashboard, call, *user, password); !proved) {
    return call.answer(proved.error());
  }
  dashboard.parts().eraser->erase({.user_id = user->user_id,
                                   .actor = user->user_id,
                                   .request_id = call.exchange->request_id(),
                                   .traceparent = call.exchange->traceparent()},
                                  [&dashboard, call](const Result<Erasure>& erased) {
                                    if (!erased) return call.answer(erased.error());
                                    HttpResponse response{204};
                                    response.headers.emplace_back(
                                        "Set-Cookie", dashboard.session_cookie(call.request(), {}));
                                    call.answer(std::move(response));
                                  });
}

void erase_account(Dashboard& dashboard, const Call& call) {
  if (dashboard.parts().eraser == nullptr) return call.answer(kNoErasure);
  if (!dashboard.settings().commands) return call.answer(lacks_role("command"));
  with_password<OwnErasure>(dashboard, call, erase);
}

struct OwnSession {
  ShownSession session;
  bool current = false;

  template <class Archive>
  void serialize(Archive& ar) {
    session.serialize(ar);
    ar(member("current", current, {.doc = "Whether the request belongs to it."}));
  }
};

void list_sessions(Dashboard& dashboard, const Call& call) {
  const auto current = dashboard.current_session(call);
  std::string body = "{\"data\":[";
  for (const auto& found : dashboard.parts().sessions.list(call.user_id())) {
    if (!is_valid(found.session, *call.user)) continue;
    if (body.back() != '[') body.push_back(',');
    JsonWriter::write(OwnSession{ShownSession::of(found), current && current->id == found.id},
                      body);
  }
  call.answer(json_response(200, body + "]}"));
}

void end_one(Dashboard& dashboard, const Call& call) {
  const auto id = call.id("id");
  const auto current = dashboard.current_session(call);
  const auto ended = dashboard.parts().sessions.end_all([&](const Sessions::Found& found) {
    return found.id == id && found.session.by.user_id == call.user_id() &&
           is_valid(found.session, *call.user);
  });
  if (!ended) return call.answer(ended.error());
  if (*ended == 0) return call.answer(kNoSession);
  HttpResponse response{204};
  if (current && current->id == id) {
    response.headers.emplace_back("Set-Cookie", dashboard.session_cookie(call.request(), {}));
  }
  call.answer(std::move(response));
}

void end_others(Dashboard& dashboard, const Call& call) {
  const auto current = dashboard.current_session(call);
  const auto ended = dashboard.parts().sessions.end_all([&](const Sessions::Found& found) {
    return found.session.by.user_id == call.user_id() && !(current && found.id == current->id);
  });
  if (!ended) return call.answer(ended.error());
  call.answer(HttpResponse{204});
}

}  // namespace

std::vector<DashboardRoute> account_routes() {
  constexpr std::string_view kMany = "/api/auth/sessions";
  const auto sessions = [] { return data_schema(array_schema(answer_schema<OwnSession>())); };
  const auto path = [] { return object_schema({{"id", simple_schema("string")}}); };
  return {
      dashboard_route(
          "POST", "/api/auth/password", Guard::kSession, "Change own password", change_password,
          Description{
              .name = "changePassword",
              .about =
                  "Ends all other sessions of the account. An account that has no password yet "
                  "gets its first one.",
              .body = request_schema<NewPassword>,
              .status = 204,
              .refusals = {400}}),
      dashboard_route(
          "POST", "/api/auth/erase", Guard::kSession, "Erase own account", erase_account,
          Description{
              .name = "eraseAccount",
              .about =
                  "Closes the account for good, and makes all that names its person unreadable. "
                  "It cannot be undone.",
              .body = request_schema<OwnErasure>,
              .status = 204,
              .refusals = {400, 409}}),
      dashboard_route(
          "GET", kMany, Guard::kSession, "List own sessions", list_sessions,
          Description{
              .name = "listSessions",
              .about = "The browsers in which the account is signed in, the present one too.",
              .answer = sessions}),
      dashboard_route(
          "DELETE", kMany, Guard::kSession, "End all other sessions", end_others,
          Description{.name = "deleteSessions",
                      .about = "Signs the account out in every browser but the present one.",
                      .status = 204}),
      dashboard_route("DELETE", "/api/auth/sessions/{id}", Guard::kSession, "End a session",
                      end_one,
                      Description{.name = "deleteSession",
                                  .about = "Signs the account out in one browser.",
                                  .path = path,
                                  .status = 204,
                                  .refusals = {404}}),
  };
}

}  // namespace tilth
