// Recognises the browsers in which somebody has signed in to an account before, by a signed cookie
// (OWASP calls it a device cookie), so that strangers' guesses lock no one out.

#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/keys/key_digest.h"
#include "events/values/ids.h"
#include "events/values/time.h"

namespace tilth {

// Nothing is stored: a cookie is the time, a random name of the browser, and the HMAC of both and
// of the account under the service's secret. Threads: any. A cookie outlives restarts, and holds on
// every node with the same secret.
class KnownBrowsers {
 public:
  static constexpr std::string_view kCookie = "tilth_known";
  static constexpr std::chrono::seconds kLength = std::chrono::days(365);

  // All must outlive it.
  KnownBrowsers(const KeyDigest& digest, const Clock& clock, const IdSource& ids)
      : digest_(digest), clock_(clock), ids_(ids) {}

  // The cookie's value, valid for kLength. A browser that is known keeps its name.
  std::string cookie_for(const std::string& user_id,
                         const std::optional<std::string>& browser = {}) const;

  // The browser's name, if one of its cookies is for that account.
  std::optional<std::string> name_of(std::span<const std::string> cookies,
                                     const std::string& user_id) const;

 private:
  std::string signature(std::string_view signed_part, const std::string& user_id) const;

  const KeyDigest& digest_;
  const Clock& clock_;
  const IdSource& ids_;
};

}  // namespace tilth
