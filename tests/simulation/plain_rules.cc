#include "tests/simulation/plain_rules.h"

#include <algorithm>
#include <tuple>

#include "events/finance/sale.h"
#include "events/land/block.h"
#include "events/land/plant.h"
#include "events/log/catalogue.h"
#include "projections/land/crop.h"
#include "projections/land/farm.h"
#include "projections/land/field.h"
#include "projections/rows/rendered_row.h"
#include "query/work/task.h"

namespace tilth::testing {
namespace {

std::string bytes_of(const Uuid& id) { return std::string(id.key()); }

}  // namespace

bool PlainRules::counts(const Record& record) const {
  const auto& envelope = record.envelope;
  return envelope.stream_version == version_ &&
         (envelope.predecessor.empty() || envelope.predecessor == last_id_);
}

std::string PlainRules::take(const Record& record, const Event& event,
                             const CommandRequest* request, const Rows& before) {
  ++version_;
  last_id_ = record.envelope.id;
  if (const auto* block = event.get_if<BlockRegistered>()) {
    blocks_[bytes_of(block->id.uuid)] = {bytes_of(block->where.field_id.uuid),
                                         bytes_of(block->details.crop_id.uuid)};
  }
  if (const auto* block = event.get_if<BlockAmended>(); block && block->changes.crop_id.to) {
    blocks_[bytes_of(block->id.uuid)].crop = bytes_of(block->changes.crop_id.to->uuid);
  }
  if (const auto* field = event.get_if<FieldRemoved>()) remove_part(bytes_of(field->id.uuid));
  if (const auto* crop = event.get_if<CropRemoved>()) remove_part(bytes_of(crop->id.uuid));
  if (const auto* block = event.get_if<BlockRemoved>()) remove_part(bytes_of(block->id.uuid));
  if (const auto* sale = event.get_if<SaleRemoved>()) remove_part(bytes_of(sale->id.uuid));
  if (auto wrong = take_plant(event); !wrong.empty()) return wrong;
  const auto* amended = event.get_if<FarmAmended>();
  const auto* removed = event.get_if<FarmRemoved>();
  if (request != nullptr && request->if_match && (amended != nullptr || removed != nullptr)) {
    const auto farm = before.find(amended != nullptr ? amended->id : removed->id);
    const auto tag = farm ? entity_tag(render_json(*farm, record.envelope.time)) : std::string();
    if (std::ranges::find(*request->if_match, tag) == request->if_match->end()) {
      return "its If-Match did not hold";
    }
  }
  return take_farm(event, request);
}

std::string PlainRules::take_plant(const Event& event) {
  if (const auto* removed = event.get_if<PlantRemoved>()) {
    removed_parts_.insert(bytes_of(removed->id.uuid));
    for (auto& [id, block] : blocks_) block.tags.erase(bytes_of(removed->id.uuid));
  }
  if (const auto* plant = event.get_if<PlantRegistered>()) {
    block_of_[bytes_of(plant->id.uuid)] = bytes_of(plant->where.block_id.uuid);
    return take_tag(bytes_of(plant->id.uuid), plant->details.tag_id);
  }
  const auto* amended = event.get_if<PlantAmended>();
  if (amended == nullptr || !amended->changes.tag_id.to) return {};
  return take_tag(bytes_of(amended->id.uuid), *amended->changes.tag_id.to);
}

std::string PlainRules::take_tag(const std::string& plant, const std::optional<std::string>& tag) {
  auto& tags = blocks_[block_of_[plant]].tags;
  tags.erase(plant);
  if (!tag) return {};
  for (const auto& [other, its] : tags) {
    if (its == *tag) return "two plants of a block have one tag";
  }
  tags[plant] = *tag;
  return {};
}

bool PlainRules::refuses_farm(const std::string& name, std::optional<std::int64_t> limit) const {
  return (limit && std::ssize(farms_) >= *limit) ||
         std::ranges::any_of(farms_, [&](const auto& farm) { return farm.second == name; });
}

void PlainRules::remove_part(const std::string& id) {
  removed_parts_.insert(id);
  for (const auto& [block, its] : blocks_) {
    if (its.field == id || its.crop == id) removed_parts_.insert(block);
  }
}

std::string PlainRules::take_farm(const Event& event, const CommandRequest* request) {
  if (const auto* removed = event.get_if<FarmRemoved>()) {
    farms_.erase(bytes_of(removed->id.uuid));
    removed_farms_.insert(bytes_of(removed->id.uuid));
    return {};
  }
  const auto* registered = event.get_if<FarmRegistered>();
  const auto* amended = event.get_if<FarmAmended>();
  if (registered == nullptr && (amended == nullptr || !amended->changes.name.to)) return {};
  const auto id = bytes_of(registered != nullptr ? registered->id.uuid : amended->id.uuid);
  const auto name = registered != nullptr ? registered->details.name : *amended->changes.name.to;
  for (const auto& [other, its_name] : farms_) {
    if (other != id && its_name == name) return "two farms have one name";
  }
  farms_[id] = name;
  const auto limit = request != nullptr ? request->farm_limit : std::nullopt;
  if (registered != nullptr && limit && std::ssize(farms_) > *limit)
    return "there are too many farms";
  return {};
}

std::string PlainRules::check(const Rows& rows) const {
  if (rows.count<Farm>({}) != farms_.size()) return "the list of farms has another length";
  for (const auto& [id, name] : farms_) {
    const auto farm = rows.find(FarmId{Uuid::from_key(id)});
    if (!farm || farm->details.name != name) return "a farm is missing, or has another name";
  }
  return {};
}

std::string wrong_among_overdue(const Rows& rows, Timestamp listed_at) {
  constexpr PageRequest kAll{.limit = 1'000};
  const auto all = run_query(rows, ListTasks{}, kAll);
  const auto listed = run_query(rows, ListTasks{.status = TaskStatus::kOverdue}, kAll);
  if (!all || !listed) return "tasks cannot be listed";
  std::uint64_t overdue = 0;
  for (const auto& task : all->rows) {
    const auto& [due, status] = std::tie(task.details.due_date, task.details.status);
    const bool open = status == TaskStatus::kPending || status == TaskStatus::kInProgress;
    if (!open || !due || *due > listed_at) continue;
    ++overdue;
    if (std::ranges::find(listed->rows, task.id, &Task::id) == listed->rows.end()) {
      return "an overdue task is not listed as such";
    }
  }
  return listed->total == overdue ? "" : "a task is listed as overdue that is not";
}

std::optional<std::string> leftover(std::string_view key, std::string_view value,
                                    const PlainRules& rules) {
  const auto own = key.substr(std::min(key.size(), key.find('\0') + 1));
  // What a request led to is shown again for a day, whatever has become of it.
  if (own.starts_with('i') || own.starts_with('t')) return std::nullopt;
  const auto names = [&](const std::string& id) {
    return key.find(id) != key.npos || value.find(id) != value.npos;
  };
  if (std::ranges::any_of(rules.removed_farms(), names)) return "a farm that was removed";
  // A task stays, and says where it was.
  if (own.substr(std::min<std::size_t>(1, own.size())).starts_with("task")) return std::nullopt;
  if (std::ranges::any_of(rules.removed_parts(), names))
    return "a field, crop or block that was removed";
  return std::nullopt;
}

}  // namespace tilth::testing
