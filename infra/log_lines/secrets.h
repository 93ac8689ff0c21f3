// Keeps what only its owner may know out of what is written down.

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tilth {

// Knows a secret when it sees one: an API key, what follows "Bearer", or one of those given.
class Secrets {
 public:
  explicit Secrets(std::span<const std::string> known) : known_(known) {}

  // `text` with `[secret]` in place of each.
  std::string blotted(std::string_view text) const;

 private:
  std::span<const std::string> known_;
};

}  // namespace tilth
