#include <iostream>

#include "app/cli/commands/commands.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/table.h"
#include "app/cli/engine/url_path.h"

namespace tilth::cli {
namespace {

// "sessions", or those of --user.
Result<std::string> sessions_path(OperatorApi& api, const Arguments& arguments) {
  const auto user = arguments.find("--user");
  if (!user) return std::string("sessions");
  const auto id = find_user(api, *user);
  if (!id) return id.error();
  return "sessions?user=" + url_escaped(*id);
}

ExitStatus list_sessions(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto path = sessions_path(*api, arguments);
  if (!path) return failed(path.error().message);
  const auto sessions = api->get_list(*path);
  if (!sessions) return failed(sessions.error().message);
  if (arguments.has("--json")) {
    std::cout << to_text(*sessions) << '\n';
    return done();
  }
  Table table({"ID", "USER", "BY", "BEGAN", "LAST SEEN", "ENDS", "ADDRESS", "BROWSER"});
  for (const auto& [index, session] : sessions->find("data")->children) {
    table.add({shown(session.find("id")), shown(session.find("userId")),
               shown(session.find("method")), shown(session.find("createdAt")),
               shown(session.find("lastSeenAt")), shown(session.find("expiresAt")),
               shown(session.find("address")), shown(session.find("browser"))});
  }
  table.print(std::cout);
  return done();
}

ExitStatus end_sessions(const Arguments& arguments) {
  const auto session = arguments.find("SESSION");
  if (session.has_value() == arguments.has("--user")) {
    return wrong_usage("Say which: a SESSION, or all of --user.");
  }
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto path = session ? Result<std::string>("sessions/" + url_escaped(*session))
                            : sessions_path(*api, arguments);
  if (!path) return failed(path.error().message);
  const auto ended = api->send("DELETE", *path);
  if (!ended) return failed(ended.error().message);
  const auto* data = ended->find("data");
  const auto count = data != nullptr ? shown(data->find("ended")) : "1";
  if (arguments.has("--json")) {
    Json answer = object_value();
    answer.add("data", object_value()).add("ended", {Json::Kind::kNumber, count, {}});
    std::cout << to_text(answer) << '\n';
  } else {
    std::cout << "Ended " << count << (count == "1" ? " session.\n" : " sessions.\n");
  }
  return done();
}

}  // namespace

std::vector<Command> session_commands() {
  return {
      {"sessions list",
       "Lists who is signed in to the dashboard",
       "tilth sessions list --user ada@example.org",
       {},
       service_flags({{"--user", "U", "only those of this user, by id or email"}}),
       list_sessions},
      {"sessions end",
       "Ends a session, or all of a user's",
       "tilth sessions end --user ada@example.org",
       {{"SESSION", "the session's id", {}, true}},
       service_flags({{"--user", "U", "the user whose sessions end, by id or email"}}),
       end_sessions},
  };
}

}  // namespace tilth::cli
