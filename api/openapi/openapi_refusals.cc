// The API's error statuses and codes, for its description.

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
constexpr std::array<Code, 2> kConflict = {"CONFLICT", "KEY_LIMIT_EXCEEDED"};
constexpr std::array<Code, 1> kPrecondition = {"PRECONDITION_FAILED"};
constexpr std::array<Code, 1> kLarge = {"PAYLOAD_TOO_LARGE"};
constexpr std::array<Code, 1> kMedia = {"UNSUPPORTED_MEDIA_TYPE"};
constexpr std::array<Code, 1> kOften = {"RATE_LIMIT_EXCEEDED"};
constexpr std::array<Code, 1> kLater = {"SERVICE_UNAVAILABLE"};

constexpr std::array<DescribedRefusal, 10> kRefusals = {{
    {400, "Invalid", "The path, the query, a header or the body is not valid; see `details`.",
     kBad},
    {401, "Unauthorized", "The request has no valid key or session.", kWho},
    {403, "Forbidden", "The caller does not have permission.", kForbidden},
    {404, "NotFound", "The record does not exist, or belongs to another owner.", kMissing},
    {409, "Conflict", "The request conflicts with the current records.", kConflict},
    {412, "PreconditionFailed", "The record has changed: its entity tag is not one of `If-Match`.",
     kPrecondition},
    {413, "PayloadTooLarge", "The body is too large.", kLarge},
    {415, "UnsupportedMediaType", "The body is not `application/json` in UTF-8, or is compressed.",
     kMedia},
    {429, "TooManyRequests", "Too many requests. Try again after `Retry-After` seconds.", kOften},
    {503, "Unavailable", "Temporarily unavailable. Try again after `Retry-After` seconds.", kLater},
}};

}  // namespace

// Those of a resource follow from its method; some dashboard routes list their own.
std::vector<int> refusals_of(const Route& route) {
  auto all = route.description->refusals;
  all.insert(all.end(), {413, 503});
  const bool mutates = route.method != "GET";
  if (route.guard != Guard::kNone) all.insert(all.end(), {401, 429});
  if (route.method == "POST" || route.method == "PUT") all.push_back(415);
  if (mutates || route.scope) all.push_back(403);
  if (route.guard != Guard::kKey) return all;
  all.push_back(400);
  if (mutates || route.pattern.find('{') != route.pattern.npos) all.push_back(404);
  if (mutates) all.push_back(409);
  if (route.method == "PUT" || route.method == "DELETE") all.push_back(412);
  return all;
}

std::span<const DescribedRefusal> described_refusals() { return kRefusals; }

}  // namespace tilth
