#include <iostream>

#include "app/cli/commands/commands.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/table.h"
#include "app/cli/engine/url_path.h"

namespace tilth::cli {
namespace {

ExitStatus list_requests(const Arguments& arguments) {
  const auto user = arguments.find("--user");
  if (!user) return wrong_usage("Say whose: --user.");
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto id = find_user(*api, *user);
  if (!id) return failed(id.error().message);
  const auto requests = api->get_list(with_flags("users/" + url_escaped(*id) + "/requests",
                                                 arguments, {"--key", "--status", "--path"}));
  if (!requests) return failed(requests.error().message);
  if (arguments.has("--json")) {
    std::cout << to_text(*requests) << '\n';
    return done();
  }
  Table table({"TIME", "METHOD", "PATH", "STATUS", "MS", "REPLAYED", "KEY", "ADDRESS", "REQUEST"});
  for (const auto& [index, request] : requests->find("data")->children) {
    table.add({shown(request.find("time")), shown(request.find("method")),
               shown(request.find("path")), shown(request.find("status")),
               shown(request.find("durationMs")), shown(request.find("idempotentReplayed")),
               shown(request.find("keyId")), shown(request.find("address")),
               shown(request.find("requestId"))});
  }
  table.print(std::cout);
  return done();
}

}  // namespace

std::vector<Command> request_commands() {
  return {{"requests",
           "Lists what a user's API keys asked for lately",
           "tilth requests --user ada@example.org --status 4xx",
           {},
           service_flags({{"--user", "U", "whose, by id or email"},
                          {"--key", "K", "only those with this API key, by its id"},
                          {"--status", "CLASS", "only those of this class, such as 4xx"},
                          {"--path", "PATH", "only those whose path begins with this"}}),
           list_requests}};
}

}  // namespace tilth::cli
