// In which statuses and with which codes the API says no, for its description.

#include <array>

#include "api/openapi/openapi.h"

namespace tilth {
namespace {

using Code = std::string_view;

constexpr std::array<Code, 3> kBad = {"INVALID_ID", "VALIDATION_ERROR", "AS_OF_LIMIT_EXCEEDED"};
constexpr std::array<Code, 7> kWho = {
    "MISSING_API_KEY", "INVALID_AUTH_FORMAT", "INVALID_API_KEY_FORMAT", "INVALID_API_KEY",
    "EXPIRED_API_KEY", "UNAUTHENTICATED",     "INVALID_CREDENTIALS"};
constexpr std::array<Code, 5> kForbidden = {"IP_NOT_ALLOWED", "INSUFFICIENT_SCOPE",
                                            "PLAN_LIMIT_EXCEEDED", "FOREIGN_ORIGIN",
                                            "TIER_INSUFFICIENT"};
constexpr std::array<Code, 1> kMissing = {"NOT_FOUND"};
constexpr std::array<Code, 1> kMethod = {"METHOD_NOT_ALLOWED"};
constexpr std::array<Code, 2> kConflict = {"CONFLICT", "KEY_LIMIT_EXCEEDED"};
constexpr std::array<Code, 1> kPrecondition = {"PRECONDITION_FAILED"};
constexpr std::array<Code, 1> kLarge = {"PAYLOAD_TOO_LARGE"};
constexpr std::array<Code, 1> kMedia = {"UNSUPPORTED_MEDIA_TYPE"};
constexpr std::array<Code, 1> kOften = {"RATE_LIMIT_EXCEEDED"};
constexpr std::array<Code, 1> kLater = {"SERVICE_UNAVAILABLE"};

constexpr std::array<DescribedRefusal, 11> kRefusals = {{
    {400, "Invalid", "The path, the query, a header or the body is not valid; see details.", kBad},
    {401, "Unauthorized", "No one that we know asks.", kWho},
    {403, "Forbidden", "Anyone who asks may not do this.", kForbidden},
    {404, "NotFound", "There is no such record, or it is somebody else's.", kMissing},
    {405, "MethodNotAllowed", "The path does not answer to this method.", kMethod},
    {409, "Conflict", "It does not go with what is there.", kConflict},
    {412, "PreconditionFailed", "The record is no longer as If-Match says.", kPrecondition},
    {413, "PayloadTooLarge", "The body is too large.", kLarge},
    {415, "UnsupportedMediaType", "The body is not application/json in UTF-8.", kMedia},
    {429, "TooManyRequests", "Too many requests. Ask again after Retry-After seconds.", kOften},
    {503, "Unavailable", "Not just now. Ask again after Retry-After seconds.", kLater},
}};

}  // namespace

std::span<const DescribedRefusal> described_refusals() { return kRefusals; }

}  // namespace tilth
