// The number of successful AI requests of each user, by the month in which they were made.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "events/access/ai_request.h"
#include "events/values/month.h"
#include "projections/access/user.h"

namespace tilth {

struct AiMonth {
  Timestamp begin = {};
  std::int64_t succeeded = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("begin", begin), member("succeeded", succeeded));
  }
};

struct AiUse {
  static constexpr std::string_view kTable = "ai_use";
  static constexpr std::array<std::string_view, 1> kSorts{"user"};
  static constexpr std::array<std::string_view, 0> kFilters{};

  Id<AiUse> id;  // the bits of the user's id
  std::vector<AiMonth> months = {};

  std::int64_t in(Month month) const;

  Uuid parent() const { return {}; }
  void index_to(RowIndex& index) const { index.sort(id.uuid.key()); }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("user", id), member("months", months));
  }
};

}  // namespace tilth
