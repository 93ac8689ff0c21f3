#include "api/routing/resource_route.h"
#include "query/analytics/health_score.h"
#include "query/analytics/yield_prediction.h"

namespace tilth {

std::vector<Route> analytics_routes() {
  return {
      computed<AskHealthScore>("/farms/{id}/health-score", Scope::kAnalyticsRead,
                               "Score how a farm is doing"),
      computed<AskYieldPrediction>("/farms/{id}/yield-prediction", Scope::kAnalyticsRead,
                                   "Predict what a farm's crops yield"),
  };
}

}  // namespace tilth
