// Sends short HTTP requests to other services.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "events/values/result.h"

namespace tilth {

struct Fetched {
  long status = 0;
  std::string body;
};

struct FetchRequest {
  std::string url;
  std::string form = {};  // sent with POST if not empty; a form, unless `headers` name its type
  std::vector<std::string> headers = {};
  const std::atomic<bool>* stopped = nullptr;  // soon after it is true the request is aborted
  std::string accept = "application/json";
  std::chrono::milliseconds timeout{10'000};
  std::size_t most_bytes = 1 << 20;
};

// Follows no redirect.
//
//   kUnavailable  no response within the timeout, or one longer than most_bytes. The message has
//   the
//                 URL without its credentials.
Result<Fetched> fetch(const FetchRequest& request);

// The URL without its user information and its query, either of which may be a credential.
std::string without_credentials(std::string_view url);

// Percent-encoded, as in a URL or a form.
std::string url_encoded(std::string_view text);

}  // namespace tilth
