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
      explained(listing<ListEntries<LeafSample>>(kMany, kRead, "List the leaf samples"),
                "Lists the leaf samples of one block; `from` and `to` bound their time."),
      explained(creation<Create<LeafSample>, LeafSample>(kMany, kWrite, "Record a leaf sample"),
                "Records what a laboratory found in the leaves of a block."),
      single<EntryPath<LeafSample>, LeafSample>(kOne, kRead, "Show a leaf sample"),
      removal<Delete<LeafSample>>(kOne, kWrite, "Remove a leaf sample"),
  };
}

}  // namespace tilth
