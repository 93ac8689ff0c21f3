// Users who were erased: only that they were, and when.

#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "events/access/erasure.h"
#include "projections/access/user.h"

namespace tilth {

// Takes the place of the user's row.
struct ErasedUser {
  static constexpr std::string_view kTable = "erased_user";
  static constexpr std::array<std::string_view, 1> kSorts{"erasedAt"};
  static constexpr std::array<std::string_view, 0> kFilters{};

  Id<ErasedUser> id;  // the bits of user_id
  std::string user_id;
  std::optional<std::string> reason = {};
  Timestamp erased_at = {};

  Uuid parent() const { return {}; }
  void index_to(RowIndex& index) const { index.sort(erased_at); }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("bits", id, {.hidden = true}), member("userId", user_id), member("reason", reason),
       member("erasedAt", erased_at));
  }
};

std::optional<ErasedUser> find_erased_user(const Rows& rows, const std::string& user_id);

}  // namespace tilth
