// Port: an external service that authenticates people, such as an OpenID Connect provider.

#pragma once

#include <optional>
#include <string>

#include "events/access/user.h"
#include "events/values/result.h"

namespace tilth {

// What the provider reports about a person.
struct Person {
  Identity identity;
  std::string email;  // empty: unknown
  bool email_verified = false;
  std::optional<std::string> name = {};
};

// The data of one sign-in, from start to end. `nonce` and `verifier` are our secrets.
struct SignInAttempt {
  std::string state;
  std::string nonce;
  std::string verifier;      // of PKCE
  std::string redirect_uri;  // where the provider redirects to
};

// Threads: any. Both calls may block on a request to the provider.
class IdentityProvider {
 public:
  virtual ~IdentityProvider() = default;

  // The display name: "Example".
  virtual const std::string& name() const = 0;

  // The URL to redirect the browser to. kUnavailable: the provider does not respond.
  virtual Result<std::string> authorization_url(const SignInAttempt& attempt) = 0;

  // The person whom the code identifies.
  //   kUnavailable    the provider does not respond.
  //   kWrongPassword  its response is not trustworthy, or it rejects the code.
  virtual Result<Person> redeem(const SignInAttempt& attempt, const std::string& code) = 0;

  // The URL where a browser ends its session at the provider, which then redirects it to
  // `return_to`. Null: the provider has no such page, or does not respond.
  virtual std::optional<std::string> sign_out_url(const std::string& return_to) = 0;
};

}  // namespace tilth
