#include "app/cli/engine/progress.h"

#include <algorithm>
#include <iostream>
#include <utility>

#include <unistd.h>

namespace tilth::cli {
namespace {

using std::chrono::steady_clock;
constexpr auto kTimeout = std::chrono::seconds(1);
constexpr auto kBetweenDrawings = std::chrono::milliseconds(100);
constexpr std::int64_t kBarWidth = 30;

}  // namespace

Progress::Progress(std::string what)
    : what_(std::move(what)),
      on_terminal_(::isatty(STDERR_FILENO) == 1),
      began_(steady_clock::now()),
      drawn_(began_) {}

Progress::~Progress() {
  if (visible_) std::cerr << "\r\x1B[K" << std::flush;
}

void Progress::wait() {
  if (!is_due()) return;
  const auto lasted = std::chrono::floor<std::chrono::seconds>(steady_clock::now() - began_);
  draw(what_ + " (" + std::to_string(lasted.count()) + " s)");
}

void Progress::reach(std::int64_t reached, std::int64_t total, const std::string& note) {
  if (!is_due()) return;
  const auto whole = std::max<std::int64_t>(total, 1);
  const auto part = std::clamp<std::int64_t>(reached, 0, whole);
  const auto filled = static_cast<std::size_t>(part * kBarWidth / whole);
  draw(what_ + " [" + std::string(filled, '#') +
       std::string(static_cast<std::size_t>(kBarWidth) - filled, ' ') + "] " +
       std::to_string(part * 100 / whole) + " % " + note);
}

bool Progress::is_due() {
  if (!on_terminal_) return false;
  const auto now = steady_clock::now();
  return now - began_ >= kTimeout && (!visible_ || now - drawn_ >= kBetweenDrawings);
}

void Progress::draw(const std::string& line) {
  std::cerr << "\r" << line << "\x1B[K" << std::flush;
  drawn_ = steady_clock::now();
  visible_ = true;
}

}  // namespace tilth::cli
