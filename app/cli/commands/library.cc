#include <iostream>

#include "app/cli/commands/commands.h"
#include "app/cli/engine/input_file.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/table.h"
#include "infra/system/whole_file.h"

namespace tilth::cli {
namespace {

ExitStatus import_library(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto document = read_input(arguments.at("FILE"));
  if (!document) return failed(document.error().message);
  const auto answer = api->send_text("POST", "library", *document);
  if (!answer) return failed(answer.error().message);
  const auto* counts = answer->find("data");
  if (arguments.has("--json") || counts == nullptr) {
    std::cout << to_text(*answer) << '\n';
  } else {
    const auto varieties = shown(counts->find("varieties"));
    const auto changed = counted(counts->find("changed"), "crop");
    std::cout << "The document has " << counted(counts->find("crops"), "crop") << " and "
              << varieties << (varieties == "1" ? " variety; " : " varieties; ") << changed
              << (changed.ends_with('s') ? " have" : " has") << " changed.\n";
  }
  return done();
}

ExitStatus export_library(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto document = api->get_text("library");
  if (!document) return failed(document.error().message);
  const auto output = arguments.find("--output").value_or("-");
  if (output == "-") {
    std::cout << *document << '\n';
    return done();
  }
  const auto written = write_whole_file(output, *document + '\n', 0644);
  return written ? done() : failed(written.error().message);
}

}  // namespace

std::vector<Command> library_commands() {
  return {
      {"library import",
       "Adds the crops of a library document, and changes those that differ",
       "tilth library import crops.json",
       {{"FILE", "the document; - is stdin"}},
       service_flags({}),
       import_library},
      {"library export",
       "Writes the crop library as a document, ready to be imported",
       "tilth library export --output crops.json",
       {},
       service_flags({{"--output", "FILE", "where to; - is stdout, the default"}}),
       export_library},
  };
}

}  // namespace tilth::cli
