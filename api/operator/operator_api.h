// The operator API: users, keys, state, history and the clock, for those who run the service.

#pragma once

#include <vector>

#include "api/operator/operator_parts.h"

namespace tilth {

// Every route of the operator API.
std::vector<OperatorRoute> operator_routes();

std::vector<OperatorRoute> operator_operator_routes();
std::vector<OperatorRoute> operator_user_routes();
std::vector<OperatorRoute> operator_key_routes();
std::vector<OperatorRoute> operator_session_routes();
std::vector<OperatorRoute> operator_request_routes();
std::vector<OperatorRoute> operator_ai_request_routes();
std::vector<OperatorRoute> operator_state_routes();
std::vector<OperatorRoute> operator_event_routes();
std::vector<OperatorRoute> operator_import_routes();
std::vector<OperatorRoute> operator_clock_routes();
std::vector<OperatorRoute> operator_backup_routes();
std::vector<OperatorRoute> operator_library_routes();
std::vector<OperatorRoute> operator_projection_routes();
std::vector<OperatorRoute> operator_template_routes();
std::vector<OperatorRoute> operator_exchange_rate_routes();
std::vector<OperatorRoute> operator_log_routes();
std::vector<OperatorRoute> operator_plan_routes();
std::vector<OperatorRoute> operator_trend_routes();

}  // namespace tilth
