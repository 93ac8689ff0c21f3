#include "api/http/refusal.h"

#include <algorithm>
#include <array>

#include "events/json/json_writer.h"
#include "events/log/refusal.h"

namespace tilth {
namespace {

struct Meaning {
  int status;
  std::string_view error;
};

// No default: a new ErrorCode needs its response here.
Meaning meaning_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kMissingApiKey:
    case ErrorCode::kInvalidAuthFormat:
    case ErrorCode::kInvalidApiKeyFormat:
    case ErrorCode::kInvalidApiKey:
    case ErrorCode::kExpiredApiKey:
    case ErrorCode::kUnauthorized:
    case ErrorCode::kUnauthenticated:
    case ErrorCode::kWrongPassword:
      return {401, "Unauthorized"};
    case ErrorCode::kRateLimited:
      return {429, "Too Many Requests"};
    case ErrorCode::kIpNotAllowed:
    case ErrorCode::kInsufficientScope:
    case ErrorCode::kForeignOrigin:
    case ErrorCode::kTierInsufficient:
    case ErrorCode::kPlanLimitExceeded:
      return {403, "Forbidden"};
    case ErrorCode::kNoRoute:
    case ErrorCode::kNotFound:
      return {404, "Not Found"};
    case ErrorCode::kMethodNotAllowed:
      return {405, "Method Not Allowed"};
    case ErrorCode::kPayloadTooLarge:
      return {413, "Payload Too Large"};
    case ErrorCode::kUnsupportedMediaType:
      return {415, "Unsupported Media Type"};
    case ErrorCode::kBadRequest:
    case ErrorCode::kInvalidId:
    case ErrorCode::kInvalid:
    case ErrorCode::kAsOfLimitExceeded:
      return {400, "Bad Request"};
    case ErrorCode::kPreconditionFailed:
      return {412, "Precondition Failed"};
    case ErrorCode::kConflict:
    case ErrorCode::kKeyLimitExceeded:
      return {409, "Conflict"};
    case ErrorCode::kStale:
    case ErrorCode::kLost:
    case ErrorCode::kDamaged:
    case ErrorCode::kUnavailable:
      return {503, "Service Unavailable"};
  }
  std::abort();
}

HttpResponse written(const Meaning& meaning, const RequestRefused& refused) {
  std::string body = "{\"error\":";
  JsonWriter::write(meaning.error, body);
  body.append(",\"code\":");
  JsonWriter::write(refused.code, body);
  body.append(",\"message\":");
  JsonWriter::write(refused.message, body);
  if (refused.details.json != "{}") body.append(",\"details\":").append(refused.details.json);
  body.push_back('}');
  return {meaning.status, {{"Content-Type", "application/json"}}, std::move(body)};
}

}  // namespace

Error not_ready() {
  return {.code = ErrorCode::kUnavailable,
          .message = "The service is not ready yet.",
          .retry_after_seconds = 1};
}

Error read_model_lags() {
  return {.code = ErrorCode::kUnavailable,
          .message = "The service cannot answer: its read model lacks recent events.",
          .retry_after_seconds = 60};
}

Error rows_unreadable() {
  return {.code = ErrorCode::kUnavailable,
          .message = "The service cannot answer: its read model cannot be read.",
          .retry_after_seconds = 60};
}

Error lacks_role(std::string_view role) {
  return {.code = ErrorCode::kUnavailable,
          .message = "This node does not have the role " + std::string(role) + "; ask another one.",
          .retry_after_seconds = 1};
}

HttpResponse refusal(const Error& error) {
  const auto meaning = meaning_of(error.code);
  auto refused = refusal_of(error, {});
  if (meaning.status == 503) refused.code = name_of(ErrorCode::kUnavailable);
  auto response = written(meaning, refused);
  if (meaning.status == 401) {
    // Browsers do not know this scheme, so they do not prompt for a password.
    const bool session =
        error.code == ErrorCode::kUnauthenticated || error.code == ErrorCode::kWrongPassword;
    response.headers.emplace_back("WWW-Authenticate", session ? "Session" : "Bearer");
  }
  auto retry_after = error.retry_after_seconds;
  if (meaning.status == 503 && retry_after == 0) retry_after = 1;
  if (retry_after > 0) response.headers.emplace_back("Retry-After", std::to_string(retry_after));
  return response;
}

HttpResponse protocol_refusal(int status, std::string_view reason) {
  struct Named {
    int status;
    std::string_view error, code;
  };
  constexpr std::array kNamed{Named{400, "Bad Request", "BAD_REQUEST"},
                              Named{408, "Request Timeout", "REQUEST_TIMEOUT"},
                              Named{413, "Payload Too Large", "PAYLOAD_TOO_LARGE"},
                              Named{414, "URI Too Long", "URI_TOO_LONG"},
                              Named{417, "Expectation Failed", "EXPECTATION_FAILED"},
                              Named{431, "Request Header Fields Too Large", "HEADERS_TOO_LARGE"},
                              Named{500, "Internal Server Error", "INTERNAL_ERROR"},
                              Named{503, "Service Unavailable", "SERVICE_UNAVAILABLE"}};
  const auto found = std::find_if(kNamed.begin(), kNamed.end(),
                                  [&](const auto& each) { return each.status == status; });
  const auto& named = found == kNamed.end() ? kNamed.front() : *found;
  auto response =
      written({status, named.error}, {std::string(named.code), std::string(reason), {}, {}});
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

HttpResponse not_begun_in_batch(std::string_view code, std::string_view message) {
  return written({424, "Failed Dependency"}, {std::string(code), std::string(message), {}, {}});
}

HttpResponse refusal(const RequestRefused& refused) {
  for (const auto& [code, name] : labels(ErrorCode{})) {
    if (name == refused.code) return written(meaning_of(code), refused);
  }
  return written({400, "Bad Request"}, refused);  // a code of another version
}

}  // namespace tilth
