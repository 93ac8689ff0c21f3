// Keeps secrets out of the log.

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tilth {

// Finds secrets in text: API keys, what follows "Bearer", and those given.
class Secrets {
 public:
  explicit Secrets(std::span<const std::string> known) : known_(known) {}

  // `text` with `[secret]` in place of each.
  std::string blotted(std::string_view text) const;

 private:
  std::span<const std::string> known_;
};

}  // namespace tilth
