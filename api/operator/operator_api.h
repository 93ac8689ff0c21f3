// The operator API: users, keys, state, history and the clock, for anyone who runs the service.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/http.h"
#include "api/operator/operator_parts.h"

namespace tilth {

// Threads: handle() from any.
class OperatorApi final : public HttpHandler {
 public:
  OperatorApi(OperatorParts parts, std::vector<OperatorRoute> routes);

  void handle(HttpRequest request, std::unique_ptr<Responder> responder) override;
  bool answers_from_head(const HttpRequest& head) const override;
  bool takes_large_body(const HttpRequest& head) const override;
  HttpResponse refuse(int status, std::string_view reason, const HttpRequest& heard) override;

 private:
  const OperatorParts parts_;
  const Router<OperatorRoute> router_;
};

// Every route of the operator API.
std::vector<OperatorRoute> operator_routes();

std::vector<OperatorRoute> operator_user_routes();
std::vector<OperatorRoute> operator_key_routes();
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

}  // namespace tilth
