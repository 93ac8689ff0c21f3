#include <chrono>
#include <filesystem>
#include <iostream>
#include <thread>

#include "app/cli/commands/commands.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/log_place.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/progress.h"
#include "app/cli/engine/table.h"
#include "app/cli/engine/whole_number.h"

namespace tilth::cli {
namespace {

using namespace std::chrono_literals;

// The check as it stands once it is not running.
Result<Json> wait_for_check(OperatorApi& api, Result<Json> answer) {
  Progress progress("Checking the log");
  while (answer) {
    const auto* check = answer->find("data");
    if (check == nullptr || shown(check->find("state")) != "checking") break;
    const auto checked = number_in(*check, "checked");
    progress.reach(checked, number_in(*check, "records"), std::to_string(checked) + " records");
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
    std::cout << counted(check->find("records"), "record") << ", no damage\n";
  }
  return done();
}

ExitStatus archive_log(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  Json body = object_value();
  if (const auto to = arguments.find("--to")) {
    const auto directory = std::filesystem::absolute(*to).lexically_normal();
    body.add("directory", text_value(directory.string()));
  }
  const auto& before = arguments.at("--before");
  body.add(is_offset(before) ? "beforeOffset" : "before",
           is_offset(before) ? Json{Json::Kind::kNumber, before, {}} : text_value(before));
  const auto answer = api->send("POST", "log/archive", &body);
  if (!answer) return failed(answer.error().message);
  const auto* archive = answer->find("data");
  if (arguments.has("--json") || archive == nullptr) {
    std::cout << to_text(*answer) << '\n';
  } else {
    std::cout << counted(archive->find("moved"), "record") << " moved; the archive holds "
              << shown(archive->find("records")) << " in " << shown(archive->find("bytes"))
              << " bytes.\n";
  }
  return done();
}

ExitStatus show_archive(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto answer = api->get("log/archive");
  if (!answer) return failed(answer.error().message);
  if (arguments.has("--json")) {
    std::cout << to_text(*answer) << '\n';
    return done();
  }
  Table table({"FIRST", "LAST", "BYTES", "LOCAL", "PATH", "STORED AS", "PROBLEM"});
  for (const auto& [index, file] : answer->find("data")->find("files")->children) {
    table.add({shown(file.find("first")), shown(file.find("last")), shown(file.find("bytes")),
               shown(file.find("local")), shown(file.find("path")), shown(file.find("storedAs")),
               shown(file.find("problem"))});
  }
  table.print(std::cout);
  return done();
}

}  // namespace

std::vector<Command> log_commands() {
  return {{"log verify",
           "Reads the whole event log and reports whether the disk has damaged it",
           "tilth log verify --data /var/lib/tilth",
           {},
           service_flags({}),
           verify_log},
          {"log archive",
           "Moves old records of the embedded log to files, where they can still be read",
           "tilth log archive --to /mnt/archive --before 2026-01-01T00:00:00Z",
           {},
           service_flags({{"--to", "DIR",
                           "the directory, on the service's machine; archive.directory if it is "
                           "not given"},
                          {"--before", "PLACE", "move the records before this time or offset", true,
                           places_in_the_log()}}),
           archive_log},
          {"log archived",
           "Lists the files with archived records, where they are, and what is wrong with one",
           "tilth log archived",
           {},
           service_flags({}),
           show_archive}};
}

}  // namespace tilth::cli
