#include "api/financial_summary.h"

#include "query/financial_summary.h"

namespace tilth {

std::vector<Route> financial_summary_routes() {
  auto summary = computed<SummarizeFinances>("/farms/{id}/financial-summary", Scope::kFinanceRead,
                                             "Summarize what a farm earned and spent");
  summary.projection = kFinance;
  return {summary};
}

}  // namespace tilth
