#include <iostream>
#include <string>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/node_table.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/table.h"

namespace tilth::cli {
namespace {

std::string sentences(const Json* list) {
  std::string text;
  if (list != nullptr) {
    for (const auto& [index, each] : list->children)
      text += (text.empty() ? "" : " ") + shown(&each);
  }
  return text.empty() ? "-" : text;
}

// A node that lives and has not caught up yet is starting.
std::string state_of_node(const Json& node) {
  const auto state = shown(node.find("state"));
  return state == "live" && shown(node.find("ready")) == "false" ? "starting" : state;
}

ExitStatus list_nodes(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto answer = api->get("nodes");
  if (!answer) return failed(answer.error().message);
  if (arguments.has("--json")) {
    std::cout << to_text(*answer) << '\n';
  } else {
    print_nodes(answer->find("data"));
  }
  return done();
}

}  // namespace

void print_nodes(const Json* nodes) {
  Table table({"NODE", "STATE", "VERSION", "ADDRESS", "OPERATOR ADDRESS", "PARTITIONS",
               "LAG EVENTS", "LAST HEARD", "WARNINGS"});
  if (nodes == nullptr) return;
  for (const auto& [index, node] : nodes->children) {
    const bool self = shown(node.find("self")) == "true";
    const auto* partitions = node.find("partitions");
    table.add({shown(node.find("node")) + (self ? " (this one)" : ""), state_of_node(node),
               shown(node.find("version")), shown(node.find("address")),
               shown(node.find("operatorAddress")),
               partitions == nullptr ? "-" : std::to_string(partitions->children.size()),
               shown(node.find("lagEvents")), shown(node.find("heardAt")),
               sentences(node.find("warnings"))});
  }
  table.print(std::cout);
}

std::vector<Command> node_commands() {
  return {{"nodes",
           "Lists the nodes of the service, and which of them live",
           "tilth nodes --data /var/lib/tilth",
           {},
           service_flags({}),
           list_nodes}};
}

}  // namespace tilth::cli
