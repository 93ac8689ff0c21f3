#include "api/expense.h"

#include "command/cost.h"
#include "query/cost.h"

namespace tilth {

std::vector<Route> expense_routes() {
  constexpr std::string_view kMany = "/farms/{id}/expenses";
  constexpr std::string_view kOne = "/farms/{id}/expenses/{expenseId}";
  constexpr auto kRead = Scope::kFinanceRead, kWrite = Scope::kFinanceWrite;
  return {
      listing<ListCosts<Expense>>(kMany, kRead, "List the expenses"),
      creation<RecordEntry<Expense>, Expense>(kMany, kWrite, "Record an expense"),
      single<EntryPath<Expense>, Expense>(kOne, kRead, "Show an expense"),
      removal<RemoveEntry<Expense>>(kOne, kWrite, "Remove an expense"),
  };
}

}  // namespace tilth
