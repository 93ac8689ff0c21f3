// What an owner's API keys asked for lately: for integrators who look for a mistake. It is no part
// of the history, and each node has its own.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/json/described.h"
#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

// One request with an API key, and how it was answered.
struct LoggedRequest {
  Timestamp time = {};
  std::string method;
  std::string path;  // without the query, which may contain secrets
  std::int64_t status = 0;
  std::int64_t duration_ms = 0;  // until the response began
  std::string request_id;
  std::string key_id;
  std::string address;
  bool replayed = false;
  std::optional<std::string> traceparent = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("time", time, {.doc = "When it was answered."}),
       member("method", method, {.doc = "As it was sent."}),
       member("path", path, {.doc = "Without the query; at most 500 characters."}),
       member("status", status, {.doc = "Of the response."}),
       member("durationMs", duration_ms, {.doc = "Until the response began."}),
       member("requestId", request_id, {.doc = "As X-Request-Id in the response."}),
       member("keyId", key_id, {.doc = "The API key."}),
       member("address", address, {.doc = "Where it came from."}),
       member("idempotentReplayed", replayed,
              {.doc = "Whether the response to an earlier request with its Idempotency-Key was "
                      "sent again."}),
       member("traceparent", traceparent,
              {.doc = "The trace that it was part of (W3C Trace Context); null: none."}));
  }
};

// Port. Threads: any.
class RequestLog {
 public:
  static constexpr std::size_t kMostOfOwner = 1'000;
  static constexpr std::chrono::hours kKept{7 * 24};
  static constexpr std::size_t kLongestPath = 500;

  struct Filter {
    std::optional<std::string> key_id = {};
    std::optional<int> status_class = {};  // 2 for 2xx
    std::optional<std::string> path = {};  // what its path begins with
    std::optional<std::string> request_id = {};

    bool matches(const LoggedRequest& request) const {
      return (!key_id || request.key_id == *key_id) &&
             (!status_class || request.status / 100 == *status_class) &&
             (!path || request.path.starts_with(*path)) &&
             (!request_id || request.request_id == *request_id);
    }
  };

  virtual ~RequestLog() = default;

  // Takes little time, and never waits for the disk.
  virtual void note(const std::string& owner, LoggedRequest request) = 0;

  // The owner's newest requests that match, newest first: at most kMostOfOwner, none older than
  // kKept.
  //
  //   kUnavailable, kDamaged  they cannot be read.
  virtual Result<std::vector<LoggedRequest>> find(const std::string& owner, const Filter& filter,
                                                  Timestamp now) = 0;
};

}  // namespace tilth
