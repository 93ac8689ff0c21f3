#include "command/land/block.h"

#include "api/routing/resource_route.h"
#include "query/land/block.h"

namespace tilth {

std::vector<Route> block_routes() {
  constexpr std::string_view kMany = "/farms/{id}/fields/{fieldId}/blocks";
  constexpr std::string_view kOne = "/farms/{id}/fields/{fieldId}/blocks/{blockId}";
  constexpr auto kRead = Scope::kFieldsRead, kWrite = Scope::kFieldsWrite;
  return {
      listing<ListBlocks>(kMany, kRead, "List the blocks", true),
      creation<Create<Block>, Block>(kMany, kWrite, "Register a block"),
      single<BlockPath, Block>(kOne, kRead, "Show a block"),
      amendment<Update<Block>, Block>(kOne, kWrite, "Amend a block"),
      removal<Delete<Block>>(kOne, kWrite, "Remove a block"),
  };
}

}  // namespace tilth
