// The rows of operators, removed ones too.

#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "events/access/operator.h"
#include "projections/rows/rows.h"

namespace tilth {

struct Operator {
  static constexpr std::string_view kTable = "operator";
  static constexpr std::array<std::string_view, 1> kSorts{"createdAt"};
  static constexpr std::array<std::string_view, 0> kFilters{};

  OperatorId id;
  std::string name;
  OperatorRole role = {};
  std::string token_digest;
  Timestamp created_at = {};
  Timestamp updated_at = {};
  std::optional<Timestamp> removed_at = {};

  Uuid parent() const { return {}; }
  void index_to(RowIndex& index) const {
    index.sort(created_at);
    index.unique(name);
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id), member("name", name), member("role", role),
       member("tokenDigest", token_digest, {.hidden = true}), member("createdAt", created_at),
       member("updatedAt", updated_at), member("removedAt", removed_at));
  }
};

// The operator with that name; one who was removed has it, too.
std::optional<Operator> find_operator(const Rows& rows, const std::string& name);

}  // namespace tilth
