#include "projections/access/erased_user.h"

#include "projections/fold/row_type.h"
#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<ErasedUser>;

std::optional<ErasedUser> find_erased_user(const Rows& rows, const std::string& user_id) {
  const auto bits = nanoid_bits(User::kIdPrefix, user_id);
  return bits ? rows.find(Id<ErasedUser>{*bits}) : std::nullopt;
}

// The first row that is put is the one that a response shows.
void evolve(MutableRows& rows, const UserErased& e) {
  const auto bits = nanoid_bits(User::kIdPrefix, e.user_id);
  if (!bits) return;
  rows.put(ErasedUser{{*bits}, e.user_id, e.reason, e.erased_at});
  const auto user = rows.find(Id<User>{*bits});
  if (!user) return;
  for (const auto& key : rows.list<ApiKey>(*bits, {.limit = rows.count<ApiKey>(*bits)}).rows) {
    rows.erase(key);
  }
  if (const auto identity = find_identity(rows, *user)) rows.erase(*identity);
  rows.erase(*user);
}

ResourceRows erased_user_rows() {
  return {.rows = {row_type<ErasedUser>()}, .handlers = evolving<UserErased>()};
}

}  // namespace tilth
