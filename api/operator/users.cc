// Operators create and change users.

#include "api/http/refusal.h"
#include "api/operator/commands.h"
#include "command/access/user.h"

namespace tilth {
namespace {

struct NewUser {
  std::string email;
  std::string plan;
  std::optional<std::string> name;
  std::optional<std::string> password;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("email", email,
              {.required = true, .min_length = kShortestEmail, .max_length = kLongestEmail}),
       member("plan", plan, {.required = true, .min_length = 1}),
       member("name", name, {.max_length = kLongestName}),
       member("password", password,
              {.min_length = kShortestPassword, .max_length = kLongestPassword}));
  }
};

struct UserChanges {
  Patch<std::string> plan;
  Patch<std::optional<std::string>> name;
  Patch<std::string> password;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("plan", plan), member("name", name, {.max_length = kLongestName}),
       member("password", password,
              {.min_length = kShortestPassword, .max_length = kLongestPassword}));
  }
};

const Error kNoErasure{ErrorCode::kConflict, "No person can be erased from this log."};

struct ShownErasure {
  std::string user_id;
  Timestamp erased_at;
  bool complete = false;
  std::optional<std::string> left;

  static ShownErasure of(const Erasure& its) {
    return {its.user_id, its.erased_at, its.complete,
            its.left.empty() ? std::nullopt : std::optional(its.left)};
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", user_id), member("erasedAt", erased_at), member("complete", complete),
       member("left", left));
  }
};

void check_plan(const OperatorParts& parts, const std::string& plan, Issues& issues) {
  if (!issues.contains("plan") && !parts.plan_exists(plan)) {
    issues["plan"].emplace_back("must be an existing plan");
  }
}

HttpResponse user_response(int status, const CommandResult& outcome) {
  return json_response(
      status, "{\"data\":" + render_json(RowCodec<User>::decode(outcome.row.value().bytes)) + "}");
}

void create_user(const OperatorParts& parts, Call call) {
  NewUser user;
  Issues issues;
  read_body(call.request().body, user, issues);
  if (!user.email.empty() && !issues.contains("email") && !looks_like_an_email(user.email)) {
    issues["email"].emplace_back("must be an email address");
  }
  if (!user.plan.empty()) check_plan(parts, user.plan, issues);
  if (!issues.empty()) return call.answer(invalid(issues));
  RegisterUser command{parts.ids.nanoid(User::kIdPrefix), user.email, user.plan, user.name, {}};
  if (user.password) command.password_hash = parts.hash_password(*user.password);
  const auto location = call.request().path + "/" + command.user_id;
  carry_out(access_stream(parts), std::move(call), deciding(command), {},
            [location](const CommandResult& outcome) {
              auto response = user_response(201, outcome);
              response.headers.emplace_back("Location", location);
              return response;
            });
}

void update_user(const OperatorParts& parts, Call call) {
  UserChanges changes;
  Issues issues;
  read_body(call.request().body, changes, issues);
  if (changes.plan.to) check_plan(parts, *changes.plan.to, issues);
  if (!issues.empty()) return call.answer(invalid(issues));
  AmendUser command{call.id("id"), changes.plan, changes.name};
  if (changes.password.to) {
    command.password_hash.to.emplace(parts.hash_password(*changes.password.to));
  }
  const bool ends_sessions = command.password_hash.to.has_value();
  const auto shown = nanoid_bits(User::kIdPrefix, command.user_id).value_or(Uuid{});
  carry_out(
      access_stream(parts), std::move(call), deciding(command), {User::kTable, shown},
      [](const CommandResult& outcome) { return user_response(200, outcome); },
      ends_sessions ? parts.lease : nullptr);
}

// Once this is answered, no node relies on the earlier state.
template <class Command>
void set_disabled(const OperatorParts& parts, Call call) {
  Command command{call.id("id")};
  const auto shown = nanoid_bits(User::kIdPrefix, command.user_id).value_or(Uuid{});
  carry_out(
      access_stream(parts), std::move(call), deciding(std::move(command)), {User::kTable, shown},
      [](const CommandResult& outcome) { return user_response(200, outcome); }, parts.lease);
}

struct ErasureOrder {
  std::optional<std::string> reason;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("reason", reason, {.max_length = 500}));
  }
};

HttpResponse erasure_response(const Erasure& erasure) {
  return json_response(200, "{\"data\":" + JsonWriter::text(ShownErasure::of(erasure)) + "}");
}

