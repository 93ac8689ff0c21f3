#include <iostream>
#include <utility>

#include "app/cli/commands/commands.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/table.h"
#include "app/cli/engine/url_path.h"

namespace tilth::cli {
namespace {

std::string path_of(const std::string& name) { return "operators/" + url_escaped(name); }

// Only the token goes to stdout, so that `tilth operators add ... > FILE` is all that is needed.
ExitStatus show_token(const Arguments& arguments, const Json& answer) {
  const auto* data = answer.find("data");
  if (arguments.has("--json") || data == nullptr) {
    std::cout << to_text(answer) << '\n';
    return done();
  }
  std::cout << shown(data->find("token")) << '\n';
  std::cerr << "This is the token of " << shown(data->find("name")) << ", who may "
            << shown(data->find("role")) << "; it is shown only this once.\n";
  return done();
}

ExitStatus add_operator(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  Json body = object_value();
  body.add("name", text_value(arguments.at("NAME")));
  body.add("role", text_value(arguments.at("--role")));
  const auto added = api->send("POST", "operators", &body);
  if (!added) return failed(added.error().message);
  return show_token(arguments, *added);
}

ExitStatus rotate_token(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto rotated = api->send("POST", path_of(arguments.at("NAME")) + "/rotate");
  if (!rotated) return failed(rotated.error().message);
  return show_token(arguments, *rotated);
}

ExitStatus set_operator(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  Json body = object_value();
  body.add("role", text_value(arguments.at("--role")));
  const auto set = api->send("PUT", path_of(arguments.at("NAME")), &body);
  if (!set) return failed(set.error().message);
  if (arguments.has("--json")) {
    std::cout << to_text(*set) << '\n';
  } else {
    std::cout << printable(arguments.at("NAME")) << " has the role "
              << printable(arguments.at("--role")) << ".\n";
  }
  return done();
}

ExitStatus list_operators(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto operators = api->get_list("operators");
  if (!operators) return failed(operators.error().message);
  if (arguments.has("--json")) {
    std::cout << to_text(*operators) << '\n';
    return done();
  }
  Table table({"NAME", "ROLE", "ADDED", "CHANGED", "REMOVED"});
  for (const auto& [index, each] : operators->find("data")->children) {
    table.add({shown(each.find("name")), shown(each.find("role")), shown(each.find("createdAt")),
               shown(each.find("updatedAt")), shown(each.find("removedAt"))});
  }
  table.print(std::cout);
  return done();
}

ExitStatus remove_operator(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto& name = arguments.at("NAME");
  const auto removed = api->send("DELETE", path_of(name));
  if (!removed) return failed(removed.error().message);
  if (arguments.has("--json")) {
    Json answer = object_value();
    answer.add("data", object_value()).add("name", text_value(name));
    std::cout << to_text(answer) << '\n';
  } else {
    std::cout << "Removed " << printable(name) << ".\n";
  }
  return done();
}

ExitStatus show_audit(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  auto path = with_flags("audit", arguments, {"--since", "--until"});
  if (const auto by = arguments.find("--by")) {
    path = with_parameter(std::move(path), "operator", *by);
  }
  const auto entries = api->get_list(path);
  if (!entries) return failed(entries.error().message);
  if (arguments.has("--json")) {
    std::cout << to_text(*entries) << '\n';
    return done();
  }
  Table table({"TIME", "OPERATOR", "ACTION", "TARGET", "CREATED", "STATUS", "ADDRESS", "REQUEST"});
  for (const auto& [index, entry] : entries->find("data")->children) {
    table.add({shown(entry.find("at")), shown(entry.find("operator")), shown(entry.find("action")),
               shown(entry.find("target")), shown(entry.find("created")),
               shown(entry.find("status")), shown(entry.find("address")),
               shown(entry.find("requestId"))});
  }
  table.print(std::cout);
  return done();
}

}  // namespace

std::vector<Command> operator_commands() {
  const Operand name{"NAME", "the operator's name"};
  const Flag role{"--role", "R", "what the operator may do: read, operate or administer", true,
                  one_of({"read", "operate", "administer"})};
  return {
      {"operators add",
       "Adds an operator and prints their token, this once",
       "tilth operators add amina --role operate > amina.token",
       {name},
       service_flags({role}),
       add_operator},
      {"operators list",
       "Lists the operators, removed ones too",
       "tilth operators list",
       {},
       service_flags({}),
       list_operators},
      {"operators set",
       "Changes what an operator may do",
       "tilth operators set amina --role administer",
       {name},
       service_flags({role}),
       set_operator},
      {"operators rotate",
       "Replaces an operator's token and prints the new one, this once",
       "tilth operators rotate amina > amina.token",
       {name},
       service_flags({}),
       rotate_token},
      {"operators remove",
       "Removes an operator for good; the name stays with what they did",
       "tilth operators remove amina",
       {name},
       service_flags({}),
       remove_operator},
      {"audit",
       "Lists what operators have changed, or tried to change",
       "tilth audit --since 2026-03-01T00:00:00Z --by amina",
       {},
       service_flags({{"--since", "T", "only from that time on", false, instants()},
                      {"--until", "T", "only before that time", false, instants()},
                      {"--by", "NAME", "only what this operator did"}}),
       show_audit},
  };
}

}  // namespace tilth::cli
