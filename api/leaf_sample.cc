#include "api/leaf_sample.h"

#include "command/entry.h"
#include "projections/leaf_sample.h"
#include "query/entry.h"

namespace tilth {

std::vector<Route> leaf_sample_routes() {
  constexpr std::string_view kMany = "/farms/{id}/fields/{fieldId}/blocks/{blockId}/leaf-samples";
  constexpr std::string_view kOne =
      "/farms/{id}/fields/{fieldId}/blocks/{blockId}/leaf-samples/{opId}";
  constexpr auto kRead = Scope::kFieldsRead, kWrite = Scope::kFieldsWrite;
  return {
      listing<ListEntries<LeafSample>>(kMany, kRead, "List the leaf samples"),
      creation<RecordEntry<LeafSample>, LeafSample>(kMany, kWrite, "Record a leaf sample"),
      single<EntryPath<LeafSample>, LeafSample>(kOne, kRead, "Show a leaf sample"),
      removal<RemoveEntry<LeafSample>>(kOne, kWrite, "Remove a leaf sample"),
  };
}

}  // namespace tilth
