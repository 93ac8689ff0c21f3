#include "query/finance/financial_summary.h"

#include "api/routing/resource_route.h"

namespace tilth {

std::vector<Route> financial_summary_routes() {
  auto summary = computed<SummarizeFinances>("/farms/{id}/financial-summary", Scope::kFinanceRead,
                                             "Summarize what a farm earned and spent");
  std::get<Operation>(summary.action).projection = kFinance;
  return {summary};
}

}  // namespace tilth
