#include "api/keys/operator_ring.h"

#include <mutex>
#include <utility>

#include "api/keys/key_digest.h"
#include "events/log/streams.h"
#include "projections/access/operator.h"

namespace tilth {

std::string OperatorIdentity::actor_of(const std::string& name) {
  const std::string actor(kOperatorActor);
  return name == kBuiltInOperator ? actor : actor + ":" + name;
}

std::shared_ptr<const OperatorIdentity> OperatorIdentity::of(const std::string& name,
                                                             OperatorRole role) {
  return std::make_shared<const OperatorIdentity>(OperatorIdentity{name, role, actor_of(name)});
}

void OperatorRing::fill(const Rows& rows) {
  const auto all = rows.list<Operator>({}, {.limit = rows.count<Operator>({})});
  const std::unique_lock lock(mutex_);
  for (const auto& each : all.rows) {
    if (!each.removed_at) put(each.id, {each.name, each.role, each.token_digest});
  }
}

// Identities are shared with the callers of find(), so they are replaced, never changed.
void OperatorRing::put(const OperatorId& id, Known known) {
  erase(id);
  by_digest_.insert_or_assign(known.digest, OperatorIdentity::of(known.name, known.role));
  operators_.insert_or_assign(id.text(), std::move(known));
}

void OperatorRing::erase(const OperatorId& id) {
  const auto found = operators_.find(id.text());
  if (found == operators_.end()) return;
  by_digest_.erase(found->second.digest);
  operators_.erase(found);
}

void OperatorRing::on_event(const Event& event) {
  const std::unique_lock lock(mutex_);
  const auto change = [&](const OperatorId& id, const auto& by) {
    const auto found = operators_.find(id.text());
    if (found == operators_.end()) return;
    auto known = found->second;
    by(known);
    put(id, std::move(known));
  };
  if (const auto* added = event.get_if<OperatorAdded>()) {
    put(added->operator_id, {added->name, added->role, added->token_digest});
  } else if (const auto* amended = event.get_if<OperatorAmended>()) {
    change(amended->operator_id, [&](Known& known) { known.role = amended->role; });
  } else if (const auto* rotated = event.get_if<OperatorTokenRotated>()) {
    change(rotated->operator_id, [&](Known& known) { known.digest = rotated->token_digest; });
  } else if (const auto* removed = event.get_if<OperatorRemoved>()) {
    erase(removed->operator_id);
  }
}

std::shared_ptr<const OperatorIdentity> OperatorRing::find(const std::string& digest) const {
  const std::shared_lock lock(mutex_);
  const auto found = by_digest_.find(digest);
  if (found == by_digest_.end()) return nullptr;
  // As KeyRing::find(): the digest cannot be targeted without the secret.
  return KeyDigest::same(found->first, digest) ? found->second : nullptr;
}

}  // namespace tilth
