#include "api/routing/resource_route.h"
#include "query/analytics/health_score.h"
#include "query/analytics/yield_prediction.h"

namespace tilth {

std::vector<Route> analytics_routes() {
  return {
      explained(computed<AskHealthScore>("/farms/{id}/health-score", Scope::kAnalyticsRead,
                                         "Score how a farm is doing"),
                "A score of 0 to 100 from tasks, plants, soil, irrigation and crops, with "
                "alerts for what needs attention."),
      explained(computed<AskYieldPrediction>("/farms/{id}/yield-prediction", Scope::kAnalyticsRead,
                                             "Predict what a farm's crops yield"),
                "Predicts the harvest of each crop that is planned or grows, with bounds and "
                "the factors that led to it."),
  };
}

}  // namespace tilth
