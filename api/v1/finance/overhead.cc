#include "api/routing/resource_route.h"
#include "command/finance/cost.h"
#include "query/finance/cost.h"

namespace tilth {

std::vector<Route> overhead_routes() {
  constexpr std::string_view kMany = "/farms/{id}/overheads";
  constexpr std::string_view kOne = "/farms/{id}/overheads/{overheadId}";
  constexpr auto kRead = Scope::kFinanceRead, kWrite = Scope::kFinanceWrite;
  return {
      explained(listing<ListCosts<Overhead>>(kMany, kRead, "List the overheads"),
                "Lists what was spent on a farm as a whole; `from` and `to` bound the date."),
      explained(creation<Create<Overhead>, Overhead>(kMany, kWrite, "Record an overhead"),
                "Records money spent on a farm as a whole, such as rent. It counts once, on its "
                "date."),
      single<EntryPath<Overhead>, Overhead>(kOne, kRead, "Show an overhead"),
      removal<Delete<Overhead>>(kOne, kWrite, "Remove an overhead"),
  };
}

}  // namespace tilth
