// A piece of work that is over, as a trace shows it.

#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tilth {

struct Span {
  using Nanoseconds = std::chrono::sys_time<std::chrono::nanoseconds>;

  std::string trace_id = {};   // 32 hexadecimal digits
  std::string span_id = {};    // 16
  std::string parent_id = {};  // 16, or empty: the trace begins here
  std::string name = {};
  Nanoseconds began = {}, ended = {};

  // Of a request; a part of one has no status, and nothing of these.
  std::string method = {};
  std::string route = {};  // the matched pattern; empty: none
  int status = 0;

  bool is_request() const { return status != 0; }
};

}  // namespace tilth
