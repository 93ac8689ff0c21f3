#include <iostream>
#include <iterator>

#include "app/cli/commands/commands.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/table.h"
#include "infra/system/whole_file.h"

namespace tilth::cli {
namespace {

const Flag kPlan = {"--plan", "P", "the plan, such as seed, grove or summit"};
const Flag kName = {"--name", "N", "what to call the user"};
const Flag kPassword = {"--password-file", "F",
                        "a file that holds the password, - for stdin; one final newline is not "
                        "part of it"};

Flag required(Flag flag) {
  flag.required = true;
  return flag;
}

Result<std::string> read_password(const std::string& file) {
  std::string password;
  if (file == "-") {
    password.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    const auto content = read_whole_file(file);
    if (!content) return content.error();
    if (!*content) return Error{ErrorCode::kNotFound, "There is no password file " + file + "."};
    password = **content;
  }
  if (password.ends_with('\n')) password.pop_back();
  return password;
}

// Prints a response as one record.
ExitStatus show_record(const Result<Json>& answer, const Arguments& arguments) {
  if (!answer) return failed(answer.error().message);
  const auto* record = answer->find("data");
  if (arguments.has("--json") || record == nullptr) {
    std::cout << to_text(*answer) << '\n';
  } else {
    print_record(std::cout, *record);
  }
  return done();
}

// The body of `users add` and `users set`.
Result<Json> user_body(const Arguments& arguments) {
  Json body = object_value();
  for (const auto* name : {"email", "plan", "name"}) {
    if (const auto given = arguments.find("--" + std::string(name))) {
      body.add(name, text_value(*given));
    }
  }
  if (const auto file = arguments.find("--password-file")) {
    auto password = read_password(*file);
    if (!password) return password.error();
    body.add("password", text_value(std::move(*password)));
  }
  return body;
}

ExitStatus add_user(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto body = user_body(arguments);
  if (!body) return failed(body.error().message);
  return show_record(api->send("POST", "users", &*body), arguments);
}

ExitStatus list_users(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto email = arguments.find("--email");
  const auto users = api->get_list(email ? "users?email=" + url_escaped(*email) : "users");
  if (!users) return failed(users.error().message);
  if (arguments.has("--json")) {
    std::cout << to_text(*users) << '\n';
    return done();
  }
  Table table({"ID", "EMAIL", "NAME", "PLAN", "CREATED", "DISABLED"});
  for (const auto& [index, user] : users->find("data")->children) {
    table.add({shown(user.find("id")), shown(user.find("email")), shown(user.find("name")),
               shown(user.find("plan")), shown(user.find("createdAt")),
               shown(user.find("disabledAt"))});
  }
  table.print(std::cout);
  return done();
}

ExitStatus show_user(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto id = find_user(*api, arguments.at("USER"));
  if (!id) return failed(id.error().message);
  return show_record(api->get("users/" + url_escaped(*id)), arguments);
}

ExitStatus set_user(const Arguments& arguments) {
  if (!arguments.has("--plan") && !arguments.has("--name") && !arguments.has("--password-file")) {
    return wrong_usage("Say what to set: --plan, --name or --password-file.");
  }
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto body = user_body(arguments);
  if (!body) return failed(body.error().message);
  const auto id = find_user(*api, arguments.at("USER"));
  if (!id) return failed(id.error().message);
  return show_record(api->send("PUT", "users/" + url_escaped(*id), &*body), arguments);
}

ExitStatus act_on_user(const Arguments& arguments, const std::string& action) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto id = find_user(*api, arguments.at("USER"));
  if (!id) return failed(id.error().message);
  return show_record(api->send("POST", "users/" + url_escaped(*id) + "/" + action), arguments);
}

}  // namespace

std::vector<Command> user_commands() {
  const Operand user{"USER", "the user's id or email"};
  return {
      {"users add",
       "Adds a user",
       "tilth users add --email ada@example.org --plan summit --password-file ada.password",
       {},
       service_flags({{"--email", "E", "the email, which no other user has", true},
                      required(kPlan),
                      kName,
                      kPassword}),
       add_user},
      {"users list",
       "Lists the users",
       "tilth users list --email ada@example.org",
       {},
       service_flags({{"--email", "E", "only the one with this email"}}),
       list_users},
      {"users show",
       "Shows a user",
       "tilth users show ada@example.org",
       {user},
       service_flags({}),
       show_user},
      {"users set",
       "Changes a user's plan, name or password",
       "tilth users set ada@example.org --plan grove",
       {user},
       service_flags({kPlan, kName, kPassword}),
       set_user},
      {"users disable",
       "Disables a user: the keys stop working, and the sessions end",
       "tilth users disable ada@example.org",
       {user},
       service_flags({}),
       [](const Arguments& arguments) { return act_on_user(arguments, "disable"); }},
      {"users enable",
       "Enables a user who was disabled: the keys work again",
       "tilth users enable ada@example.org",
       {user},
       service_flags({}),
       [](const Arguments& arguments) { return act_on_user(arguments, "enable"); }},
  };
}

}  // namespace tilth::cli
