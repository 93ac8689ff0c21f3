#include "command/market/price_report.h"

#include "api/routing/resource_route.h"
#include "query/market/price_report.h"

namespace tilth {

std::vector<Route> price_report_routes() {
  constexpr std::string_view kMany = "/market/price-reports";
  constexpr std::string_view kOne = "/market/price-reports/{id}";
  constexpr auto kRead = Scope::kMarketRead, kWrite = Scope::kMarketWrite;
  return {
      explained(listing<ListPriceReports>(kMany, kRead, "List the price reports"),
                "Lists the prices that the owner has reported."),
      explained(creation<CreatePriceReport, PriceReport>(kMany, kWrite, "Report a price", kNowhere),
                "Reports a price that others paid for a crop. It counts for a year in the "
                "prices of the farm's country."),
      removal<Delete<PriceReport>>(kOne, kWrite, "Remove a price report"),
  };
}

}  // namespace tilth
