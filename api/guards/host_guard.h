// Admits requests that address this service by one of its own names. A page whose name was made to
// resolve to this machine (DNS rebinding) has its own name in Host, and gets nothing.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/address.h"
#include "api/http/http.h"
#include "events/values/result.h"

namespace tilth {

// Threads: any.
class HostGuard {
 public:
  // `listens_on` is the host of the listener's address, without port. It admits that host,
  // `localhost`, and `names`, which are in lower case; on loopback every loopback address, and on
  // all interfaces every address, since no page has one as its name.
  HostGuard(std::string listens_on, std::vector<std::string> names);

  // kForeignOrigin: the Host header names another host. Without the header the request is not from
  // a browser.
  Status admit(const HttpRequest& request) const;

 private:
  bool admits(std::string_view host) const;

  std::vector<std::string> names_;
  std::vector<Network> networks_;
};

}  // namespace tilth