void erase_user(const OperatorParts& parts, const Call& call) {
  ErasureOrder order;
  Issues issues;
  if (!call.request().body.empty()) read_body(call.request().body, order, issues);
  if (!issues.empty()) return call.answer(invalid(issues));
  if (parts.eraser == nullptr) return call.answer(kNoErasure);
  if (!parts.commands) return call.answer(lacks_role("command"));
  parts.eraser->erase({.user_id = call.id("id"),
                       .reason = order.reason,
                       .actor = call.actor(),
                       .request_id = call.exchange->request_id(),
                       .traceparent = call.exchange->traceparent()},
                      [exchange = call.exchange](const Result<Erasure>& erased) {
                        if (!erased) return exchange->answer(erased.error());
                        exchange->answer(erasure_response(*erased));
                      });
}

void show_erasure(const OperatorParts& parts, const Call& call) {
  answer_from(access_stream(parts), call, [&](const Rows&) -> Result<HttpResponse> {
    const auto erasure = parts.eraser ? parts.eraser->find(call.id("id")) : std::nullopt;
    if (erasure) return erasure_response(*erasure);
    return Error{ErrorCode::kNotFound, "There is no such user who was erased."};
  });
}

// Those with that text in their email or name, or with that id. Reads all users.
Listed<User> search_users(const Rows& rows, const std::string& text, const ListFilters& filters,
                          const PageRequest& page) {
  constexpr std::uint64_t kAtOnce = 500;
  const auto wanted = fold_case_and_accents(text);
  const auto matches = [&](const User& user) {
    return user.user_id == text || fold_case_and_accents(user.email).find(wanted) != text.npos ||
           (user.name && fold_case_and_accents(*user.name).find(wanted) != text.npos);
  };
  Listed<User> found;
  auto from = page;
  for (from.page = 1, from.limit = kAtOnce;; ++from.page) {
    auto some = list_page<User>(rows, {}, filters, from);
    for (auto& user : some.rows) {
      if (!matches(user)) continue;
      const auto rank = found.total++;
      if (rank / page.limit == page.page - 1) found.rows.push_back(std::move(user));
    }
    if (from.page * kAtOnce >= some.total) return found;
  }
}

void list_users(const OperatorParts& parts, const Call& call) {
  RequestIssues problems;
  QueryReader query(call.query, problems);
  const auto page = read_page(query, User::kSorts, problems);
  ListFilters filters;
  const auto* email = query.find("email");
  const auto* search = query.find("search");
  filters.add(email ? std::optional(fold_case(*email)) : std::nullopt);
  if (const auto verdict = problems.verdict(); !verdict) {
    return call.answer(verdict.error());
  }
  if (search != nullptr) {
    return run_aside(parts, call, [&parts, call, page, filters, text = *search] {
      answer_from(access_stream(parts), call, [&](const Rows& rows) -> Result<HttpResponse> {
        return list_response(search_users(rows, text, filters, page), page.page, page.limit,
                             parts.clock.now());
      });
    });
  }
  answer_from(access_stream(parts), call, [&](const Rows& rows) -> Result<HttpResponse> {
    return list_response(list_page<User>(rows, {}, filters, page), page.page, page.limit,
                         parts.clock.now());
  });
}

void show_user(const OperatorParts& parts, const Call& call) {
  answer_from(access_stream(parts), call, [&](const Rows& rows) -> Result<HttpResponse> {
    const auto user = find_user(rows, call.id("id"));
    if (!user) return Error{ErrorCode::kNotFound, "There is no such user."};
    return json_response(200, "{\"data\":" + render_json(*user) + "}");
  });
}

}  // namespace

std::vector<OperatorRoute> operator_user_routes() {
  return {
      operator_route("POST", "/operator/v1/users", "Make a user", create_user),
      operator_route("GET", "/operator/v1/users", "List the users", list_users),
      operator_route("GET", "/operator/v1/users/{id}", "Show a user", show_user),
      operator_route("PUT", "/operator/v1/users/{id}", "Change a user", update_user),
      operator_route("POST", "/operator/v1/users/{id}/disable", "Disable a user",
                     set_disabled<DisableUser>),
      operator_route("POST", "/operator/v1/users/{id}/enable", "Enable a user",
                     set_disabled<EnableUser>),
      operator_route("POST", "/operator/v1/users/{id}/erase", "Erase a person", erase_user),
      operator_route("GET", "/operator/v1/users/{id}/erasure", "Show how far an erasure is",
                     show_erasure),
  };
}

}  // namespace tilth
