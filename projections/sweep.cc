#include "projections/sweep.h"

#include <algorithm>
#include <utility>

#include "projections/booking.h"
#include "projections/expense.h"
#include "projections/farm_sums.h"
#include "projections/fertigation.h"
#include "projections/irrigation.h"
#include "projections/leaf_sample.h"
#include "projections/overhead.h"
#include "projections/plant.h"
#include "projections/price_report.h"
#include "projections/recurring_task.h"
#include "projections/sale.h"
#include "projections/soil_sample.h"
#include "projections/task.h"
#include "projections/task_template.h"
#include "projections/user_crop.h"

namespace tilth {
namespace {

using What = SweepStep::What;

// To take a row out of lists that live on costs about so many times what erasing it as it lies
// does.
constexpr std::size_t kInListsThatLiveOn = 20;

// What stands in a list, and what goes with each of it. Where the list is its parent's own, all is
// erased as it lies; where it is one of a filter's values, its rows stand in others that live on.
struct Children {
  std::string_view table;
  std::size_t filter = ListFilter::kAll;
  std::vector<What> below = {};
};

Children children(What what) {
  switch (what) {
    case What::kFieldsOfFarm:  // whose crops are among the farm's
      return {
          .table = Field::kTable,
          .below = {What::kBlocksOfField, What::kIrrigationsOfField, What::kSoilSamplesOfField}};
    case What::kCropsOfFarm:  // whose expenses are among the farm's
      return {Crop::kTable, Crop::kFarmFilter, {What::kSalesOfCrop}};
    case What::kCropsOfField:  // whose expenses are among the field's
      return {Crop::kTable, Crop::kFieldFilter, {What::kSalesOfCrop}};
    case What::kTasksOfFarm:
      return {Task::kTable, Task::kFarmFilter};
    case What::kTemplatesOfFarm:
      return {TaskTemplate::kTable, TaskTemplate::kFarmFilter};
    case What::kRulesOfFarm:
      return {RecurringTask::kTable, RecurringTask::kFarmFilter};
    case What::kUserCropsOfFarm:
      return {UserCrop::kTable, UserCrop::kFarmFilter};
    case What::kExpensesOfFarm:
      return {Expense::kTable};
    case What::kExpensesOfField:
      return {Expense::kTable, Expense::kFieldFilter};
    case What::kExpensesOfCrop:
      return {Expense::kTable, Expense::kCropFilter};
    case What::kOverheadsOfFarm:
      return {Overhead::kTable};
    case What::kPriceReportsOfFarm:
      return {PriceReport::kTable, PriceReport::kFarmFilter};
    case What::kSalesOfCrop:
      return {Sale::kTable};
    case What::kBlocksOfField:
    case What::kBlocksOfCrop:
      return {Block::kTable,
              what == What::kBlocksOfCrop ? Block::kCropFilter : ListFilter::kAll,
              {What::kPlantsOfBlock, What::kFertigationsOfBlock, What::kLeafSamplesOfBlock}};
    case What::kIrrigationsOfField:
      return {Irrigation::kTable};
    case What::kSoilSamplesOfField:
      return {SoilSample::kTable};
    case What::kPlantsOfBlock:
      return {Plant::kTable};
    case What::kFertigationsOfBlock:
      return {Fertigation::kTable};
    case What::kLeafSamplesOfBlock:
      return {LeafSample::kTable};
    case What::kBookings:
      return {Booking::kTable};
    case What::kBookedFieldsOfFarm:
      return {.table = BookedField::kTable, .below = {What::kBookings, What::kBookedCropsOfField}};
    case What::kBookedCropsOfField:
      return {.table = BookedCrop::kTable, .below = {What::kBookings}};
    case What::kSumsOfFarm:
    case What::kOne:
    case What::kLists:
      break;
  }
  return {};
}

void take_out(MutableRows& rows, const TaskTemplate& row) {
  rows.erase(row);
  visit_rules(rows, row.id.uuid, RuleVisitReason::kTemplateRemoved, row.updated_at);
}
template <class Row>
void take_out(MutableRows& rows, const Row& row) {
  rows.erase(row);
}

// The row of that table, which is one of these.
template <class... Row>
void take_out(MutableRows& rows, std::string_view table, const Uuid& id) {
  const auto take = [&](const auto& row) {
    if (row) take_out(rows, *row);
  };
  ((table == Row::kTable ? take(rows.find(Id<Row>{id})) : void()), ...);
}

}  // namespace

Sweep::Sweep(std::vector<SweepStep> steps) {
  for (auto& step : steps) left_.push_back({std::move(step)});
}

bool Sweep::advance(MutableRows& rows, std::size_t budget) {
  while (!left_.empty() && budget > 0) {
    auto step = std::move(left_.back());
    left_.pop_back();
    if (step.step.what == What::kLists || step.step.what == What::kSumsOfFarm) {
      erase_lists(rows, std::move(step), budget);
    } else if (step.step.what == What::kOne) {
      take_out<Crop, Block, Task, TaskTemplate, RecurringTask, UserCrop, Expense, PriceReport>(
          rows, step.step.table, step.step.of);
      budget -= std::min(budget, kInListsThatLiveOn);
    } else {
      erase_children(rows, std::move(step), budget);
    }
  }
  return left_.empty();
}

// Meets the children in the order of their list, from where it stopped last time.
void Sweep::erase_children(MutableRows& rows, Step step, std::size_t& budget) {
  const auto [table, filter, below] = children(step.step.what);
  const bool live_on = filter != ListFilter::kAll;
  const auto of = step.step.of, parent = live_on ? step.step.under : of;
  const auto listed = live_on ? ListFilter{filter, std::string(of.key())} : ListFilter{};
  const auto entries = RankedList::entries_prefix(rows.list_prefix(table, parent, listed), 0);
  std::vector<Uuid> found;
  bool more = false;
  {
    const auto cursor = rows.store().cursor();
    for (cursor->seek(step.after.empty() ? entries : step.after);
         cursor->valid() && cursor->key().starts_with(entries); cursor->next()) {
      if (cursor->key() == step.after) continue;
      if ((more = found.size() == budget)) break;
      found.push_back(Uuid::from_key(cursor->value().substr(0, 16)));
      step.after = cursor->key();
    }
  }
  budget -= std::min(budget, found.size());
  if (more) {
    left_.push_back(step);
  } else if (!live_on) {
    left_.push_back({{What::kLists, parent, {}, std::string(table)}});
  }
  for (const auto& child : found) {
    if (live_on) {
      left_.push_back({{What::kOne, child, {}, std::string(table)}});
    } else {
      if (step.step.what == What::kBookings) unbook(rows, {child});
      rows.store().erase(rows.row_key(table, child));
    }
    for (const auto what : below) left_.push_back({{what, child}});
  }
}

void Sweep::erase_lists(MutableRows& rows, Step step, std::size_t& budget) {
  std::vector<std::string> keys;
  bool more = false;
  const auto& [what, of, under, table] = step.step;
  const auto prefixes = what == What::kSumsOfFarm ? std::vector{FarmSums::prefix(rows, of)}
                                                  : rows.parent_prefixes(table, of);
  for (const auto& prefix : prefixes) {
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
    bytes.append(1, static_cast<char>(step.what)).append(step.of.key()).append(step.under.key());
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
