// AI requests that operators report for a companion service.

#include "api/operator/commands.h"
#include "command/access/ai_request.h"

namespace tilth {
namespace {

void report(const OperatorParts& parts, Call call) {
  ReportAiRequest command;
  Issues issues;
  read_body(call.request().body, command, issues);
  if (!issues.empty()) return call.answer(invalid(issues));
  command.user_id = call.id("id");
  carry_out(access_stream(parts), std::move(call), deciding(command), {},
            [](const CommandResult& outcome) {
              const auto& reported = outcome.event->get<AiRequestReported>();
              return json_response(201, "{\"data\":" + JsonWriter::text(reported) + "}");
            });
}

}  // namespace

std::vector<OperatorRoute> operator_ai_request_routes() {
  return {operator_route("POST", "/operator/v1/users/{id}/ai-requests", "Report an AI request",
                         report)};
}

}  // namespace tilth
