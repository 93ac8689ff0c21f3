#include <iostream>

#include "app/cli/commands/commands.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/table.h"

namespace tilth::cli {
namespace {

ExitStatus advance_clock(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  Json body = object_value();
  body.add("advance", text_value(arguments.at("DURATION")));
  const auto answer = api->send("POST", "clock", &body);
  if (!answer) return failed(answer.error().message);
  const auto* clock = answer->find("data");
  if (arguments.has("--json") || clock == nullptr) {
    std::cout << to_text(*answer) << '\n';
  } else {
    std::cout << "It is now " << shown(clock->find("now")) << ".\n";
  }
  return done();
}

}  // namespace

std::vector<Command> clock_commands() {
  return {{"clock advance",
           "Moves the test clock on, and waits until all that falls due by then has happened",
           "tilth clock advance PT24H",
           {{"DURATION", "how far: PT24H, or P1M by the calendar", durations()}},
           service_flags({}),
           advance_clock}};
}

}  // namespace tilth::cli
