// The REST API as those call it who make the demo, each with a key of their own.

#pragma once

#include <optional>
#include <string>

#include "app/cli/engine/http.h"
#include "app/cli/engine/operator_api.h"
#include "events/json/json.h"
#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth::cli {

// Who keeps a farm of the demo.
struct DemoUser {
  std::string email, name, plan;
};

// A new key of the user, who is made if need be.
Result<std::string> mint_demo_key(OperatorApi& operators, const DemoUser& user);

// Threads: one.
class DemoApi {
 public:
  DemoApi(std::string url, std::string key) : url_(std::move(url)), client_(std::move(key)) {}

  Result<Json> get(const std::string& path) { return ask("GET", path, std::nullopt); }

  // What was made, or its id.
  Result<Json> create(const std::string& path, const std::string& body);
  Result<std::string> make(const std::string& path, const std::string& body);

  // A member that names the crop of the library; none if it has none.
  Result<std::string> library_member(const std::string& name);

 private:
  Result<Json> ask(const std::string& method, const std::string& path,
                   const std::optional<std::string>& body);

  const std::string url_;
  HttpClient client_;
};

// `members` next to those of `body`.
std::string with(const std::string& members, std::string body);

// The date so many days before `now`, as a member of that name.
std::string days_before(const std::string& name, Timestamp now, int days);

}  // namespace tilth::cli
