#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <unistd.h>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/node_table.h"
#include "app/cli/commands/projection_table.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/progress.h"
#include "app/cli/engine/table.h"

namespace tilth::cli {
namespace {

using namespace std::chrono_literals;

void print_status(const Json& status) {
  Json node = object_value();
  for (const auto* name : {"node", "version", "roles"}) {
    if (const auto* value = status.find(name)) node.add(name, *value);
  }
  const auto* log = status.find("log");
  if (log != nullptr) {
    for (const auto* name : {"kind", "topic", "brokers", "otherNodes"}) {
      const bool is_kind = std::string_view(name) == "kind";
      if (const auto* value = log->find(name)) node.add(is_kind ? "log" : name, *value);
    }
    const auto* reason = log->find("reason");
    const bool troubled = reason != nullptr && reason->kind != Json::Kind::kNull;
    if (troubled) node.add("reason", *reason);
    if (const auto* check = log->find("check");
        check != nullptr && check->kind == Json::Kind::kObject) {
      const auto damage = shown(check->find("damage"));
      const auto state = shown(check->find("state"));
      node.add("logCheck", text_value(damage == "-" ? state : state + ": " + damage));
    }
  }
  if (const auto topic = shown(status.find("waitsFor")); topic != "-") {
    node.add("waitsFor", text_value(topic));
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
  if (log != nullptr && shown(log->find("kind")) == "kafka" && status.find("nodes") != nullptr) {
    print_nodes(status.find("nodes"));
    std::cout << '\n';
  }
  print_projections(status.find("projections"));
}

// Why the service is not ready; `for_good`: it will not become ready by itself.
struct Missing {
  std::string sentence;
  bool for_good = false;
};

std::optional<Missing> missing_in(const Json& status) {
  const auto* log = status.find("log");
  const auto reason = log == nullptr ? "-" : shown(log->find("reason"));
  if (reason != "-") return Missing{reason};
  const auto* projections = status.find("projections");
  if (projections == nullptr) return Missing{"The service does not report its state."};
  std::optional<Missing> found;
  for (const auto& [index, row] : projections->children) {
    const auto state = shown(row.find("state"));
    if (state == "running" || state == "rebuilding") continue;
    const auto why = shown(row.find("reason"));
    auto sentence = "The projection " + shown(row.find("name")) + " is " + state +
                    (why == "-" ? "." : ": " + why);
    if (!sentence.ends_with('.')) sentence += '.';
    if (state != "catching_up") return Missing{std::move(sentence), true};
    if (!found) found = Missing{std::move(sentence)};
  }
  if (!found && shown(status.find("ready")) == "false") {
    const auto topic = shown(status.find("waitsFor"));
    return Missing{topic == "-" ? "The service is not ready yet."
                                : "The node waits for " + topic +
                                      ": it cannot read what other nodes count there."};
  }
  return found;
}

// Asks until nothing is missing, or for good, unless that is not wanted. A service that starts does
// not take connections at once.
Result<Json> wait_until_ready(OperatorApi& api, bool wanted) {
  constexpr auto kStart = 30s;
  Progress progress("Waiting until the service is ready");
  auto answered = std::chrono::steady_clock::now();
  while (true) {
    auto answer = api.get("status");
    if (!wanted) return answer;
    const auto now = std::chrono::steady_clock::now();
    if (answer) {
      answered = now;
      const auto* status = answer->find("data");
      const auto missing = status == nullptr ? std::nullopt : missing_in(*status);
      if (!missing || missing->for_good) return answer;
    } else if (answer.error().retry_after_seconds == 0 || now - answered > kStart) {
      return answer;
    }
    progress.wait();
    std::this_thread::sleep_for(200ms);
  }
}

ExitStatus show_status(const Arguments& arguments, const Json& answer) {
  const auto* status = answer.find("data");
  if (arguments.has("--json") || status == nullptr) {
    std::cout << to_text(answer) << '\n';
  } else {
    print_status(*status);
  }
  std::cout.flush();
  if (status == nullptr || !(arguments.has("--check") || arguments.has("--wait"))) return done();
  const auto missing = missing_in(*status);
  return missing ? failed(missing->sentence) : done();
}

// Until the reader of the output is gone, or the service.
ExitStatus watch_status(OperatorApi& api, const Arguments& arguments) {
  const bool on_terminal = ::isatty(STDOUT_FILENO) == 1;
  while (std::cout.good()) {
    const auto answer = api.get("status");
    if (!answer) return failed(answer.error().message);
    if (on_terminal) std::cout << "\x1B[H\x1B[2J";
    show_status(arguments, *answer);
    std::this_thread::sleep_for(1s);
  }
  return done();
}

ExitStatus status(const Arguments& arguments) {
  if (arguments.has("--watch") && (arguments.has("--wait") || arguments.has("--check"))) {
    return wrong_usage("--watch never ends, so it cannot be given with --wait or --check.");
  }
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  if (arguments.has("--watch")) return watch_status(*api, arguments);
  const auto answer = wait_until_ready(*api, arguments.has("--wait"));
  if (!answer) return failed(answer.error().message);
  return show_status(arguments, *answer);
}

}  // namespace

std::vector<Command> status_commands() {
  return {
      {"status",
       "Shows the nodes, the ends of the log, and how far each projection is",
       "tilth status --data /var/lib/tilth",
       {},
       service_flags({{"--check", "", "exit with 1 unless the service is ready, and print why"},
                      {"--wait", "",
                       "until the service is ready; 1 if it will not be by itself, or if nothing "
                       "answers for 30 s"},
                      {"--watch", "", "again every second"}}),
       status},
  };
}

}  // namespace tilth::cli
