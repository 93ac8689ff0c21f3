// Whether a webhook may be sent to an address.

#pragma once

#include "api/http/address.h"

namespace tilth {

// Whether it is an address of the public internet: not loopback, private, link-local, multicast, of
// a cloud's metadata service, reserved, or a detour to one of these (NAT64, 6to4, Teredo).
bool is_public(const Address& address);

// The same for a host as URLs spell it: "[::1]", "2130706433", "0177.0.0.1", "localhost". True for
// a name: what it resolves to is checked when it is connected to.
bool may_be_public(std::string_view host);

}  // namespace tilth
