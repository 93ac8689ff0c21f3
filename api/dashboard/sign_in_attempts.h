// Sign-ins at the identity provider that are under way: several in one browser, each with a state
// that only this browser has, in a cookie of its own.

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "api/dashboard/dashboard.h"
#include "api/dashboard/identity_provider.h"

namespace tilth {

// Everything is derived from the state and the service's secret, so nothing is stored. Threads:
// any.
class SignInAttempts {
 public:
  static constexpr std::chrono::minutes kTime{10};  // for the user, at the provider

  explicit SignInAttempts(const Dashboard& dashboard) : dashboard_(dashboard) {}

  // A new attempt, and the headers that set its cookie and expire the oldest ones. With a session,
  // it is to add the provider to the account of that session.
  struct Begun {
    SignInAttempt attempt;
    std::vector<HttpHeader> headers;
  };
  Begun begin(const Call& call, const std::optional<Sessions::Found>& session) const;

  // The attempt of that state, if it began in this browser and is fresh.
  std::optional<SignInAttempt> find(const Call& call, const std::string& state) const;

  // Whether it is to add the provider to an account, and whether to that session's.
  static bool is_to_link(const std::string& state);
  bool is_to_link(const std::string& state, const Sessions::Found& session) const;

  // The header that expires the attempt's cookie.
  HttpHeader end(const Call& call, const std::string& state) const;

 private:
  SignInAttempt attempt_of(const HttpRequest& request, std::string state) const;
  std::string link_mark(const std::string& state, const Sessions::Found& session) const;

  const Dashboard& dashboard_;
};

}  // namespace tilth
