#include "api/routing/resource_route.h"
#include "command/finance/cost.h"
#include "query/finance/cost.h"

namespace tilth {

std::vector<Route> overhead_routes() {
  constexpr std::string_view kMany = "/farms/{id}/overheads";
  constexpr std::string_view kOne = "/farms/{id}/overheads/{overheadId}";
  constexpr auto kRead = Scope::kFinanceRead, kWrite = Scope::kFinanceWrite;
  return {
      listing<ListCosts<Overhead>>(kMany, kRead, "List the overheads"),
      creation<Create<Overhead>, Overhead>(kMany, kWrite, "Record an overhead"),
      single<EntryPath<Overhead>, Overhead>(kOne, kRead, "Show an overhead"),
      removal<Delete<Overhead>>(kOne, kWrite, "Remove an overhead"),
  };
}

}  // namespace tilth
