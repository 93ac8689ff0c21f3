#include "projections/sweep.h"

#include <algorithm>
#include <array>
#include <utility>

#include "projections/block.h"
#include "projections/plant.h"
#include "projections/recurring_task.h"
#include "projections/rows.h"
#include "projections/task.h"
#include "projections/task_template.h"
#include "projections/user_crop.h"

namespace tilth {
namespace {

using What = SweepStep::What;

// To take a row out of lists that live on costs about so many times what erasing it as it lies
// does.
constexpr std::size_t kInListsThatLiveOn = 20;

bool in_lists_that_live_on(What what) {
  return what == What::kCropsOfFarm || what == What::kCropsOfField || what == What::kTasksOfFarm ||
         what == What::kTemplatesOfFarm || what == What::kRulesOfFarm ||
         what == What::kUserCropsOfFarm;
}

}  // namespace

Sweep::Sweep(std::vector<SweepStep> steps) {
  for (auto& step : steps) left_.push_back({std::move(step)});
}

bool Sweep::advance(MutableRows& rows, std::size_t budget) {
  while (!left_.empty() && budget > 0) {
    auto step = std::move(left_.back());
    left_.pop_back();
    if (step.step.what == What::kLists) {
      erase_lists(rows, std::move(step), budget);
    } else if (step.step.what == What::kBlock) {
      if (const auto block = rows.find(BlockId{step.step.of})) rows.erase(*block);
      --budget;
    } else {
      erase_children(rows, std::move(step), budget);
    }
  }
  return left_.empty();
}

// Meets the children in the order of their list, from where it stopped last time.
void Sweep::erase_children(MutableRows& rows, Step step, std::size_t& budget) {
  struct Listed {
    std::string_view table;
    Uuid parent;
    ListFilter filter = {};
  };
  const auto of = step.step.of;
  const std::string of_key(of.key());
  const auto listed = [&]() -> Listed {
    switch (step.step.what) {
      case What::kFieldsOfFarm:
        return {Field::kTable, of};
      case What::kTasksOfFarm:
        return {Task::kTable, {}, {Task::kFarmFilter, of_key}};
      case What::kRulesOfFarm:
        return {RecurringTask::kTable, {}, {RecurringTask::kFarmFilter, of_key}};
      case What::kTemplatesOfFarm:
        return {TaskTemplate::kTable, {}, {TaskTemplate::kFarmFilter, of_key}};
      case What::kCropsOfFarm:
        return {Crop::kTable, {}, {Crop::kFarmFilter, of_key}};
      case What::kUserCropsOfFarm:
        return {UserCrop::kTable, {}, {UserCrop::kFarmFilter, of_key}};
      case What::kCropsOfField:
        return {Crop::kTable, {}, {Crop::kFieldFilter, of_key}};
      case What::kBlocksOfField:
        return {Block::kTable, of};
      case What::kBlocksOfCrop:
        return {Block::kTable, step.step.field, {Block::kCropFilter, of_key}};
      case What::kBlock:
      case What::kPlantsOfBlock:
      case What::kLists:
        break;
    }
    return {Plant::kTable, of};
  }();

  const auto entries =
      RankedList::entries_prefix(rows.list_prefix(listed.table, listed.parent, listed.filter), 0);
  const std::size_t each = in_lists_that_live_on(step.step.what) ? kInListsThatLiveOn : 1;
  const auto most = std::max<std::size_t>(budget / each, 1);
  std::vector<Uuid> children;
  bool more = false;
  {
    const auto cursor = rows.store().cursor();
    for (cursor->seek(step.after.empty() ? entries : step.after);
         cursor->valid() && cursor->key().starts_with(entries); cursor->next()) {
      if (cursor->key() == step.after) continue;
      if ((more = children.size() == most)) break;
      children.push_back(Uuid::from_key(cursor->value().substr(0, 16)));
      step.after = cursor->key();
    }
  }
  budget -= std::min(budget, children.size() * each);
  if (more) {
    left_.push_back(step);
  } else if (listed.filter.filter == ListFilter::kAll) {
    left_.push_back({{What::kLists, listed.parent, {}, std::string(listed.table)}});
  }
  for (const auto& child : children) {
    switch (step.step.what) {
      case What::kFieldsOfFarm:
        rows.store().erase(rows.row_key(listed.table, child));
        left_.push_back({{What::kCropsOfField, child}});
        left_.push_back({{What::kBlocksOfField, child}});
        break;
      case What::kBlocksOfField:
        rows.store().erase(rows.row_key(listed.table, child));
        left_.push_back({{What::kPlantsOfBlock, child}});
        break;
      case What::kRulesOfFarm:
        if (const auto row = rows.find(RecurringTaskId{child})) rows.erase(*row);
        break;
      case What::kTemplatesOfFarm:
        if (const auto row = rows.find(TaskTemplateId{child})) {
          rows.erase(*row);
          visit_rules(rows, child, RuleVisitReason::kTemplateRemoved, row->updated_at);
        }
        break;
      case What::kTasksOfFarm:
        if (const auto task = rows.find(TaskId{child})) rows.erase(*task);
        break;
      case What::kCropsOfFarm:
      case What::kCropsOfField:
        if (const auto crop = rows.find(CropId{child})) rows.erase(*crop);
        break;
      case What::kUserCropsOfFarm:
        if (const auto entry = rows.find(UserCropId{child})) rows.erase(*entry);
        break;
      case What::kBlocksOfCrop:
        left_.push_back({{What::kBlock, child}});
        left_.push_back({{What::kPlantsOfBlock, child}});
        break;
      case What::kBlock:
      case What::kPlantsOfBlock:
      case What::kLists:
        rows.store().erase(rows.row_key(listed.table, child));
        break;
    }
  }
}

void Sweep::erase_lists(MutableRows& rows, Step step, std::size_t& budget) {
  std::vector<std::string> keys;
  bool more = false;
  for (const auto& prefix : rows.parent_prefixes(step.step.table, step.step.of)) {
    const auto cursor = rows.store().cursor();
    for (cursor->seek(std::max(step.after, prefix));
         cursor->valid() && cursor->key().starts_with(prefix); cursor->next()) {
      if (cursor->key() == step.after) continue;
      if ((more = keys.size() == budget)) break;
      keys.emplace_back(cursor->key());
    }
    if (more) break;
  }
  budget -= std::min(budget, keys.size());
  if (more) {
    step.after = keys.back();
    left_.push_back(std::move(step));
  }
  for (auto& key : keys) rows.store().erase(std::move(key));
}

// A step is one byte, two ids and a table's name that ends in NUL.
std::string Sweep::encode(const std::vector<SweepStep>& steps) {
  std::string bytes;
  for (const auto& step : steps) {
    bytes.append(1, static_cast<char>(step.what)).append(step.of.key()).append(step.field.key());
    bytes.append(step.table).append(1, '\0');
  }
  return bytes;
}

std::vector<SweepStep> Sweep::decode(std::string_view bytes) {
  std::vector<SweepStep> steps;
  while (bytes.size() > 33) {
    const auto end = bytes.find('\0', 33);
    if (end == bytes.npos) break;
    steps.push_back({static_cast<What>(bytes[0]), Uuid::from_key(bytes.substr(1, 16)),
                     Uuid::from_key(bytes.substr(17, 16)),
                     std::string(bytes.substr(33, end - 33))});
    bytes.remove_prefix(end + 1);
  }
  return steps;
}

}  // namespace tilth
