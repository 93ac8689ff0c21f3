// Error handling: a value or one Error, never an exception.

#pragma once

#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tilth {

// Why something was not done. api/platform/refusal.cc maps each code to one HTTP response; a code
// that is not mapped there does not compile.
enum class ErrorCode : std::uint8_t {
  // The caller and its limits.
  kMissingApiKey,
  kInvalidAuthFormat,
  kInvalidApiKeyFormat,
  kInvalidApiKey,  // unknown or revoked
  kExpiredApiKey,
  kUnauthorized,     // the operator API without its token
  kUnauthenticated,  // the dashboard without a session
  kWrongPassword,    // or an unknown email: the response does not say which
  kRateLimited,
  kIpNotAllowed,
  kInsufficientScope,
  kForeignOrigin,     // a page of another site sent it
  kTierInsufficient,  // the plan does not have it
  // The request.
  kNoRoute,
  kMethodNotAllowed,
  kPayloadTooLarge,
  kUnsupportedMediaType,
  kBadRequest,         // not HTTP that we can parse
  kInvalidId,          // an id in the path or the query is not one
  kInvalid,            // the query or the body is not valid; see `issues`
  kAsOfLimitExceeded,  // more history than may be folded for one response
  // The current state.
  kNotFound,  // missing, removed, or another owner's
  kPreconditionFailed,
  kPlanLimitExceeded,
  kConflict,          // against a rule of the current state
  kKeyLimitExceeded,  // as many keys as a user may have
  // The log and the stores.
  kStale,        // not appended: its stream is not at that version
  kLost,         // the log no longer holds what it once acknowledged
  kDamaged,      // a record or a row cannot be read, and is named
  kUnavailable,  // the outcome is unknown, or it cannot be done just now: retry later
};

// What is wrong with a request: the dotted path of each member, and messages for the client.
using Issues = std::map<std::string, std::vector<std::string>>;

// Structured context that is not about a member: {"requiredScope": "fields:read"}.
using Facts = std::map<std::string, std::variant<std::int64_t, std::string>>;

struct Error {
  ErrorCode code;
  std::string message;
  Issues issues = {};
  Facts facts = {};
  std::int64_t retry_after_seconds = 0;  // 0: a retry will not help, or the time is unknown
};

// A T, or an Error instead. Errors are passed on by plain return:
//
//   auto reader = log.read({{partition, offset}});
//   if (!reader) return reader.error();
//
// Reading the one that is absent is a bug and ends the process.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  // Implicit, so that a function returns anything that converts to T, or an Error.
  template <std::convertible_to<T> U>  // NOLINTNEXTLINE
  requires(!std::same_as<std::remove_cvref_t<U>, Result>) Result(U&& value)
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  explicit operator bool() const { return state_.index() == 0; }
  const T& operator*() const { return *there(std::get_if<0>(&state_)); }
  T& operator*() { return *there(std::get_if<0>(&state_)); }
  const T* operator->() const { return &**this; }
  T* operator->() { return &**this; }
  const Error& error() const { return *there(std::get_if<1>(&state_)); }

 private:
  template <class P>
  static P* there(P* pointer) {
    if (pointer == nullptr) std::abort();
    return pointer;
  }

  std::variant<T, Error> state_;
};

// Success, or the Error that says why not.
using Status = Result<std::monostate>;
inline constexpr std::monostate kDone{};

}  // namespace tilth
