#include "app/cli/commands/commands.h"

#include <iterator>
#include <utility>

namespace tilth::cli {

std::vector<Command> all_commands() {
  std::vector<Command> all;
  for (auto* group : {serve_commands,    status_commands, node_commands,   projection_commands,
                      operator_commands, user_commands,   key_commands,    session_commands,
                      request_commands,  event_commands,  table_commands,  library_commands,
                      template_commands, rate_commands,   clock_commands,  log_commands,
                      backup_commands,   demo_commands,   config_commands, manual_commands}) {
    auto commands = group();
    std::move(commands.begin(), commands.end(), std::back_inserter(all));
  }
  return all;
}

std::string_view group_summary(std::string_view group) {
  if (group == "operators") return "Those who run the service, and what each may do";
  if (group == "users") return "The people who may use the service";
  if (group == "keys") return "The API keys of a user";
  if (group == "sessions") return "Who is signed in to the dashboard";
  if (group == "events") return "The history, as JSON lines";
  if (group == "tables") return "Records and events as tables, for analysts";
  if (group == "log") return "Where the history is stored";
  if (group == "templates") return "The task templates that everybody sees";
  if (group == "rates") return "What currencies are worth, day by day";
  if (group == "library") return "The crops and varieties that every grower can choose from";
  if (group == "projections") return "What is read, as it is made from the history";
  if (group == "clock") return "The service's clock, if it is a test clock";
  if (group == "config") return "The configuration of the service";
  return {};
}

}  // namespace tilth::cli
