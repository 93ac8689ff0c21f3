// The origin of a browser's request: one of our pages, or another site that tries to use its
// visitor's session.

#pragma once

#include <span>
#include <string>

#include "api/http/address.h"
#include "api/http/http.h"

namespace tilth {

// How the client addressed us, as "https" and "farms.example.org": from the request itself, or, if
// the peer is a trusted proxy, from the last values of X-Forwarded-Proto and X-Forwarded-Host.
struct OwnOrigin {
  std::string scheme;
  std::string host;  // with the port, unless it is the scheme's default

  static OwnOrigin of(const HttpRequest& request, std::span<const Network> trusted_proxies);
  std::string text() const { return scheme + "://" + host; }
};

// Whether a trusted proxy says that the request came to it through TLS.
bool came_over_tls(const HttpRequest& request, std::span<const Network> trusted_proxies);

// Whether another site sent the request. A request without an origin is not from a browser.
bool is_foreign(const HttpRequest& request, const OwnOrigin& own);

}  // namespace tilth
