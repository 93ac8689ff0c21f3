// Where a browser's request comes from: a page of ours, or one of another site that would use its
// visitor's session.

#pragma once

#include <span>
#include <string>

#include "api/http/address.h"
#include "api/http/http.h"

namespace tilth {

// How the client reached us, as "https" and "farms.example.org": what the request says, or, if its
// peer is a trusted proxy, what that says in X-Forwarded-Proto and X-Forwarded-Host (of several
// values the last).
struct OwnOrigin {
  std::string scheme;
  std::string host;  // with the port, unless it is the scheme's own

  static OwnOrigin of(const HttpRequest& request, std::span<const Network> trusted_proxies);
  std::string text() const { return scheme + "://" + host; }
};

// Whether another site asks. A request that says nothing of it comes from no browser.
bool is_foreign(const HttpRequest& request, const OwnOrigin& own);

}  // namespace tilth
