#include "query/finance/financial_summary.h"

#include "api/routing/resource_route.h"

namespace tilth {

std::vector<Route> financial_summary_routes() {
  auto summary =
      explained(computed<SummarizeFinances>("/farms/{id}/financial-summary", Scope::kFinanceRead,
                                            "Summarize what a farm earned and spent"),
                "Adds up sales, expenses and overheads in the farm's base currency, each at the "
                "exchange rate of its own day.");
  std::get<Operation>(summary.action).projection = kFinance;
  return {summary};
}

}  // namespace tilth
