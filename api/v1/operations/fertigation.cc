#include "projections/operations/fertigation.h"

#include "api/routing/resource_route.h"
#include "command/record.h"
#include "query/land/entries.h"

namespace tilth {

std::vector<Route> fertigation_routes() {
  constexpr std::string_view kMany = "/farms/{id}/fields/{fieldId}/blocks/{blockId}/fertigations";
  constexpr std::string_view kOne =
      "/farms/{id}/fields/{fieldId}/blocks/{blockId}/fertigations/{opId}";
  constexpr auto kRead = Scope::kFieldsRead, kWrite = Scope::kFieldsWrite;
  return {
      explained(listing<ListEntries<Fertigation>>(kMany, kRead, "List the fertigations"),
                "Lists the fertigations of one block; `from` and `to` bound their time."),
      explained(creation<Create<Fertigation>, Fertigation>(kMany, kWrite, "Record a fertigation"),
                "Records what fertilizer a block was given with its water."),
      single<EntryPath<Fertigation>, Fertigation>(kOne, kRead, "Show a fertigation"),
      removal<Delete<Fertigation>>(kOne, kWrite, "Remove a fertigation"),
  };
}

}  // namespace tilth
