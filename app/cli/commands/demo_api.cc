#include "app/cli/commands/demo_api.h"

#include <chrono>

#include "app/cli/engine/json_text.h"
#include "app/cli/engine/url_path.h"
#include "events/values/ids.h"
#include "infra/system/random.h"

namespace tilth::cli {

Result<std::string> mint_demo_key(OperatorApi& operators, const DemoUser& user) {
  auto id = find_user(operators, user.email);
  if (!id) {
    Json body = object_value();
    body.add("email", text_value(user.email));
    body.add("plan", text_value(user.plan));
    body.add("name", text_value(user.name));
    const auto made = operators.send("POST", "users", &body);
    if (!made) return made.error();
    id = made->find("data")->find("id")->text;
  }
  Json body = object_value();
  body.add("name", text_value("demo"));
  body.add("scopes", {Json::Kind::kArray, {}, {}}).add({}, text_value("all"));
  const auto minted = operators.send("POST", "users/" + url_escaped(*id) + "/api-keys", &body);
  if (!minted) return minted.error();
  return minted->find("data")->find("key")->text;
}

Result<std::string> set_demo_password(OperatorApi& operators, const std::string& email) {
  const auto id = find_user(operators, email);
  if (!id) return id.error();
  const IdSource ids(fill_random);
  const auto password = ids.hex(8);
  Json body = object_value();
  body.add("password", text_value(password));
  const auto set = operators.send("PUT", "users/" + url_escaped(*id), &body);
  if (!set) return set.error();
  return password;
}

Result<Json> DemoApi::create(const std::string& path, const std::string& body) {
  auto answer = ask("POST", path, body);
  if (!answer) return answer;
  return *answer->find("data");
}

Result<std::string> DemoApi::make(const std::string& path, const std::string& body) {
  const auto made = create(path, body);
  if (!made) return made.error();
  return made->find("id")->text;
}

Status DemoApi::change(const std::string& path, const std::string& body) {
  const auto answer = ask("PUT", path, body);
  return answer ? Status(kDone) : answer.error();
}

Result<std::string> DemoApi::library_member(const std::string& name) {
  const auto crops = get("/crop-library/crops?limit=100&search=" + url_escaped(name));
  if (!crops) return crops.error();
  for (const auto& [index, crop] : crops->find("data")->children) {
    if (crop.find("name")->text != name) continue;
    return R"("adminCropId": ")" + crop.find("id")->text + '"';
  }
  return std::string();
}

Result<Json> DemoApi::ask(const std::string& method, const std::string& path,
                          const std::optional<std::string>& body) {
  const auto answer = client_.exchange(method, url_ + "/api/v1" + path, body, [] {});
  if (!answer) return answer.error();
  auto json = parse_json(answer->body);
  if (answer->status / 100 == 2 && json && json->find("data") != nullptr) return json;
  const auto* message = json ? json->find("message") : nullptr;
  return Error{ErrorCode::kUnavailable,
               "The service refused the demo farm: " + (message ? message->text : answer->body)};
}

std::string with(const std::string& members, std::string body) {
  return members.empty() ? body : body.insert(1, members + ", ");
}

std::string days_before(const std::string& name, Timestamp now, int days) {
  const Timestamp then{now.at - std::chrono::days(days)};
  return '"' + name + R"(": ")" + then.text().substr(0, 10) + '"';
}

}  // namespace tilth::cli
