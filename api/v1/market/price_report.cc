#include "command/market/price_report.h"

#include "api/routing/resource_route.h"
#include "query/market/price_report.h"

namespace tilth {

std::vector<Route> price_report_routes() {
  constexpr std::string_view kMany = "/market/price-reports";
  constexpr std::string_view kOne = "/market/price-reports/{id}";
  constexpr auto kRead = Scope::kMarketRead, kWrite = Scope::kMarketWrite;
  return {
      listing<ListPriceReports>(kMany, kRead, "List the price reports"),
      creation<ReportPrice, PriceReport>(kMany, kWrite, "Report a price", kNowhere),
      removal<Delete<PriceReport>>(kOne, kWrite, "Remove a price report"),
  };
}

}  // namespace tilth
