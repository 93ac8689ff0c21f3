#include <iostream>

#include "app/cli/commands/commands.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/table.h"
#include "app/cli/engine/url_path.h"

namespace tilth::cli {
namespace {

Json list_value(std::string_view members) {
  Json list{Json::Kind::kArray, {}, {}};
  while (true) {
    const auto comma = members.find(',');
    list.add({}, text_value(std::string(members.substr(0, comma))));
    if (comma == members.npos) return list;
    members.remove_prefix(comma + 1);
  }
}

Json key_body(const Arguments& arguments) {
  Json body = object_value();
  body.add("name", text_value(arguments.at("--name")));
  body.add("scopes", list_value(arguments.at("--scopes")));
  if (const auto environment = arguments.find("--environment")) {
    body.add("environment", text_value(*environment));
  }
  if (const auto limit = arguments.find("--rate-limit")) {
    body.add("rateLimit", {Json::Kind::kNumber, *limit, {}});
  }
  if (const auto expires = arguments.find("--expires-at")) {
    body.add("expiresAt", text_value(*expires));
  }
  if (const auto ips = arguments.find("--allowed-ips")) body.add("allowedIps", list_value(*ips));
  return body;
}

// The path to the keys of --user, after "/operator/v1/".
Result<std::string> keys_path(OperatorApi& api, const Arguments& arguments) {
  const auto id = find_user(api, arguments.at("--user"));
  if (!id) return id.error();
  return "users/" + url_escaped(*id) + "/api-keys";
}

ExitStatus mint_key(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto path = keys_path(*api, arguments);
  if (!path) return failed(path.error().message);
  const auto body = key_body(arguments);
  const auto minted = api->send("POST", *path, &body);
  if (!minted) return failed(minted.error().message);
  const auto* key = minted->find("data");
  if (arguments.has("--json") || key == nullptr) {
    std::cout << to_text(*minted) << '\n';
    return done();
  }
  // Only the key goes to stdout, so that KEY=$(tilth keys mint ...) is all a script needs.
  std::cout << shown(key->find("key")) << '\n';
  std::cerr << "This is " << shown(key->find("id")) << " of " << arguments.at("--user")
            << "; the key is shown only this once.\n";
  return done();
}

ExitStatus list_keys(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto path = keys_path(*api, arguments);
  if (!path) return failed(path.error().message);
  const auto keys = api->get_list(*path);
  if (!keys) return failed(keys.error().message);
  if (arguments.has("--json")) {
    std::cout << to_text(*keys) << '\n';
    return done();
  }
  Table table({"ID", "NAME", "KEY", "SCOPES", "EXPIRES", "REVOKED", "USES", "LAST USED"});
  for (const auto& [index, key] : keys->find("data")->children) {
    table.add({shown(key.find("id")), shown(key.find("name")), shown(key.find("keyPreview")),
               shown(key.find("scopes")), shown(key.find("expiresAt")),
               shown(key.find("revokedAt")), shown(key.find("usageCount")),
               shown(key.find("lastUsedAt"))});
  }
  table.print(std::cout);
  return done();
}

ExitStatus revoke_key(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto path = keys_path(*api, arguments);
  if (!path) return failed(path.error().message);
  const auto& key = arguments.at("KEY");
  const auto revoked = api->send("DELETE", *path + "/" + url_escaped(key));
  if (!revoked) return failed(revoked.error().message);
  if (arguments.has("--json")) {
    Json answer = object_value();
    answer.add("data", object_value()).add("id", text_value(key));
    std::cout << to_text(answer) << '\n';
  } else {
    std::cout << "Revoked " << printable(key) << ".\n";
  }
  return done();
}

}  // namespace

std::vector<Command> key_commands() {
  const Flag user{"--user", "U", "the user's id or email", true};
  return {
      {"keys mint",
       "Makes an API key and prints it, this once",
       "tilth keys mint --user ada@example.org --name sync --scopes farms:read,tasks:write",
       {},
       service_flags(
           {user,
            {"--name", "N", "what to call the key", true},
            {"--scopes", "a,b", "what it may do, separated by commas; all is everything", true},
            {"--environment", "E", "live (the default) or test", false, one_of({"live", "test"})},
            {"--rate-limit", "N", "requests per hour, on top of the plan's", false,
             whole_numbers(1)},
            {"--expires-at", "T", "when it ends to be valid", false, instants()},
            {"--allowed-ips", "CIDR,...", "from where it may be used", false, networks()}}),
       mint_key},
      {"keys list",
       "Lists a user's API keys, revoked ones too",
       "tilth keys list --user ada@example.org",
       {},
       service_flags({user}),
       list_keys},
      {"keys revoke",
       "Revokes an API key for good",
       "tilth keys revoke --user ada@example.org key_V1StGXR8_Z5jdHi6B-myT",
       {{"KEY", "the key's id"}},
       service_flags({user}),
       revoke_key},
  };
}

}  // namespace tilth::cli
