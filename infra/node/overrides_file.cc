#include "infra/node/overrides_file.h"

#include <utility>
#include <vector>

#include "events/json/json_reader.h"
#include "events/json/json_writer.h"
#include "infra/system/whole_file.h"

namespace tilth {
namespace {

struct OrdersOf {
  std::string projection;
  OperatorOverrides overrides;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("projection", projection));
    overrides.serialize(ar);
  }
};

struct AllOrders {
  std::vector<OrdersOf> projections;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("projections", projections));
  }
};

}  // namespace

Status OverridesFile::open() {
  const auto kept = read_whole_file(path_);
  if (!kept) return kept.error();
  if (!*kept) return kDone;
  const auto json = parse_json(**kept);
  AllOrders all;
  Issues issues;
  if (json) JsonReader::read(*json, Reading::kStored, all, issues);
  if (!json || !issues.empty()) {
    return Error{ErrorCode::kDamaged,
                 path_.string() +
                     " does not hold overrides for projections: put it right, or remove "
                     "it if no event was ever skipped."};
  }
  const std::lock_guard lock(mutex_);
  for (auto& [projection, overrides] : all.projections) {
    by_projection_[projection] = std::move(overrides);
  }
  return kDone;
}

OperatorOverrides OverridesFile::of(const std::string& projection) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_projection_.find(projection);
  return found == by_projection_.end() ? OperatorOverrides{} : found->second;
}

Status OverridesFile::keep(const std::string& projection, const OperatorOverrides& overrides) {
  const std::lock_guard lock(mutex_);
  auto changed = by_projection_;
  changed[projection] = overrides;
  AllOrders all;
  for (const auto& [name, each] : changed) all.projections.push_back({name, each});
  const auto written = write_whole_file(path_, JsonWriter::text(all) + "\n", 0600);
  if (written) by_projection_ = std::move(changed);
  return written;
}

}  // namespace tilth
