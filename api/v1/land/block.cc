#include "command/land/block.h"

#include "api/routing/resource_route.h"
#include "query/land/block.h"

namespace tilth {

std::vector<Route> block_routes() {
  constexpr std::string_view kMany = "/farms/{id}/fields/{fieldId}/blocks";
  constexpr std::string_view kOne = "/farms/{id}/fields/{fieldId}/blocks/{blockId}";
  constexpr auto kRead = Scope::kFieldsRead, kWrite = Scope::kFieldsWrite;
  return {
      explained(listing<ListBlocks>(kMany, kRead, "List the blocks", true),
                "Lists the blocks of one field."),
      explained(creation<Create<Block>, Block>(kMany, kWrite, "Create a block"),
                "A block is the part of a field on which one crop grows. Spacings and density "
                "come from the library unless they are given."),
      single<BlockPath, Block>(kOne, kRead, "Show a block"),
      amendment<Update<Block>, Block>(kOne, kWrite, "Update a block"),
      explained(removal<Delete<Block>>(kOne, kWrite, "Remove a block"),
                "Removes its plants, fertigations and leaf samples with it."),
  };
}

}  // namespace tilth
