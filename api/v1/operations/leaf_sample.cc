#include "projections/operations/leaf_sample.h"

#include "api/routing/resource_route.h"
#include "command/record.h"
#include "query/land/entries.h"

namespace tilth {

std::vector<Route> leaf_sample_routes() {
  constexpr std::string_view kMany = "/farms/{id}/fields/{fieldId}/blocks/{blockId}/leaf-samples";
  constexpr std::string_view kOne =
      "/farms/{id}/fields/{fieldId}/blocks/{blockId}/leaf-samples/{opId}";
  constexpr auto kRead = Scope::kFieldsRead, kWrite = Scope::kFieldsWrite;
  return {
      listing<ListEntries<LeafSample>>(kMany, kRead, "List the leaf samples"),
      creation<Create<LeafSample>, LeafSample>(kMany, kWrite, "Record a leaf sample"),
      single<EntryPath<LeafSample>, LeafSample>(kOne, kRead, "Show a leaf sample"),
      removal<Delete<LeafSample>>(kOne, kWrite, "Remove a leaf sample"),
  };
}

}  // namespace tilth
