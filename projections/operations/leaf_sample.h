// A leaf sample row, as responses show it.

#pragma once

#include <array>
#include <string_view>

#include "events/operations/leaf_sample.h"
#include "projections/land/record.h"
#include "projections/rows/goes_with.h"

namespace tilth {

struct LeafSample : Entry<LeafSample, OnBlock, LeafSampleDetails> {
  static constexpr std::string_view kTable = "leaf_sample";
  static constexpr std::array<std::string_view, 2> kSorts{"sampledAt", "createdAt"};
  static constexpr std::array<std::string_view, 0> kFilters{};
  static constexpr std::size_t kTime = 0;
  static constexpr std::array kGoesWith{goes_with<Block>()};

  using Created = LeafSampleRecorded;
  using Removed = LeafSampleRemoved;
  using Time = Timestamp;
  using ParentPath = BlockPath;
  using Path = EntryPath<LeafSample>;
  static constexpr std::string_view kPathId = "opId";

  void index_to(RowIndex& index) const {
    index.sort_and_cut(details.sampled_at), index.sort(created_at);
  }
};

}  // namespace tilth
