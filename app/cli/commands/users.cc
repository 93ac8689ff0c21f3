#include <iostream>
#include <iterator>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/exported_line.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/table.h"
#include "app/cli/engine/url_path.h"
#include "events/log/streams.h"
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

ExitStatus erase_user(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto id = find_user(*api, arguments.at("USER"));
  if (!id) return failed(id.error().message);
  Json body = object_value();
  if (const auto reason = arguments.find("--reason")) body.add("reason", text_value(*reason));
  const auto answer = api->send("POST", "users/" + url_escaped(*id) + "/erase", &body);
  const auto shown = show_record(answer, arguments);
  const auto* erasure = answer ? answer->find("data") : nullptr;
  const auto* complete = erasure != nullptr ? erasure->find("complete") : nullptr;
  if (complete == nullptr || complete->text == "true") return shown;
  const auto* left = erasure->find("left");
  return failed(
      "The person is erased from the log, but not from all files yet. The service continues with "
      "it; "
      "repeat the command with " +
      *id + " to see whether it is done." +
      (left != nullptr && left->kind == Json::Kind::kString ? " " + left->text : std::string()));
}

bool is_about(const Json& event, const std::string& user_id) {
  const auto* data = event.find("data");
  const auto* whose = data != nullptr ? data->find("userId") : nullptr;
  return whose != nullptr && whose->text == user_id;
}

// All that is kept of a user, as one document: what the operator API shows, and every event.
ExitStatus export_user(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto id = find_user(*api, arguments.at("USER"));
  if (!id) return failed(id.error().message);
  const auto at = "users/" + url_escaped(*id);
  Json all = object_value();
  const auto add = [&](const char* name, const Result<Json>& answer) -> Status {
    if (!answer) return answer.error();
    const auto* data = answer->find("data");
    all.add(name, data != nullptr ? *data : Json{});
    return kDone;
  };
  for (const auto& added :
       {add("user", api->get(at)), add("apiKeys", api->get_list(at + "/api-keys")),
        add("sessions", api->get_list("sessions?user=" + url_escaped(*id))),
        add("usage", api->get(at + "/usage")), add("requests", api->get_list(at + "/requests"))}) {
    if (!added) return failed(added.error().message);
  }
  Json events = Json::array({});
  for (const auto& [stream, all_of_it] :
       {std::pair{std::string(kAccessStream), false}, std::pair{*id, true}}) {
    const auto read = api->read_lines(
        {"events?owner=" + url_escaped(stream)},
        [&, all_of_it = all_of_it](std::string_view line) {
          auto event = parse_json(without_password_hash(line));
          if (event && (all_of_it || is_about(*event, *id))) {
            events.children.push_back({{}, std::move(*event)});
          }
          return true;
        },
        [] {});
    if (!read) return failed(read.error().message);
  }
  all.add("events", std::move(events));
  const auto text = to_text(all) + "\n";
  const auto output = arguments.find("--output").value_or("-");
  if (output == "-") {
    std::cout << text;
    return done();
  }
  const auto written = write_whole_file(output, text, 0600);
  return written ? done() : failed(written.error().message);
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
      {"users export",
       "Writes all that is kept of a user, to give it to the person",
       "tilth users export ada@example.org --output ada.json",
       {user},
       service_flags(
           {{"--output", "FILE", "the file to write, - for stdout, which is the default"}}),
       export_user},
      {"users erase",
       "Erases a person for good: what names them can no longer be read, in backups either",
       "tilth users erase ada@example.org --reason 'asked for it'",
       {user},
       service_flags({{"--reason", "R", "why, without naming the person: it is kept"}}),
       erase_user},
  };
}

}  // namespace tilth::cli
