// Limits how often lines of one kind are logged, so that a flood of requests is no flood of lines.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilth {

// Each kind gets a few lines a minute. What is left out is counted, and told once its minute is
// over. Kinds beyond a thousand a minute share one. Threads: one at a time.
class RepeatLimit {
 public:
  using Steady = std::chrono::steady_clock;
  static constexpr std::size_t kMostAMinute = 5, kMostKinds = 1'000;

  // Whether another line of that kind is logged now.
  bool admits(const std::string& kind, Steady::time_point now);

  // The kinds of which lines were left out in a minute that is over, each once.
  struct LeftOut {
    std::string kind;
    std::int64_t lines;
  };
  std::vector<LeftOut> take_left_out(Steady::time_point now);

 private:
  struct Minute {
    Steady::time_point ends;
    std::size_t logged = 0;
    std::int64_t left_out = 0;
  };

  std::unordered_map<std::string, Minute> minutes_;  // by kind
  Steady::time_point first_end_ = Steady::time_point::max();
};

}  // namespace tilth
