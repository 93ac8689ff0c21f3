#include <iostream>

#include "app/cli/commands.h"
#include "app/cli/json_text.h"
#include "app/cli/operator_api.h"
#include "app/cli/table.h"

namespace tilth::cli {
namespace {

// The row of a projection, or of the generation that is being built beside it.
std::vector<std::string> projection_row(const std::string& name, const Json& row) {
  return {name,
          shown(row.find("generation")),
          shown(row.find("state")),
          shown(row.find("lagEvents")),
          shown(row.find("lagSeconds")),
          shown(row.find("eventsPerSecond")),
          shown(row.find("etaSeconds")),
          shown(row.find("reason"))};
}

void print_projections(const Json* projections) {
  Table table({"PROJECTION", "GENERATION", "STATE", "LAG EVENTS", "LAG SECONDS", "EVENTS/S",
               "SECONDS LEFT", "REASON"});
  if (projections == nullptr) return;
  for (const auto& [index, row] : projections->children) {
    const auto name = shown(row.find("name"));
    table.add(projection_row(name, row));
    const auto* building = row.find("building");
    if (building != nullptr && building->kind == Json::Kind::kObject) {
      table.add(projection_row(name + " (building)", *building));
    }
  }
  table.print(std::cout);
}

void print_status(const Json& status) {
  Json node = object_value();
  for (const auto* name : {"node", "version", "roles"}) {
    if (const auto* value = status.find(name)) node.add(name, *value);
  }
  const auto* log = status.find("log");
  if (log != nullptr) node.add("log", text_value(shown(log->find("kind"))));
  print_record(std::cout, node);
  Table ends({"PARTITION", "FIRST", "END"});
  const auto* partitions = log == nullptr ? nullptr : log->find("partitions");
  if (partitions != nullptr) {
    for (const auto& [index, row] : partitions->children) {
      ends.add({shown(row.find("partition")), shown(row.find("first")), shown(row.find("end"))});
    }
  }
  std::cout << '\n';
  ends.print(std::cout);
  std::cout << '\n';
  print_projections(status.find("projections"));
}

Outcome status(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto answer = api->get("status");
  if (!answer) return failed(answer.error().message);
  const auto* status = answer->find("data");
  if (arguments.has("--json") || status == nullptr) {
    std::cout << to_text(*answer) << '\n';
  } else {
    print_status(*status);
  }
  return done();
}

Outcome list_projections(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto answer = api->get("status");
  if (!answer) return failed(answer.error().message);
  const auto* status = answer->find("data");
  const auto* projections = status == nullptr ? nullptr : status->find("projections");
  if (!arguments.has("--json")) {
    print_projections(projections);
    return done();
  }
  Json list = object_value();
  list.add("data", projections == nullptr ? Json{Json::Kind::kArray, {}, {}} : *projections);
  std::cout << to_text(list) << '\n';
  return done();
}

}  // namespace

std::vector<Command> status_commands() {
  return {
      {"status",
       "Shows the node, the ends of its log, and how far each projection is",
       "tilth status --data /var/lib/tilth",
       {},
       service_flags({}),
       status},
      {"projections list",
       "Lists the projections with their state and lag",
       "tilth projections list --json",
       {},
       service_flags({}),
       list_projections},
  };
}

}  // namespace tilth::cli
