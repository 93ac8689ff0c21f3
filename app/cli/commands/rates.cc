// Exchange rates: imported from a file, or from where they are published.

#include <iostream>

#include "app/cli/commands/commands.h"
#include "app/cli/engine/input_file.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/table.h"
#include "app/cli/engine/url_path.h"

namespace tilth::cli {
namespace {

ExitStatus print(const Result<Json>& answer, const Arguments& arguments) {
  if (!answer) return failed(answer.error().message);
  const auto* counts = answer->find("data");
  if (arguments.has("--json") || counts == nullptr) {
    std::cout << to_text(*answer) << '\n';
  } else {
    std::cout << counted(counts->find("rates"), "rate") << " of "
              << counted(counts->find("days"), "day") << ", " << shown(counts->find("changed"))
              << " of them new or different.\n";
  }
  return done();
}

ExitStatus import_rates(const Arguments& arguments) {
  const auto file = read_input(arguments.at("FILE"));
  if (!file) return failed(file.error().message);
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  return print(api->send_text("POST", with_flags("exchange-rates", arguments, {"--source"}), *file,
                              "text/csv"),
               arguments);
}

ExitStatus fetch_rates(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  return print(api->send("POST", with_flags("exchange-rates/fetch", arguments, {"--source"})),
               arguments);
}

}  // namespace

std::vector<Command> rate_commands() {
  return {{"rates import",
           "Brings in exchange rates from a file in the form of the European Central Bank",
           "tilth rates import eurofxref-hist.csv",
           {{"FILE", "Date and the codes of currencies, then a line for each day; - is stdin"}},
           service_flags({{"--source", "S", "where they come from; ECB by default"}}),
           import_rates},
          {"rates fetch",
           "Has the service import exchange rates from the configured address, rates.url",
           "tilth rates fetch",
           {},
           service_flags({{"--source", "S", "where they come from; rates.source by default"}}),
           fetch_rates}};
}

}  // namespace tilth::cli
