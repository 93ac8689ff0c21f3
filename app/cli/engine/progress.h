// Shows people that work is slow, and its progress.

#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tilth::cli {

// A line on stderr that is redrawn, once the work has taken a second; on a terminal only. Threads:
// one.
class Progress {
 public:
  explicit Progress(std::string what);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // wipes its line

  // Work continues, and its end is unknown.
  void wait();

  // Reports progress; `note` says it in the user's words: "1200 events".
  void reach(std::int64_t reached, std::int64_t total, const std::string& note);

 private:
  bool is_due();
  void draw(const std::string& line);

  const std::string what_;
  const bool on_terminal_;
  const std::chrono::steady_clock::time_point began_;
  std::chrono::steady_clock::time_point drawn_;
  bool visible_ = false;
};

}  // namespace tilth::cli
