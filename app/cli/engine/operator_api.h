// The operator API of a running service, as the commands call it.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/engine/command.h"
#include "app/cli/engine/http.h"
#include "events/json/json.h"
#include "events/values/result.h"

namespace tilth::cli {

// A connection to a service. Every Error has one plain sentence for people: what the service says,
// or why it cannot be asked. Threads: one.
class OperatorApi {
 public:
  // As the flags of service_flags() say. Fails where there is no token to be read.
  static Result<OperatorApi> connect(const Arguments& arguments);

  OperatorApi(OperatorApi&&) noexcept;
  OperatorApi& operator=(OperatorApi&&) = delete;
  ~OperatorApi();

  // The whole answer, {"data": …}; null where there is none (204). `path` goes on after
  // "/operator/v1/".
  Result<Json> get(const std::string& path);
  Result<Json> send(const std::string& method, const std::string& path, const Json* body = nullptr);

  // The same with a body as it stands, and with an answer as it stands.
  Result<Json> send_text(const std::string& method, const std::string& path,
                         const std::optional<std::string>& body,
                         std::string_view body_type = "application/json");
  Result<std::string> get_text(const std::string& path);

  // Sends what `more` hands over (HttpClient::upload).
  Result<Json> upload(const std::string& path, std::string_view body_type,
                      const HttpClient::MoreBytes& more, const std::function<void()>& idle);

  // A list whole, page after page, in the form of a single page.
  Result<Json> get_list(const std::string& path);

  // Calls `each` with every line of these streams, which are read side by side, until it says false
  // or all have ended. Empty lines are left out; a line that is cut off is an Error. `idle` is
  // called from time to time, whatever comes.
  Status read_lines(const std::vector<std::string>& paths,
                    const std::function<bool(std::string_view line)>& each,
                    const std::function<void()>& idle);

 private:
  struct Connection;
  explicit OperatorApi(std::unique_ptr<Connection> connection);
  Result<std::string> exchange(const std::string& method, const std::string& path,
                               const std::optional<std::string>& body, std::string_view body_type);
  Result<Json> read_answer(const std::string& text) const;
  std::unique_ptr<Connection> connection_;
};

// `flags`, and those by which a command finds the service, and --json.
std::vector<Flag> service_flags(std::vector<Flag> flags);

// A name or value as it stands in a URL.
std::string url_escaped(std::string_view text);

// A user's id, which may be given as the email.
Result<std::string> find_user(OperatorApi& api, const std::string& id_or_email);

}  // namespace tilth::cli
