// Global task templates: imported from a file.

#include <iostream>

#include "app/cli/commands/commands.h"
#include "app/cli/engine/input_file.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/table.h"

namespace tilth::cli {
namespace {

Result<Json> read_document(const std::string& file) {
  const auto text = read_input(file);
  if (!text) return text.error();
  auto json = parse_json(*text);
  if (!json) return Error{ErrorCode::kInvalid, file + " holds no JSON: " + json.error().message};
  return json;
}

ExitStatus import_templates(const Arguments& arguments) {
  const auto document = read_document(arguments.at("FILE"));
  if (!document) return failed(document.error().message);
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto answer = api->send("POST", "templates/import", &*document);
  if (!answer) return failed(answer.error().message);
  const auto* imported = answer->find("data");
  if (arguments.has("--json") || imported == nullptr) {
    std::cout << to_text(*answer) << '\n';
  } else {
    std::cout << counted(imported->find("templates"), "template") << ", "
              << shown(imported->find("changed")) << " of them new or different.\n";
  }
  return done();
}

}  // namespace

std::vector<Command> template_commands() {
  return {{"templates import",
           "Brings in global task templates from a file of JSON, - for stdin",
           "tilth templates import library/templates.json",
           {{"FILE", "the document, as library/templates.json is one"}},
           service_flags({}),
           import_templates}};
}

}  // namespace tilth::cli
