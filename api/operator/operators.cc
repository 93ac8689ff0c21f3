// Operators add and remove operators, and see what was done.

#include "api/keys/operator_ring.h"
#include "api/operator/commands.h"
#include "command/access/operator.h"
#include "projections/access/audit.h"

namespace tilth {
namespace {

struct NewOperator {
  std::string name;
  OperatorRole role = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("name", name, {.required = true, .min_length = 1, .max_length = 64}),
       member("role", role, {.required = true}));
  }
};

struct NewRole {
  OperatorRole role = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("role", role, {.required = true}));
  }
};

std::string new_token(const OperatorParts& parts) {
  return std::string(kOperatorTokenPrefix) + parts.ids.hex(24);
}

// With the token in the one response that shows it.
HttpResponse operator_response(int status, const CommandResult& outcome,
                               const std::string& token = {}) {
  auto json = render_json(RowCodec<Operator>::decode(outcome.row.value().bytes));
  if (!token.empty()) {
    json.pop_back();
    json.append(",\"token\":\"").append(token).append("\"}");
  }
  return json_response(status, "{\"data\":" + json + "}");
}

void add(const OperatorParts& parts, Call call) {
  NewOperator body;
  Issues issues;
  read_body(call.request().body, body, issues);
  if (!body.name.empty() && !issues.contains("name") && !is_operator_name(body.name)) {
    issues["name"].emplace_back("must be a-z 0-9 . _ and -, and begin with a letter");
  }
  if (!issues.empty()) return call.answer(invalid(issues));
  const auto token = new_token(parts);
  carry_out(
      access_stream(parts), std::move(call),
      deciding(AddOperator{body.name, body.role, parts.digest.of(token)}), {},
      [token](const CommandResult& outcome) { return operator_response(201, outcome, token); });
}

// The row with that name, for a response when nothing changes.
ShownRow shown(const OperatorParts& parts, const std::string& name) {
  const auto view = parts.access.projector().view(std::string(kAccessStream));
  const auto found = find_operator(view->rows, name);
  return {Operator::kTable, found ? found->id.uuid : Uuid{}};
}

// Once these are answered, no node relies on the earlier state.
void change_role(const OperatorParts& parts, Call call) {
  NewRole body;
  Issues issues;
  read_body(call.request().body, body, issues);
  if (!issues.empty()) return call.answer(invalid(issues));
  const auto name = call.id("name");
  carry_out(
      access_stream(parts), std::move(call), deciding(AmendOperator{name, body.role}),
      shown(parts, name),
      [](const CommandResult& outcome) { return operator_response(200, outcome); }, parts.lease);
}

void rotate(const OperatorParts& parts, Call call) {
  const auto token = new_token(parts);
  const RotateOperatorToken command{call.id("name"), parts.digest.of(token)};
  carry_out(
      access_stream(parts), std::move(call), deciding(command), {},
      [token](const CommandResult& outcome) { return operator_response(200, outcome, token); },
      parts.lease);
}

void remove(const OperatorParts& parts, Call call) {
  const RemoveOperator command{call.id("name")};
  carry_out(
      access_stream(parts), std::move(call), deciding(command), {},
      [](const CommandResult&) { return HttpResponse{204}; }, parts.lease);
}

void list(const OperatorParts& parts, const Call& call) {
  RequestIssues problems;
  QueryReader query(call.query, problems);
  const auto page = read_page(query, Operator::kSorts, problems);
  if (const auto verdict = problems.verdict(); !verdict) return call.answer(verdict.error());
  answer_from(access_stream(parts), call, [&](const Rows& rows) -> Result<HttpResponse> {
    return list_response(list_page<Operator>(rows, {}, {}, page), page.page, page.limit,
                         parts.clock.now());
  });
}

void show_me(const OperatorParts&, const Call& call) {
  std::string json = "{\"data\":{\"name\":";
  JsonWriter::write(call.operated_by->name, json);
  json.append(",\"role\":\"").append(name_of(call.operated_by->role)).append("\"}}");
  call.answer(json_response(200, json));
}

struct AuditQuery {
  std::optional<std::string> of;
  std::optional<Timestamp> since;
  std::optional<Timestamp> until;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("operator", of), member("since", since), member("until", until));
  }
};

void list_audit(const OperatorParts& parts, const Call& call) {
  RequestIssues problems;
  QueryReader query(call.query, problems);
  const auto page = read_page(query, AuditEntry::kSorts, problems);
  AuditQuery wanted;
  wanted.serialize(static_cast<MemberVisitor&>(query));
  if (wanted.since && wanted.until && *wanted.until < *wanted.since) {
    problems.values["until"].emplace_back("must not be before since");
  }
  if (const auto verdict = problems.verdict(); !verdict) return call.answer(verdict.error());
  ListFilters filters;
  filters.add(wanted.of).cut(0, wanted.since, wanted.until);
  auto audit = access_stream(parts);
  audit.name = kAuditStream;
  answer_from(audit, call, [&](const Rows& rows) -> Result<HttpResponse> {
    return list_response(list_page<AuditEntry>(rows, {}, filters, page), page.page, page.limit,
                         parts.clock.now());
  });
}

}  // namespace

std::vector<OperatorRoute> operator_operator_routes() {
  constexpr std::string_view kMany = "/operator/v1/operators";
  constexpr std::string_view kOne = "/operator/v1/operators/{name}";
  return {
      operator_route("GET", "/operator/v1/me", "Which operator the token is of", show_me),
      operator_route("POST", kMany, "Add an operator", add),
      operator_route("GET", kMany, "List the operators", list),
      operator_route("PUT", kOne, "Change an operator's role", change_role),
      operator_route("POST", "/operator/v1/operators/{name}/rotate", "Replace an operator's token",
                     rotate),
      operator_route("DELETE", kOne, "Remove an operator", remove),
      operator_route("GET", "/operator/v1/audit", "List what operators have done", list_audit),
  };
}

}  // namespace tilth
