// Which nodes a request is forwarded to, one after another.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilth {

// Decides from what its caller says has happened; does nothing itself.
//
// Threads: one at a time.
class NodesToAsk {
 public:
  // kAsk: the next one. kUnknown: whether it was done is not known, and the client is told so.
  // kHere: its rows have moved to this node meanwhile.
  enum class Step : std::uint8_t { kAsk, kUnknown, kHere };

  // `nodes`: the one to ask first in front. `may_be_repeated`: it changes nothing, or has an
  // Idempotency-Key.
  NodesToAsk(std::vector<std::string> nodes, bool may_be_repeated);

  // The one to ask now; null: no node is left.
  std::optional<std::string> next();

  // The one that was asked last has not answered, or has not the rows. `may_be_done`: it may have
  // carried the request out. `others` is called for the nodes that have the rows by now, once.
  Step on_lost(bool may_be_done, bool is_here,
               const std::function<std::vector<std::string>()>& others);

 private:
  std::vector<std::string> nodes_;  // the next one last
  bool may_be_repeated_;
  bool has_looked_again_ = false;  // for nodes, after all of the first ones failed
};

}  // namespace tilth
