#include "api/irrigation.h"

#include "command/entry.h"
#include "projections/irrigation.h"
#include "query/entry.h"

namespace tilth {

std::vector<Route> irrigation_routes() {
  constexpr std::string_view kMany = "/farms/{id}/fields/{fieldId}/irrigations";
  constexpr std::string_view kOne = "/farms/{id}/fields/{fieldId}/irrigations/{opId}";
  constexpr auto kRead = Scope::kFieldsRead, kWrite = Scope::kFieldsWrite;
  return {
      listing<ListEntries<Irrigation>>(kMany, kRead, "List the irrigations"),
      creation<RecordEntry<Irrigation>, Irrigation>(kMany, kWrite, "Record an irrigation"),
      single<EntryPath<Irrigation>, Irrigation>(kOne, kRead, "Show an irrigation"),
      removal<RemoveEntry<Irrigation>>(kOne, kWrite, "Remove an irrigation"),
  };
}

}  // namespace tilth
