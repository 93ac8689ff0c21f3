#include "tests/simulation/chooser.h"

#include "events/log/streams.h"

namespace tilth::testing {

using namespace std::chrono_literals;

Chooser::Chooser(World& world, KnownByOwner& known, const std::string& owner, Concern concern)
    : world_(world),
      known_(known),
      own_(known[owner]),
      is_careless_(world.once_in(3)),
      concern_(concern) {}

const KnownRecords& Chooser::reference() const { return known_[std::string(kReferenceStream)]; }

Timestamp Chooser::soon() const {
  const auto later = now().at + world_.between(1s, 2s);
  return {std::chrono::floor<std::chrono::seconds>(later)};
}

// If one is known.
FarmId Chooser::other_farm(const FarmId& than) const {
  std::vector<FarmId> others = own_.farms;
  std::erase(others, than);
  return others.empty() ? than : others[world_.below(others.size())];
}

Wish Chooser::conditional(Wish wish, const Uuid& id) const {
  const auto shown = own_.tags.find(id);
  if (shown == own_.tags.end() || !once_in(3)) return wish;
  const auto& tags = shown->second;
  wish.request.if_match = {{once_in(4) ? tags[world_.below(tags.size())] : tags.back()}};
  return wish;
}

}  // namespace tilth::testing
