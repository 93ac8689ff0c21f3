// A request that is part of an exported trace. See docs/operations.md, "Traces".

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "api/http/traceparent.h"
#include "command/loop/command_times.h"

namespace tilth {

// Threads: one at a time, except as CommandTimes says.
struct RequestSpan {
  Traceparent self;       // the trace, and this span
  std::string parent_id;  // the caller's span; empty: the trace begins here
  std::chrono::system_clock::time_point began_at;
  std::chrono::steady_clock::time_point began;  // the same instant
  CommandTimes command;                         // of its change, if it makes one
};

// The span of a request that begins now, given its valid traceparent or an empty text. Null: it is
// not sampled. Threads: any.
using BeginSpan = std::function<std::shared_ptr<RequestSpan>(std::string_view traceparent)>;

}  // namespace tilth
