// A client of a running service's operator API, for the commands.

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

// A connection to a service. Every Error has one plain sentence for people: the service's message,
// or why it cannot be reached. Threads: one.
class OperatorApi {
 public:
  // Uses the flags of service_flags(). Fails if no token can be read.
  static Result<OperatorApi> connect(const Arguments& arguments);

  OperatorApi(OperatorApi&&) noexcept;
  OperatorApi& operator=(OperatorApi&&) = delete;
  ~OperatorApi();

  // The whole response, {"data": …}; null if there is none (204). `path` continues after
  // "/operator/v1/".
  Result<Json> get(const std::string& path);
  Result<Json> send(const std::string& method, const std::string& path, const Json* body = nullptr);

  // The same with the body and the response as raw text.
  Result<Json> send_text(const std::string& method, const std::string& path,
                         const std::optional<std::string>& body,
                         std::string_view body_type = "application/json");
  Result<std::string> get_text(const std::string& path);

  // Sends what `more` supplies (HttpClient::upload).
  Result<Json> upload(const std::string& path, std::string_view body_type,
                      const HttpClient::MoreBytes& more, const std::function<void()>& idle);

  // A whole list, fetched page by page, in the form of a single page.
  Result<Json> get_list(const std::string& path);

  // Calls `each` with every line of these streams, read in parallel, until it returns false or all
  // have ended. Skips empty lines; a truncated line is an Error. `idle` is called from time to
  // time, whatever arrives.
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

// `flags`, the flags that locate the service, and --json.
std::vector<Flag> service_flags(std::vector<Flag> flags);

// A user's id; `id_or_email` may be the email.
Result<std::string> find_user(OperatorApi& api, const std::string& id_or_email);

}  // namespace tilth::cli
