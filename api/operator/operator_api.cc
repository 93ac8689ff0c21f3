#include "api/operator/operator_api.h"

#include <utility>

namespace tilth {

OperatorRoute operator_route(std::string_view method, std::string_view pattern,
                             std::string_view summary, OperatorHandler serve) {
  return {{.method = method, .pattern = pattern, .summary = summary, .guard = Guard::kOperator},
          std::move(serve)};
}

OperatorRoute open_route(std::string_view method, std::string_view pattern,
                         std::string_view summary, OperatorHandler serve) {
  return {{.method = method, .pattern = pattern, .summary = summary, .guard = Guard::kNone},
          std::move(serve)};
}

std::vector<OperatorRoute> operator_routes() {
  std::vector<OperatorRoute> all;
  for (auto& routes :
       {operator_operator_routes(), operator_state_routes(), operator_user_routes(),
        operator_key_routes(), operator_session_routes(), operator_request_routes(),
        operator_ai_request_routes(), operator_event_routes(), operator_import_routes(),
        operator_clock_routes(), operator_backup_routes(), operator_library_routes(),
        operator_template_routes(), operator_projection_routes(), operator_exchange_rate_routes(),
        operator_log_routes(), operator_plan_routes(), operator_trend_routes()}) {
    all.insert(all.end(), routes.begin(), routes.end());
  }
  return all;
}

}  // namespace tilth
