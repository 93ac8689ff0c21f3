#include "api/routing/resource_route.h"
#include "command/finance/cost.h"
#include "query/finance/cost.h"

namespace tilth {

std::vector<Route> expense_routes() {
  constexpr std::string_view kMany = "/farms/{id}/expenses";
  constexpr std::string_view kOne = "/farms/{id}/expenses/{expenseId}";
  constexpr auto kRead = Scope::kFinanceRead, kWrite = Scope::kFinanceWrite;
  return {
      explained(listing<ListCosts<Expense>>(kMany, kRead, "List the expenses"),
                "Lists what was spent on a farm; `from` and `to` bound the date."),
      explained(creation<Create<Expense>, Expense>(kMany, kWrite, "Record an expense"),
                "Records money spent on a farm, or on one of its crops or fields. Without "
                "`currency` it is in the farm's."),
      single<EntryPath<Expense>, Expense>(kOne, kRead, "Show an expense"),
      removal<Delete<Expense>>(kOne, kWrite, "Remove an expense"),
  };
}

}  // namespace tilth
