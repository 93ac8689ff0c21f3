// A sample of leaves as a row: what a request answers.

#pragma once

#include <array>
#include <string_view>

#include "events/leaf_sample.h"
#include "projections/entry.h"

namespace tilth {

struct LeafSample : Entry<LeafSample, OnBlock, LeafSampleDetails> {
  static constexpr std::string_view kTable = "leaf_sample";
  static constexpr std::array<std::string_view, 2> kSorts{"sampledAt", "createdAt"};
  static constexpr std::array<std::string_view, 0> kFilters{};
  static constexpr std::size_t kTime = 0;

  using Recorded = LeafSampleRecorded;
  using Removed = LeafSampleRemoved;
  using Time = Timestamp;
  using ParentPath = BlockPath;
  static constexpr std::string_view kPathId = "opId";

  void index_to(RowIndex& index) const {
    index.sort_and_cut(details.sampled_at), index.sort(created_at);
  }
};

}  // namespace tilth
