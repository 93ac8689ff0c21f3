#include "api/http/refusal.h"

#include <algorithm>
#include <array>

#include "events/json/json_writer.h"
#include "events/log/refusal.h"

namespace tilth {
namespace {

// No default: a new ErrorCode needs its response here.
int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kMissingApiKey:
    case ErrorCode::kInvalidAuthFormat:
    case ErrorCode::kInvalidApiKeyFormat:
    case ErrorCode::kInvalidApiKey:
    case ErrorCode::kExpiredApiKey:
    case ErrorCode::kUnauthorized:
    case ErrorCode::kUnauthenticated:
    case ErrorCode::kWrongPassword:
      return 401;
    case ErrorCode::kRateLimited:
      return 429;
    case ErrorCode::kIpNotAllowed:
    case ErrorCode::kInsufficientScope:
    case ErrorCode::kForeignOrigin:
    case ErrorCode::kTierInsufficient:
    case ErrorCode::kPlanLimitExceeded:
      return 403;
    case ErrorCode::kNoRoute:
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kMethodNotAllowed:
      return 405;
    case ErrorCode::kPayloadTooLarge:
      return 413;
    case ErrorCode::kUnsupportedMediaType:
      return 415;
    case ErrorCode::kBadRequest:
    case ErrorCode::kInvalidId:
    case ErrorCode::kInvalid:
    case ErrorCode::kAsOfLimitExceeded:
      return 400;
    case ErrorCode::kPreconditionFailed:
      return 412;
    case ErrorCode::kConflict:
    case ErrorCode::kKeyLimitExceeded:
      return 409;
    case ErrorCode::kStale:
    case ErrorCode::kLost:
    case ErrorCode::kDamaged:
    case ErrorCode::kUnavailable:
      return 503;
  }
  std::abort();
}

HttpResponse written(int status, const RequestRefused& refused) {
  std::string body = "{\"error\":";
  JsonWriter::write(error_name(status), body);
  body.append(",\"code\":");
  JsonWriter::write(refused.code, body);
  body.append(",\"message\":");
  JsonWriter::write(refused.message, body);
  if (refused.details.json != "{}") body.append(",\"details\":").append(refused.details.json);
  body.push_back('}');
  return {status, {{"Content-Type", "application/json"}}, std::move(body)};
}

}  // namespace

std::string_view error_name(int status) {
  struct Named {
    int status;
    std::string_view error;
  };
  constexpr std::array kNamed{Named{400, "Bad Request"},
                              Named{401, "Unauthorized"},
                              Named{403, "Forbidden"},
                              Named{404, "Not Found"},
                              Named{405, "Method Not Allowed"},
                              Named{408, "Request Timeout"},
                              Named{409, "Conflict"},
                              Named{412, "Precondition Failed"},
                              Named{413, "Payload Too Large"},
                              Named{414, "URI Too Long"},
                              Named{415, "Unsupported Media Type"},
                              Named{417, "Expectation Failed"},
                              Named{424, "Failed Dependency"},
                              Named{429, "Too Many Requests"},
                              Named{431, "Request Header Fields Too Large"},
                              Named{500, "Internal Server Error"},
                              Named{503, "Service Unavailable"}};
  const auto found = std::ranges::find(kNamed, status, &Named::status);
  return found == kNamed.end() ? kNamed.front().error : found->error;
}

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
          .message = "This node does not have the role " + std::string(role) +
                     "; send the request to another one.",
          .retry_after_seconds = 1};
}

HttpResponse refusal(const Error& error) {
  const auto status = status_of(error.code);
  auto refused = refusal_of(error, {});
  if (status == 503) refused.code = name_of(ErrorCode::kUnavailable);
  auto response = written(status, refused);
  if (status == 401) {
    // Browsers do not know this scheme, so they do not prompt for a password.
    const bool session =
        error.code == ErrorCode::kUnauthenticated || error.code == ErrorCode::kWrongPassword;
    response.headers.emplace_back("WWW-Authenticate", session ? "Session" : "Bearer");
  }
  auto retry_after = error.retry_after_seconds;
  if (status == 503 && retry_after == 0) retry_after = 1;
  if (retry_after > 0) response.headers.emplace_back("Retry-After", std::to_string(retry_after));
  return response;
}

HttpResponse protocol_refusal(int status, std::string_view reason) {
  struct Named {
    int status;
    std::string_view code;
  };
  constexpr std::array kNamed{Named{400, "BAD_REQUEST"},        Named{408, "REQUEST_TIMEOUT"},
                              Named{413, "PAYLOAD_TOO_LARGE"},  Named{414, "URI_TOO_LONG"},
                              Named{417, "EXPECTATION_FAILED"}, Named{431, "HEADERS_TOO_LARGE"},
                              Named{500, "INTERNAL_ERROR"},     Named{503, "SERVICE_UNAVAILABLE"}};
  const auto found = std::ranges::find(kNamed, status, &Named::status);
  const auto code = found == kNamed.end() ? kNamed.front().code : found->code;
  auto response = written(status, {std::string(code), std::string(reason), {}, {}});
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

HttpResponse not_begun_in_batch(std::string_view code, std::string_view message) {
  return written(424, {std::string(code), std::string(message), {}, {}});
}

HttpResponse refusal(const RequestRefused& refused) {
  for (const auto& [code, name] : labels(ErrorCode{})) {
    if (name == refused.code) return written(status_of(code), refused);
  }
  return written(400, refused);  // a code of another version
}

}  // namespace tilth
