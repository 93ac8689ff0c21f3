// Queries on blocks: the same rows that decisions look up.

#pragma once

#include <optional>
#include <string>

#include "projections/land/block.h"
#include "query/listing.h"

namespace tilth {

struct ListBlocks {
  using Row = Block;
  FieldPath at;
  std::optional<BlockStatus> status;
  std::optional<CropId> crop_id;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("status", status), member("cropId", crop_id));
  }
};

// kNotFound: there is no such field.
inline Result<Listed<Block>> run_query(const Rows& rows, const ListBlocks& query,
                                       const PageRequest& page) {
  if (!find(rows, query.at)) {
    return Error{ErrorCode::kNotFound, "There is no such field."};
  }
  return list_page<Block>(rows, query.at.row_id(),
                          ListFilters().add(query.status).add(query.crop_id), page);
}

}  // namespace tilth
