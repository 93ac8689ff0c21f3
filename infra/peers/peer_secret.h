// The secret that the nodes of a cluster share, and that no one else has.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "events/values/result.h"
#include "infra/log_lines/log_lines.h"

namespace tilth {

// Only a key that is derived from the text is kept, and wiped when it is destroyed. Threads: any.
class PeerSecret {
 public:
  static constexpr std::size_t kLeastCharacters = 16;
  using Key = std::array<std::uint8_t, 32>;

  // The text of `file`, without line ends behind it. Warns if others on this machine can read it.
  //
  //   kUnavailable  there is no such file, it cannot be read, or its text is too short; the message
  //                 is a sentence that names the file.
  static Result<PeerSecret> read(const std::filesystem::path& file, LogLines& log_lines);

  explicit PeerSecret(std::string_view text);
  ~PeerSecret();
  PeerSecret(const PeerSecret&) = default;
  PeerSecret& operator=(const PeerSecret&) = default;

  // A key for one purpose, from which no other can be inferred.
  Key key_for(std::string_view purpose) const;

 private:
  Key key_{};
};

}  // namespace tilth
