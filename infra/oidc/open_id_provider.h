// An OpenID Connect provider: discovery, the authorization code flow with PKCE, and its keys.

#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "api/dashboard/identity_provider.h"
#include "events/json/json.h"
#include "events/values/time.h"
#include "infra/system/fetch.h"

namespace tilth {

struct OpenIdSettings {
  std::string issuer;
  std::string client_id;
  std::string client_secret;  // empty: a public client
  std::string name;
  std::string scopes = "openid email profile";
};

// Operation: fetches the provider's metadata and keys at the first sign-in, again once they are an
// hour old, and when a token is signed by an unknown key. There is one attempt at a time, and none
// for some seconds after one that failed: all that need it share its result. What is older than an
// hour does until an attempt succeeds.
//
// Threads: any.
class OpenIdProvider final : public IdentityProvider {
 public:
  OpenIdProvider(OpenIdSettings settings, const Clock& clock)
      : settings_(std::move(settings)), clock_(clock) {}

  // Aborts all requests to the provider, as if it did not respond.
  void stop() { stopped_ = true; }

  const std::string& name() const override { return settings_.name; }
  Result<std::string> authorization_url(const SignInAttempt& attempt) override;
  Result<Person> redeem(const SignInAttempt& attempt, const std::string& code) override;
  std::optional<std::string> sign_out_url(const std::string& return_to) override;

 private:
  struct Discovered {
    Json metadata;
    Json keys;
    Timestamp at;
  };
  // The response, if its status is 200 and it is a JSON object.
  Result<Json> ask(FetchRequest request) const;

  using Shared = std::shared_ptr<const Discovered>;

  Result<Shared> discover() const;
  // With `newer`, what an attempt that ends after this call found, or kUnavailable.
  Result<Shared> discovered(bool newer = false);
  Result<Json> exchange(const Json& metadata, const SignInAttempt& attempt,
                        const std::string& code) const;
  Result<Json> claims_of(const std::string& id_token, const std::string& nonce);
  Result<Json> user_info(const Json& metadata, const std::string& access_token,
                         const std::string& subject) const;

  const OpenIdSettings settings_;
  const Clock& clock_;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;  // guards what follows
  Shared discovered_;
  std::optional<std::shared_future<Result<Shared>>> attempt_;  // that is under way
  struct Failure {
    Error error;
    Timestamp at;
  };
  std::optional<Failure> failure_;  // of the last attempt
};

}  // namespace tilth
