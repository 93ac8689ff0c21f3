// An HTTP client: one exchange, or several streams of lines in parallel.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/values/result.h"

namespace tilth::cli {

struct HttpAnswer {
  int status = 0;
  std::string body = {};
  std::int64_t retry_after_seconds = 0;  // 0: the response has no Retry-After
};

// Sends requests to one service with one bearer token. Follows no redirect and uses no proxy, so
// that the token goes nowhere else. Threads: one.
class HttpClient {
 public:
  explicit HttpClient(std::string token);
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) = delete;
  ~HttpClient();

  // `idle` is called about once a second and whenever data arrives.
  //
  //   kUnavailable  the service does not respond; the message says where and why. With
  //                 `retry_after_seconds` if no connection could be made: it may be starting.
  Result<HttpAnswer> exchange(const std::string& method, const std::string& url,
                              const std::optional<std::string>& body,
                              const std::function<void()>& idle,
                              std::string_view body_type = "application/json");

  // POSTs what `more` supplies, piece by piece: at most `size` bytes at a time, 0 at the end, -1 if
  // it cannot be read. `idle` as above.
  //
  //   kUnavailable  as above, or the body cannot be read.
  using MoreBytes = std::function<std::ptrdiff_t(char* to, std::size_t size)>;
  Result<HttpAnswer> upload(const std::string& url, std::string_view body_type,
                            const MoreBytes& more, const std::function<void()>& idle);

  // Calls `each` with every non-empty line, until it returns false or all streams have ended. The
  // first error response ends it and is returned; otherwise status is 0.
  //
  //   kUnavailable  the service does not respond, or a stream broke off.
  Result<HttpAnswer> read_lines(const std::vector<std::string>& urls,
                                const std::function<bool(std::string_view)>& each,
                                const std::function<void()>& idle);

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

}  // namespace tilth::cli
