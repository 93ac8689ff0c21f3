// Checks and the archive of the event log, at an operator's request.

#include "api/operator/commands.h"
#include "api/operator/log_check_state.h"
#include "api/operator/operated_archive.h"

namespace tilth {
namespace {

Error kept_by_brokers() {
  return {ErrorCode::kConflict,
          "This node's log is in Kafka, and the brokers are what keeps and checks it."};
}

void answer_standing(const OperatedLogCheck& check, const Call& call, int status) {
  call.answer(json_response(status, "{\"data\":" + log_check_json(check.standing()) + "}"));
}

void begin(const OperatorParts& parts, const Call& call) {
  if (parts.log_check == nullptr) return call.answer(kept_by_brokers());
  parts.log_check->begin();
  answer_standing(*parts.log_check, call, 202);
}

void standing(const OperatorParts& parts, const Call& call) {
  if (parts.log_check == nullptr) return call.answer(kept_by_brokers());
  answer_standing(*parts.log_check, call, 200);
}

struct ArchiveOrder {
  ArchiveRequest request;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("directory", request.directory, {.min_length = 1, .max_length = 4'000}),
       member("before", request.before), member("beforeOffset", request.before_offset, {.min = 0}));
  }
  void check(Issues& issues) const {
    const auto& [directory, before, offset] = request;
    if (directory && !directory->empty() && directory->front() != '/') {
      issues["directory"].emplace_back("must be an absolute path");
    }
    if (before.has_value() == offset.has_value()) {
      issues["before"].emplace_back("must be given, or else beforeOffset, but not both");
    }
  }
};

HttpResponse archive_response(const ArchiveStanding& standing) {
  std::string json = "{\"data\":{";
  append_member(json, "records", standing.records);
  append_member(json, "moved", standing.moved);
  append_member(json, "bytes", static_cast<std::int64_t>(standing.bytes));
  json.append(",\"files\":[");
  for (const auto& file : standing.files) {
    json.append(json.back() == '}' ? ",{" : "{");
    append_member(json, "first", file.first);
    append_member(json, "last", file.last);
    append_member(json, "bytes", static_cast<std::int64_t>(file.bytes));
    append_member(json, "path", file.path);
    append_member(json, "local", file.is_local);
    append_member(json, "storedAs",
                  file.stored_as.empty() ? std::nullopt : std::optional(file.stored_as));
    append_member(json, "problem",
                  file.problem.empty() ? std::nullopt : std::optional(file.problem));
    json.push_back('}');
  }
  return json_response(200, json + "]}}");
}

void archive(const OperatorParts& parts, const Call& call) {
  if (parts.archive == nullptr) return call.answer(kept_by_brokers());
  ArchiveOrder order;
  Issues issues;
  read_body(call.request().body, order, issues);
  if (!issues.empty()) return call.answer(invalid(issues));
  run_aside(parts, call, [&parts, exchange = call.exchange, request = std::move(order.request)] {
    const auto archived = parts.archive->archive(request);
    if (archived) return exchange->answer(archive_response(*archived));
    if (archived.error().code != ErrorCode::kInvalid) return exchange->answer(archived.error());
    exchange->answer(invalid({{"directory", {archived.error().message}}}));
  });
}

void show_archive(const OperatorParts& parts, const Call& call) {
  if (parts.archive == nullptr) return call.answer(kept_by_brokers());
  run_aside(parts, call, [&parts, exchange = call.exchange] {
    exchange->answer(archive_response(parts.archive->standing()));
  });
}

}  // namespace

std::vector<OperatorRoute> operator_log_routes() {
  return {
      operator_route("POST", "/operator/v1/log/verify", "Check the log for damage", begin),
      operator_route("GET", "/operator/v1/log/verify", "What the check of the log has found",
                     standing),
      operator_route("POST", "/operator/v1/log/archive", "Move old records of the log to files",
                     archive),
      operator_route("GET", "/operator/v1/log/archive", "The files with archived records",
                     show_archive),
  };
}

}  // namespace tilth
