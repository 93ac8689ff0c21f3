#include <charconv>
#include <chrono>
#include <iostream>
#include <thread>

#include "app/cli/commands/commands.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/progress.h"
#include "app/cli/engine/table.h"

namespace tilth::cli {
namespace {

using namespace std::chrono_literals;

std::int64_t count_in(const Json& record, const std::string& name) {
  std::int64_t number = 0;
  if (const auto* value = record.find(name); value != nullptr) {
    std::from_chars(value->text.data(), value->text.data() + value->text.size(), number);
  }
  return number;
}

// The check as it stands once it is not running.
Result<Json> wait_for_check(OperatorApi& api, Result<Json> answer) {
  Progress progress("Checking the log");
  while (answer) {
    const auto* check = answer->find("data");
    if (check == nullptr || shown(check->find("state")) != "checking") break;
    const auto checked = count_in(*check, "checked");
    progress.reach(checked, count_in(*check, "records"), std::to_string(checked) + " records");
    std::this_thread::sleep_for(100ms);
    answer = api.get("log/verify");
  }
  return answer;
}

ExitStatus verify_log(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto answer = wait_for_check(*api, api->send("POST", "log/verify"));
  if (!answer) return failed(answer.error().message);
  if (arguments.has("--json")) std::cout << to_text(*answer) << '\n';
  const auto* check = answer->find("data");
  const auto state = check == nullptr ? "-" : shown(check->find("state"));
  if (state == "damaged") return failed(shown(check->find("damage")));
  if (state != "sound") return failed(check == nullptr ? "-" : shown(check->find("reason")));
  if (!arguments.has("--json")) {
    std::cout << shown(check->find("records")) << " records, no damage\n";
  }
  return done();
}

}  // namespace

std::vector<Command> log_commands() {
  return {{"log verify",
           "Reads the whole event log back and tells whether the disk has damaged it",
           "tilth log verify --data /var/lib/tilth",
           {},
           service_flags({}),
           verify_log}};
}

}  // namespace tilth::cli
