#include "command/library/admin_crop.h"

#include <set>
#include <string>
#include <string_view>

namespace tilth {
namespace {

// The row with that id, else the row under `parent` with that name.
template <class Row>
std::optional<Row> find_by(const Rows& rows, const std::optional<Id<Row>>& id, const Uuid& parent,
                           const Patch<std::string>& name) {
  if (auto row = id ? rows.find(*id) : std::nullopt) return row;
  const auto named = name.to ? rows.find_unique<Row>(parent, fold_case(*name.to)) : std::nullopt;
  return named ? rows.find(*named) : std::nullopt;
}

bool is_taken(const Rows& rows, const AdminCropId& by, const std::string& name) {
  const auto named = rows.find_unique<AdminCrop>({}, fold_case(name));
  return named && *named != by;
}

void check_order(const std::optional<Figure>& lower, const std::string& lower_path,
                 const std::optional<Figure>& upper, std::string_view upper_name, Issues& issues) {
  if (!lower || !upper || *lower <= *upper) return;
  issues[lower_path].push_back("must be at most " + std::string(upper_name));
}

// `path` names the yield.
void check_yield(const std::optional<YieldRange>& yield, const std::string& path, Issues& issues) {
  if (!yield) return;
  check_order(yield->low, path + ".low", yield->typical, "typical", issues);
  check_order(yield->low, path + ".low", yield->high, "high", issues);
  check_order(yield->typical, path + ".typical", yield->high, "high", issues);
}

// `prefix` is empty, or names what has the temperatures and ends with a dot.
template <class Climate>
void check_climate(const Climate& climate, const std::string& prefix, Issues& issues) {
  check_order(climate.temperature_min_c, prefix + "temperatureMinC", climate.temperature_max_c,
              "temperatureMaxC", issues);
}

// The varieties that a command describes, each of them once.
class DescribedVarieties {
 public:
  DescribedVarieties(const Rows& rows, AdminCropId crop, const Uuid& new_id)
      : rows_(rows), crop_(crop), new_id_(new_id) {}

  void add(const DescribeVariety& described, const std::string& path, Issues& issues) {
    const auto number = ++count_;
    const auto& changes = described.changes;
    const auto known = find_by<Variety>(rows_, described.id, crop_.uuid, changes.variety_name);
    if (known && known->admin_crop_id != crop_) {
      issues[path + ".id"].emplace_back("is another crop's");
      return;
    }
    DescribedVariety variety{
        known ? known->id : described.id.value_or(VarietyId{following(new_id_, number)}),
        known ? known->details : VarietyDetails<Own>{}};
    apply(changes, variety.details);
    check_yield(variety.details.yield_override, path + ".yieldOverride", issues);
    if (const auto& climate = variety.details.climate_override) {
      check_climate(*climate, path + ".climateOverride.", issues);
    }
    const auto& name = variety.details.variety_name;
    if (name.empty()) {
      issues[path + ".varietyName"].emplace_back("is required");
      return;
    }
    const auto named = rows_.find_unique<Variety>(crop_.uuid, fold_case(name));
    const bool taken = named && *named != variety.variety_id;
    if (taken || !names_.insert(fold_case(name)).second) {
      issues[path + ".varietyName"].emplace_back("is another variety's");
    } else if (!ids_.insert(variety.variety_id).second) {
      issues[path + ".id"].emplace_back("occurs twice");
    }
    if (!known || known->details != variety.details) changed_.push_back(std::move(variety));
  }

  std::vector<DescribedVariety> take_changed() { return std::move(changed_); }

 private:
  const Rows& rows_;
  const AdminCropId crop_;
  const Uuid new_id_;  // of the command; new varieties have the ids that follow it
  std::size_t count_ = 0;
  std::set<VarietyId> ids_;
  std::set<std::string> names_;
  std::vector<DescribedVariety> changed_;
};

}  // namespace

std::optional<AdminCrop> find_described(const Rows& reference, const DescribeCrop& command) {
  return find_by<AdminCrop>(reference, command.id, {}, command.changes.name);
}

Decision decide(const Rows& rows, const DescribeCrop& command, const Context& context) {
  const auto before = find_described(rows, command);
  const auto id = before ? before->id : command.id.value_or(AdminCropId{context.new_id});
  AdminCropDescribed event{id, before ? before->details : AdminCropDetails<Own>{}, {}, context.now};
  apply(command.changes, event.details);
  Issues issues;
  if (event.details.name.empty()) {
    issues["name"].emplace_back("is required");
  } else if (is_taken(rows, id, event.details.name)) {
    issues["name"].emplace_back("is another crop's");
  }
  check_yield(event.details.yield_per_hectare, "yieldPerHectare", issues);
  check_order(event.details.soil_ph_min, "soilPhMin", event.details.soil_ph_max, "soilPhMax",
              issues);
  check_climate(event.details, "", issues);

  DescribedVarieties varieties(rows, id, context.new_id);
  for (std::size_t i = 0; i < command.varieties.size(); ++i) {
    varieties.add(command.varieties[i], "varieties." + std::to_string(i), issues);
  }
  event.varieties = varieties.take_changed();
  if (!issues.empty()) {
    return Error{ErrorCode::kInvalid, "The library document is not valid.", std::move(issues)};
  }
  const bool same = before && before->details == event.details && event.varieties.empty();
  return same ? Decision(std::nullopt) : Decision(event);
}

}  // namespace tilth
