// Asks other services over HTTP, briefly.

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
  std::string form = {};  // posted where there is any
  std::vector<std::string> headers = {};
  const std::atomic<bool>* stopped = nullptr;  // once it is true no one waits any more
  std::string accept = "application/json";
  std::chrono::milliseconds timeout{10'000};
  std::size_t most_bytes = 1 << 20;
};

// Follows no redirect.
//
//   kUnavailable  there was no such answer within that time, or it is longer.
Result<Fetched> fetch(const FetchRequest& request);

// As a URL or a form has it.
std::string url_encoded(std::string_view text);

}  // namespace tilth
