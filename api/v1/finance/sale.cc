#include "command/finance/sale.h"

#include "api/routing/resource_route.h"
#include "query/land/entries.h"

namespace tilth {

std::vector<Route> sale_routes() {
  constexpr std::string_view kMany = "/crops/{id}/sales";
  constexpr std::string_view kOne = "/crops/{id}/sales/{saleId}";
  constexpr auto kRead = Scope::kFinanceRead, kWrite = Scope::kFinanceWrite;
  return {
      explained(listing<ListEntries<Sale>>(kMany, kRead, "List the sales"),
                "Lists the sales of one crop."),
      explained(creation<Create<Sale>, Sale>(kMany, kWrite, "Record a sale"),
                "Records a sale of a crop's harvest; `totalAmount` is computed. Without "
                "`currency` it is in the farm's."),
      single<EntryPath<Sale>, Sale>(kOne, kRead, "Show a sale"),
      removal<Delete<Sale>>(kOne, kWrite, "Remove a sale"),
  };
}

}  // namespace tilth
