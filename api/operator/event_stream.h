// Selects the events of the history that an operator requests.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/routing/read_request.h"
#include "events/log/event_log.h"
#include "events/values/result.h"

namespace tilth {

// The request's filter (docs/operations.md, "The history").
struct EventFilter {
  std::optional<std::int64_t> partition = {};
  std::optional<std::int64_t> from = {}, to = {};  // offsets: inclusive, exclusive
  std::optional<std::string> type = {};            // * matches any run of characters
  std::optional<std::string> owner = {};
  std::optional<Timestamp> since = {}, until = {};  // inclusive, exclusive
  std::optional<std::int64_t> limit = {};
  std::optional<bool> follow = {};
  bool only_new = false;  // nothing of what is there when the request arrives
  bool with_rejected = false;

  bool wants(const LoggedRecord& logged) const;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("partition", partition), member("from", from), member("to", to), member("type", type),
       member("owner", owner), member("since", since), member("until", until),
       member("limit", limit));
  }
};

// Reads the filter from a query; adds what is invalid to `problems`.
EventFilter read_event_filter(const Parameters& query, RequestIssues& problems);

}  // namespace tilth
