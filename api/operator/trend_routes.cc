// Operators see how the service fared over the last hour.

#include "api/operator/commands.h"

namespace tilth {
namespace {

void show_trends(const OperatorParts& parts, const Call& call) {
  run_aside(parts, call, [&parts, exchange = call.exchange] {
    exchange->answer(json_response(200, "{\"data\":" + parts.trends->json() + "}"));
  });
}

}  // namespace

std::vector<OperatorRoute> operator_trend_routes() {
  return {
      operator_route("GET", "/operator/v1/trends", "A few figures of the last hour", show_trends)};
}

}  // namespace tilth
