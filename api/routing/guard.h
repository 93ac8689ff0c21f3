// Who is let in.

#pragma once

#include <cstdint>

namespace tilth {

enum class Guard : std::uint8_t {
  kKey,           // who sends an API key; counted for its user
  kSession,       // who is signed in; counted for them
  kSessionOrKey,  // either, or both, of which the key counts
  kOperator,      // who sends the operator's token; not counted
  kAddress,       // anyone; counted for their address
  kIfGiven,       // anyone; counted for the key or the session that they send, else their address
  kNone,          // anyone; not counted
};

}  // namespace tilth
