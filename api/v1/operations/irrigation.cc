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
      listing<ListEntries<Irrigation>>(kMany, kRead, "List the irrigations"),
      creation<Create<Irrigation>, Irrigation>(kMany, kWrite, "Record an irrigation"),
      single<EntryPath<Irrigation>, Irrigation>(kOne, kRead, "Show an irrigation"),
      removal<Delete<Irrigation>>(kOne, kWrite, "Remove an irrigation"),
  };
}

}  // namespace tilth
