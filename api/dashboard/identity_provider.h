// Port: somebody else who says who people are, such as an OpenID Connect provider.

#pragma once

#include <optional>
#include <string>

#include "events/access/user.h"
#include "events/values/result.h"

namespace tilth {

// What the provider says of somebody.
struct Person {
  Identity identity;
  std::string email;
  bool email_verified = false;
  std::optional<std::string> name = {};
};

// What one sign-in goes by, from its beginning to its end. The last two are secrets of ours.
struct SignInAttempt {
  std::string state;
  std::string nonce;
  std::string verifier;      // of PKCE
  std::string redirect_uri;  // where the provider sends people back to
};

// Threads: any. Both calls may ask the provider, and wait for it.
class IdentityProvider {
 public:
  virtual ~IdentityProvider() = default;

  // How people know it: "Example".
  virtual const std::string& name() const = 0;

  // Where to send somebody. kUnavailable: the provider does not say.
  virtual Result<std::string> authorization_url(const SignInAttempt& attempt) = 0;

  // Who came back with that code.
  //   kUnavailable    the provider does not answer.
  //   kWrongPassword  what it says is not to be believed, or it does not take the code.
  virtual Result<Person> redeem(const SignInAttempt& attempt, const std::string& code) = 0;
};

}  // namespace tilth
