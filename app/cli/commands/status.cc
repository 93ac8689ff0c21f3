#include <iostream>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/projection_table.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/table.h"

namespace tilth::cli {
namespace {

void print_status(const Json& status) {
  Json node = object_value();
  for (const auto* name : {"node", "version", "roles"}) {
    if (const auto* value = status.find(name)) node.add(name, *value);
  }
  const auto* log = status.find("log");
  if (log != nullptr) {
    node.add("log", text_value(shown(log->find("kind"))));
    const auto* reason = log->find("reason");
    const bool troubled = reason != nullptr && reason->kind != Json::Kind::kNull;
    if (troubled) node.add("reason", *reason);
    if (const auto* check = log->find("check"); check != nullptr) {
      const auto damage = shown(check->find("damage"));
      const auto state = shown(check->find("state"));
      node.add("logCheck", text_value(damage == "-" ? state : state + ": " + damage));
    }
  }
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

ExitStatus status(const Arguments& arguments) {
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

}  // namespace

std::vector<Command> status_commands() {
  return {
      {"status",
       "Shows the node, the ends of its log, and how far each projection is",
       "tilth status --data /var/lib/tilth",
       {},
       service_flags({}),
       status},
  };
}

}  // namespace tilth::cli
