// Operators manage the global task templates of all owners.

#include "api/operator/commands.h"
#include "command/work/task_template.h"

namespace tilth {
namespace {

constexpr std::size_t kLargestDocument = 4 << 20;

// The result of an import.
struct ImportedTemplates {
  std::int64_t templates = 0;
  std::int64_t changed = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("templates", templates), member("changed", changed));
  }
};

template <class Value>
std::string data_of(const Value& value) {
  return "{\"data\":" + JsonWriter::text(value) + "}";
}

HttpResponse template_response(int status, const CommandResult& outcome) {
  return json_response(status, data_of(RowCodec<TaskTemplate>::decode(outcome.row.value().bytes)));
}

// Reads a command as the REST API does, and runs it for all owners.
template <class Command>
void mutate(const OperatorParts& parts, Call call,
            std::function<HttpResponse(const CommandResult&)> show_outcome) {
  auto intent = read_mutation<Command>(call);
  if (!intent) return call.answer(intent.error());
  auto& mutation = std::get<Mutation>(*intent);
  carry_out(reference_stream(parts), std::move(call), std::move(mutation.decide),
            {TaskTemplate::kTable, mutation.shown_id}, std::move(show_outcome));
}

void create_template(const OperatorParts& parts, Call call) {
  const auto path = call.request().path;
  mutate<CreateTaskTemplate>(parts, std::move(call), [path](const CommandResult& outcome) {
    auto response = template_response(201, outcome);
    const auto row = RowCodec<TaskTemplate>::decode(outcome.row.value().bytes);
    response.headers.emplace_back("Location", path + "/" + row.id.text());
    return response;
  });
}

void update_template(const OperatorParts& parts, Call call) {
  mutate<Update<TaskTemplate>>(parts, std::move(call), [](const CommandResult& outcome) {
    return template_response(200, outcome);
  });
}

void remove_template(const OperatorParts& parts, Call call) {
  mutate<Delete<TaskTemplate>>(parts, std::move(call),
                               [](const CommandResult&) { return HttpResponse{204}; });
}

void list_templates(const OperatorParts& parts, const Call& call) {
  RequestIssues problems;
  QueryReader query(call.query, problems);
  const auto page = read_page(query, TaskTemplate::kSorts, problems);
  if (const auto verdict = problems.verdict(); !verdict) {
    return call.answer(verdict.error());
  }
  answer_from(reference_stream(parts), call, [&](const Rows& rows) -> Result<HttpResponse> {
    return list_response(list_page<TaskTemplate>(rows, {}, {}, page), page.page, page.limit,
                         parts.clock.now());
  });
}

void show_template(const OperatorParts& parts, const Call& call) {
  TaskTemplatePath at;
  RequestIssues problems;
  read_path(call, at, problems);
  if (const auto verdict = problems.verdict(); !verdict) {
    return call.answer(verdict.error());
  }
  answer_from(reference_stream(parts), call, [&](const Rows& rows) -> Result<HttpResponse> {
    const auto found = rows.find(at.template_id);
    if (!found) return Error{ErrorCode::kNotFound, "There is no such template."};
    return json_response(200, data_of(*found));
  });
}

void import_templates(const OperatorParts& parts, Call call) {
  const auto& body = call.request().body;
  if (body.size() > kLargestDocument) {
    return call.answer(
        Error{ErrorCode::kPayloadTooLarge, "A document of templates has at most 4 MiB."});
  }
  ImportTaskTemplates command;
  Issues issues;
  read_body(body, command, issues);
  if (!issues.empty()) return call.answer(invalid(issues));
  ImportedTemplates imported{static_cast<std::int64_t>(command.templates.size())};
  carry_out(reference_stream(parts), std::move(call), deciding(std::move(command)), {},
            [imported](const CommandResult& outcome) mutable {
              if (outcome.event) {
                const auto& event = outcome.event->get<TaskTemplatesImported>();
                imported.changed = static_cast<std::int64_t>(event.templates.size());
              }
              return json_response(200, data_of(imported));
            });
}

}  // namespace

std::vector<OperatorRoute> operator_template_routes() {
  return {
      operator_route("POST", "/operator/v1/templates", "Make a global task template",
                     create_template),
      operator_route("GET", "/operator/v1/templates", "List the global task templates",
                     list_templates),
      operator_route("POST", "/operator/v1/templates/import", "Import global task templates",
                     import_templates),
      operator_route("GET", "/operator/v1/templates/{id}", "Show a global task template",
                     show_template),
      operator_route("PUT", "/operator/v1/templates/{id}", "Change a global task template",
                     update_template),
      operator_route("DELETE", "/operator/v1/templates/{id}", "Remove a global task template",
                     remove_template),
  };
}

}  // namespace tilth
