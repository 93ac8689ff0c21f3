#include "api/keys/authentication.h"

#include <algorithm>

#include "events/values/ascii.h"

namespace tilth {
namespace {

constexpr std::size_t kHexDigits = 48;

// svc_(live|test)_[a-f0-9]{48}
bool looks_like_a_key(std::string_view key) {
  if (!key.starts_with("svc_live_") && !key.starts_with("svc_test_")) return false;
  key.remove_prefix(9);
  return key.size() == kHexDigits && std::all_of(key.begin(), key.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace

std::string_view bearer_token(std::string_view header) {
  constexpr std::string_view kScheme = "bearer";
  const bool bearer = header.size() > kScheme.size() &&
                      equals_ignoring_case(header.substr(0, kScheme.size()), kScheme);
  if (!bearer || header[kScheme.size()] != ' ') return {};
  header.remove_prefix(std::min(header.find_first_not_of(' ', kScheme.size()), header.size()));
  const bool has_blank = header.find(' ') != header.npos || header.find('\t') != header.npos;
  return has_blank ? std::string_view() : header;
}

Result<std::shared_ptr<const KeyHolder>> authenticate(const HttpRequest& request,
                                                      const KeyDigest& digest, const KeyRing& ring,
                                                      Timestamp now) {
  const auto* header = request.header("authorization");
  if (header == nullptr) {
    return Error{ErrorCode::kMissingApiKey, "Send an API key: Authorization: Bearer <API_KEY>."};
  }
  const bool doubtful = request.repeats("authorization");
  const auto key = doubtful ? std::string_view() : bearer_token(*header);
  if (key.empty()) {
    return Error{ErrorCode::kInvalidAuthFormat,
                 "The Authorization header is not Bearer <API_KEY>."};
  }
  if (!looks_like_a_key(key)) {
    return Error{ErrorCode::kInvalidApiKeyFormat, "This does not look like an API key."};
  }
  auto holder = ring.find(digest.of(key));
  if (!holder) return Error{ErrorCode::kInvalidApiKey, "The API key is unknown or was revoked."};
  if (holder->expires_at && now >= *holder->expires_at) {
    return Error{ErrorCode::kExpiredApiKey, "The API key has expired."};
  }
  return holder;
}

Error lacks_scope(Scope scope) {
  const std::string name(scope_name(scope));
  return {.code = ErrorCode::kInsufficientScope,
          .message = "The API key lacks the scope " + name + ".",
          .facts = {{"requiredScope", name}}};
}

}  // namespace tilth
