// How our cookies are named and sent. Over TLS a name begins with __Host-, which a browser takes
// from this very host alone, not from a neighbouring one or over plain http.

#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/address.h"
#include "api/http/http.h"

namespace tilth {

// Threads: any.
class CookiePolicy {
 public:
  // `on_loopback`: the service listens there, so that no one else sees plain http.
  CookiePolicy(std::vector<Network> trusted_proxies, bool on_loopback)
      : trusted_proxies_(std::move(trusted_proxies)), on_loopback_(on_loopback) {}

  // The name under which the browser of that request has the cookie.
  std::string name_of(const HttpRequest& request, std::string_view cookie) const;

  // A Set-Cookie that scripts cannot read and other sites' requests do not carry. Zero `left`
  // expires it.
  std::string set(const HttpRequest& request, std::string_view cookie, const std::string& value,
                  std::chrono::seconds left) const;

  // All values of that cookie in the request, valid or not.
  std::vector<std::string> values(const HttpRequest& request, std::string_view cookie) const;

  // Every cookie whose name begins so, with its value.
  std::vector<HttpHeader> values_of_all(const HttpRequest& request, std::string_view prefix) const;

 private:
  bool is_secure(const HttpRequest& request) const;

  const std::vector<Network> trusted_proxies_;
  const bool on_loopback_;
};

// All values of the cookie with exactly that name.
std::vector<std::string> cookies_of(const HttpRequest& request, std::string_view name);

}  // namespace tilth
