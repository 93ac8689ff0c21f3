#include "api/routing/resource_route.h"
#include "command/finance/cost.h"
#include "query/finance/cost.h"

namespace tilth {

std::vector<Route> expense_routes() {
  constexpr std::string_view kMany = "/farms/{id}/expenses";
  constexpr std::string_view kOne = "/farms/{id}/expenses/{expenseId}";
  constexpr auto kRead = Scope::kFinanceRead, kWrite = Scope::kFinanceWrite;
  return {
      listing<ListCosts<Expense>>(kMany, kRead, "List the expenses"),
      creation<Create<Expense>, Expense>(kMany, kWrite, "Record an expense"),
      single<EntryPath<Expense>, Expense>(kOne, kRead, "Show an expense"),
      removal<Delete<Expense>>(kOne, kWrite, "Remove an expense"),
  };
}

}  // namespace tilth
