// The REST API as the demo calls it, with one key per user.

#pragma once

#include <optional>
#include <string>

#include "app/cli/engine/http.h"
#include "app/cli/engine/operator_api.h"
#include "events/json/json.h"
#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth::cli {

// A user with a farm of the demo.
struct DemoUser {
  std::string email, name, plan;
};

// A new key for the user, who is created if necessary.
Result<std::string> mint_demo_key(OperatorApi& operators, const DemoUser& user);

// A new random password of the user, who must exist.
Result<std::string> set_demo_password(OperatorApi& operators, const std::string& email);

// Threads: one.
class DemoApi {
 public:
  DemoApi(std::string url, std::string key) : url_(std::move(url)), client_(std::move(key)) {}

  Result<Json> get(const std::string& path) { return ask("GET", path, std::nullopt); }

  // The created record, or its id.
  Result<Json> create(const std::string& path, const std::string& body);
  Result<std::string> make(const std::string& path, const std::string& body);

  Status change(const std::string& path, const std::string& body);

  // A member with the id of that library crop; empty if the library lacks it.
  Result<std::string> library_member(const std::string& name);

 private:
  Result<Json> ask(const std::string& method, const std::string& path,
                   const std::optional<std::string>& body);

  const std::string url_;
  HttpClient client_;
};

// `members` followed by those of `body`.
std::string with(const std::string& members, std::string body);

// The date that many days before `now`, as a member with that name.
std::string days_before(const std::string& name, Timestamp now, int days);

}  // namespace tilth::cli
