// Who may call a route.

#pragma once

#include <cstdint>

namespace tilth {

enum class Guard : std::uint8_t {
  kKey,           // an API key; counted for its user
  kSession,       // a session; counted for its user
  kSessionOrKey,  // either; if both are there, the key counts
  kOperator,      // the operator's token; not counted
  kAddress,       // anyone; counted for their address
  kIfGiven,       // anyone; counted for the key or session sent, else for their address
  kNone,          // anyone; not counted
};

}  // namespace tilth
