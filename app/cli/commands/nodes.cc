#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <thread>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/node_table.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/progress.h"
#include "app/cli/engine/table.h"
#include "app/cli/engine/url_path.h"

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

// A node that lives and has not caught up yet is starting, unless some of it has stopped.
std::string state_of_node(const Json& node) {
  const auto state = shown(node.find("state"));
  if (state != "live" || shown(node.find("ready")) != "false") return state;
  return shown(node.find("stopped")) == "-" ? "starting" : "not ready";
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

// Whether a node may live that takes what others give away.
bool has_taker(const Json& nodes) {
  for (const auto& [index, node] : nodes.children) {
    const auto state = shown(node.find("state"));
    const bool may_live = state == "live" || state == "unknown";
    if (may_live && shown(node.find("draining")) != "true") return true;
  }
  return false;
}

// How many partitions that node, which drains, still holds, or why that cannot be told.
Result<std::size_t> still_held(OperatorApi& api, const std::string& id) {
  const auto answer = api.get("nodes");
  if (!answer) return answer.error();
  const auto* nodes = answer->find("data");
  for (const auto& [index, node] : nodes->children) {
    if (shown(node.find("node")) != id) continue;
    if (shown(node.find("state")) != "live") {
      return Error{ErrorCode::kUnavailable, id + " does not live any more."};
    }
    const auto held = node.find("partitions")->children.size();
    if (held > 0 && !has_taker(*nodes)) {
      return Error{ErrorCode::kConflict,
                   "All nodes that live drain, so " + id +
                       " keeps what it holds. Restart those that are to stay."};
    }
    return held;
  }
  return Error{ErrorCode::kNotFound, "There is no node " + id + "."};
}

ExitStatus drain_node(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  auto named = arguments.find("NODE");
  if (!named) {
    const auto status = api->get("status");
    if (!status) return failed(status.error().message);
    named = shown(status->find("data")->find("node"));
  }
  const auto& id = *named;
  const auto begun = api->send("POST", "nodes/" + url_escaped(id) + "/drain");
  if (!begun) return failed(begun.error().message);
  Progress progress("Draining " + id);
  std::size_t most = 0;
  while (true) {
    const auto held = still_held(*api, id);
    if (!held) return failed(held.error().message);
    if (*held == 0) break;
    most = std::max(most, *held);
    progress.reach(static_cast<std::int64_t>(most - *held), static_cast<std::int64_t>(most),
                   std::to_string(*held) + " partitions left");
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
  if (arguments.has("--json")) {
    Json node = object_value();
    node.add("node", text_value(id));
    node.add("partitions", Json::number(0));
    Json answer = object_value();
    answer.add("data", std::move(node));
    std::cout << to_text(answer) << '\n';
  } else {
    std::cout << id << " holds nothing any more and may be stopped.\n";
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
           list_nodes},
          {"nodes drain",
           "Has a node give away what it holds, and waits until it may be stopped",
           "tilth nodes drain tilth-1a3bf46a698a",
           {{"NODE",
             "the node, as `tilth nodes` names it; without it, the one that is asked",
             {},
             true}},
           service_flags({}),
           drain_node}};
}

}  // namespace tilth::cli
