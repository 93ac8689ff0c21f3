#include "api/routing/call.h"

#include <algorithm>
#include <cstdlib>

#include "api/keys/key_ring.h"
#include "api/keys/operator_ring.h"
#include "projections/access/user.h"

namespace tilth {

std::string Call::id(std::string_view name) const {
  const auto found =
      std::find_if(path.begin(), path.end(), [&](const auto& each) { return each.first == name; });
  if (found == path.end()) std::abort();  // the route's pattern has no such name
  return std::string(found->second);
}

const std::string& Call::user_id() const { return holder ? holder->user_id : user->user_id; }
const std::string& Call::actor() const {
  if (operated_by) return operated_by->actor;
  return holder ? holder->key_id : user->user_id;
}
const std::string& Call::plan() const { return holder ? holder->plan : user->plan; }

}  // namespace tilth
