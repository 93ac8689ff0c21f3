// Texts that stand for what is not encoded in a simulated world.

#pragma once

#include <deque>
#include <string>
#include <utility>

namespace tilth::testing {

template <class What>
class StandIns {
 public:
  // The text that stands for it from now on.
  std::string put(What what) {
    all_.push_back(std::move(what));
    return std::to_string(all_.size() - 1);
  }
  // What a text from put() stands for.
  const What& at(const std::string& text) const { return all_.at(std::stoul(text)); }

 private:
  std::deque<What> all_;
};

}  // namespace tilth::testing
