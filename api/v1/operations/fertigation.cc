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
      listing<ListEntries<Fertigation>>(kMany, kRead, "List the fertigations"),
      creation<Create<Fertigation>, Fertigation>(kMany, kWrite, "Record a fertigation"),
      single<EntryPath<Fertigation>, Fertigation>(kOne, kRead, "Show a fertigation"),
      removal<Delete<Fertigation>>(kOne, kWrite, "Remove a fertigation"),
  };
}

}  // namespace tilth
