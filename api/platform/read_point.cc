#include "api/platform/read_point.h"

#include <utility>

#include "api/http/exchange.h"

namespace tilth {
namespace {

Error refuse(const char* header, std::string what) {
  return {ErrorCode::kInvalid, "The request is not valid.", {{header, {std::move(what)}}}};
}

}  // namespace

Result<std::optional<Position>> min_position(const HttpRequest& request) {
  const auto* header = request.header("tilth-min-position");
  if (header == nullptr) return std::optional<Position>();
  if (request.repeats("tilth-min-position")) {
    return refuse("Tilth-Min-Position", "must be given once");
  }
  const auto position = read_position_token(*header);
  if (position) return position;
  return refuse("Tilth-Min-Position", "must be the value of a Tilth-Position header");
}

Result<std::optional<Timestamp>> earlier_time(const HttpRequest& request,
                                              const Operation& operation, Timestamp now) {
  constexpr const char* kAsOf = "Tilth-As-Of";
  const auto* header = request.header("tilth-as-of");
  if (header == nullptr) return std::optional<Timestamp>();
  if (!operation.of_the_past) return refuse(kAsOf, "is not answered here");
  if (request.repeats("tilth-as-of")) return refuse(kAsOf, "must be given once");
  const auto at = Timestamp::parse(*header);
  if (!at) return refuse(kAsOf, "must be " + std::string(Timestamp::kExpected));
  if (*at > now) return refuse(kAsOf, "must not be in the future");
  return at;
}

}  // namespace tilth
