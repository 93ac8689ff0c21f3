// HTTP as a client speaks it: one exchange, or several streams of lines side by side.

#pragma once

#include <cstddef>
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
};

// Speaks to one service with one bearer token. Follows no redirect and uses no proxy, so that the
// token goes nowhere else. Threads: one.
class HttpClient {
 public:
  explicit HttpClient(std::string token);
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) = delete;
  ~HttpClient();

  // `idle` is called about once a second and whenever something comes.
  //
  //   kUnavailable  no one answers; the message says where and why.
  Result<HttpAnswer> exchange(const std::string& method, const std::string& url,
                              const std::optional<std::string>& body,
                              const std::function<void()>& idle,
                              std::string_view body_type = "application/json");

  // POSTs what `more` hands over, piece by piece: up to so many bytes at a time, 0 at the end, -1
  // where it cannot be read. `idle` as above.
  //
  //   kUnavailable  as above, or the body cannot be read.
  using MoreBytes = std::function<std::ptrdiff_t(char* to, std::size_t size)>;
  Result<HttpAnswer> upload(const std::string& url, std::string_view body_type,
                            const MoreBytes& more, const std::function<void()>& idle);

  // Calls `each` with every line that is not empty, until it says false or all streams have ended.
  // The first answer that is no success ends it and is returned; else status is 0.
  //
  //   kUnavailable  no one answers, or a stream broke off.
  Result<HttpAnswer> read_lines(const std::vector<std::string>& urls,
                                const std::function<bool(std::string_view)>& each,
                                const std::function<void()>& idle);

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

}  // namespace tilth::cli
