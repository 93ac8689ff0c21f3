// How the product says no: a value or one Error, never an exception.

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

// Why something was not done. api/platform/refusal.cc gives each code its one HTTP answer; one that
// is not mapped there does not compile.
enum class ErrorCode : std::uint8_t {
  // Who asks, and how much.
  kMissingApiKey,
  kInvalidAuthFormat,
  kInvalidApiKeyFormat,
  kInvalidApiKey,  // unknown or revoked
  kExpiredApiKey,
  kUnauthorized,     // the operator API without its token
  kUnauthenticated,  // the dashboard without a session
  kWrongPassword,    // or an unknown email: no one is told which
  kRateLimited,
  kIpNotAllowed,
  kInsufficientScope,
  kForeignOrigin,     // a page of another site asks
  kTierInsufficient,  // the plan does not have it
  // What is asked.
  kNoRoute,
  kMethodNotAllowed,
  kPayloadTooLarge,
  kUnsupportedMediaType,
  kBadRequest,         // not HTTP as we read it
  kInvalidId,          // an id in the path or the query is not one
  kInvalid,            // the query or the body is not valid; see `issues`
  kAsOfLimitExceeded,  // more history than may be folded for one answer
  // What the present state says.
  kNotFound,  // missing, removed, or somebody else's
  kPreconditionFailed,
  kPlanLimitExceeded,
  kConflict,          // against a rule of the current state
  kKeyLimitExceeded,  // as many keys as a user may have
  // What the log and the stores say.
  kStale,        // not appended: its stream does not stand at that version
  kLost,         // the log no longer holds what it once acknowledged
  kDamaged,      // a record or a row cannot be read, and is named
  kUnavailable,  // the outcome is not known, or nothing can be done just now: ask again later
};

// What is wrong with a request: each member's dotted path, and what to tell its author.
using Issues = std::map<std::string, std::vector<std::string>>;

// Structured context that is not about a member: {"requiredScope": "fields:read"}.
using Facts = std::map<std::string, std::variant<std::int64_t, std::string>>;

struct Error {
  ErrorCode code;
  std::string message;
  Issues issues = {};
  Facts facts = {};
  std::int64_t retry_after_seconds = 0;  // 0: asking again will not help, or no one knows when
};

// A T, or the Error that stands in its place. Errors travel by plain return:
//
//   auto reader = log.read({{partition, offset}});
//   if (!reader) return reader.error();
//
// Asking for the one that is not there is a bug of ours and ends the process.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  // Implicit, so that a function returns whatever becomes a T, or the Error.
  template <std::convertible_to<T> U>
  requires(!std::same_as<std::remove_cvref_t<U>, Result>) Result(U&& value)
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}            // NOLINT
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

// Done, or the Error that says why not.
using Status = Result<std::monostate>;
inline constexpr std::monostate kDone{};

}  // namespace tilth
