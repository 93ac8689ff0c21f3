#include "projections/operations/irrigation.h"

#include "api/routing/resource_route.h"
#include "command/record.h"
#include "query/land/entries.h"

namespace tilth {

std::vector<Route> irrigation_routes() {
  constexpr std::string_view kMany = "/farms/{id}/fields/{fieldId}/irrigations";
  constexpr std::string_view kOne = "/farms/{id}/fields/{fieldId}/irrigations/{opId}";
  constexpr auto kRead = Scope::kFieldsRead, kWrite = Scope::kFieldsWrite;
  return {
      explained(listing<ListEntries<Irrigation>>(kMany, kRead, "List the irrigations"),
                "Lists the irrigations of one field; `from` and `to` bound their time."),
      explained(creation<Create<Irrigation>, Irrigation>(kMany, kWrite, "Record an irrigation"),
                "Records how long and with how much water a field was irrigated."),
      single<EntryPath<Irrigation>, Irrigation>(kOne, kRead, "Show an irrigation"),
      removal<Delete<Irrigation>>(kOne, kWrite, "Remove an irrigation"),
  };
}

}  // namespace tilth
