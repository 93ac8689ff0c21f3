// The routes of /api/v1. A new resource is one line here.

#include <vector>

#include "api/analytics.h"
#include "api/block.h"
#include "api/crop.h"
#include "api/crop_library.h"
#include "api/expense.h"
#include "api/farm.h"
#include "api/fertigation.h"
#include "api/field.h"
#include "api/financial_summary.h"
#include "api/irrigation.h"
#include "api/leaf_sample.h"
#include "api/overhead.h"
#include "api/own_history.h"
#include "api/plant.h"
#include "api/platform.h"
#include "api/price_report.h"
#include "api/recurring_task.h"
#include "api/regional_prices.h"
#include "api/sale.h"
#include "api/soil_sample.h"
#include "api/task.h"
#include "api/task_template.h"

namespace tilth {

std::vector<Route> all_routes() {
  std::vector<Route> all;
  for (auto& routes : {farm_routes(),        field_routes(),           crop_routes(),
                       block_routes(),       plant_routes(),           crop_library_routes(),
                       task_routes(),        task_template_routes(),   recurring_task_routes(),
                       irrigation_routes(),  soil_sample_routes(),     fertigation_routes(),
                       leaf_sample_routes(), expense_routes(),         overhead_routes(),
                       sale_routes(),        price_report_routes(),    financial_summary_routes(),
                       analytics_routes(),   regional_prices_routes(), own_history_routes()}) {
    all.insert(all.end(), routes.begin(), routes.end());
  }
  return all;
}

}  // namespace tilth
