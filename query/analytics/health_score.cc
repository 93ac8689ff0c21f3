#include "query/analytics/health_score.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "projections/operations/irrigation.h"
#include "query/analytics/growing.h"
#include "query/land/crop.h"
#include "query/land/entries.h"
#include "query/land/field.h"
#include "query/work/task.h"

namespace tilth {
namespace {

constexpr std::chrono::days kTaskWindow{90}, kIrrigationWindow{30};
constexpr std::uint64_t kFieldsAtOnce = 10;

// A field without its boundaries, which can be large.
struct InspectedField {
  FieldPath at;
  std::string name;
  Decimal area;
  std::optional<Decimal> soil_ph;
};

struct Inspection {
  const Rows& rows;
  const Farm& farm;
  const Timestamp now;
  std::vector<HealthAlert> alerts = {};  // in any order

  void alert(AlertSeverity severity, AlertCode code, AlertEntity type, const Uuid& id,
             std::string message) {
    alerts.push_back({severity, code, std::move(message), type, id});
  }

  // Tasks of the farm that were due within the last `window`.
  ListTasks tasks_due(std::chrono::days window) const {
    ListTasks tasks;
    tasks.farm_id = farm.id;
    tasks.due_after = Timestamp{now.at - window};
    tasks.due_before = Timestamp{now.at + std::chrono::milliseconds(1)};
    return tasks;
  }
};

// Sorted by due date.
PageRequest by_due_date() { return {.sort = Task::kDueSort}; }

FactorScore score_tasks(Inspection& inspection) {
  TasksByPriority outcomes;
  std::uint64_t overdue = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    ListTasks tasks;
    tasks.farm_id = inspection.farm.id;
    tasks.status = TaskStatus::kOverdue;
    tasks.priority = static_cast<TaskPriority>(i);
    overdue += outcomes[i].overdue = count_rows(inspection.rows, tasks);
  }
  auto completed = inspection.tasks_due(kTaskWindow);
  completed.status = TaskStatus::kCompleted;
  for_each_row(inspection.rows, completed, by_due_date(), [&](const Task& task) {
    auto& [in_time, late, unused] = outcomes[static_cast<std::size_t>(task.details.priority)];
    task.details.completed_date <= task.details.due_date ? ++in_time : ++late;
  });
  if (overdue > 0) {
    const auto urgent = outcomes[static_cast<std::size_t>(TaskPriority::kUrgent)].overdue;
    inspection.alert(urgent > 0 ? AlertSeverity::kCritical : AlertSeverity::kWarning,
                     AlertCode::kTasksOverdue, AlertEntity::kFarm, inspection.farm.id.uuid,
                     "Overdue tasks: " + std::to_string(overdue) +
                         (urgent > 0 ? ", urgent ones: " + std::to_string(urgent) : std::string()) +
                         ".");
  }
  return task_timeliness(outcomes);
}

FactorScore score_plants(Inspection& inspection, const std::vector<InspectedField>& fields) {
  PlantCounts plants;
  for (const auto& field : fields) {
    plants += count_plants(inspection.rows, ListBlocks{field.at, {}, {}});
  }
  if (many_are_dying(plants)) {
    inspection.alert(AlertSeverity::kWarning, AlertCode::kPlantsDying, AlertEntity::kFarm,
                     inspection.farm.id.uuid,
                     "More than a tenth of the plants is dead: " + std::to_string(plants.dead) +
                         " of " + std::to_string(plants.all()) + ".");
  }
  return plant_vitality(plants);
}

FactorScore score_soil(Inspection& inspection, const std::vector<InspectedField>& fields,
                       const std::map<FieldId, std::vector<PhRange>>& ranges) {
  std::vector<FieldSoil> soils;
  for (const auto& field : fields) {
    const auto& ph = field.soil_ph;
    if (!ph) continue;
    const auto crops = ranges.find(field.at.field_id);
    soils.push_back({exact(field.area), exact(*ph),
                     crops == ranges.end() ? std::vector<PhRange>() : crops->second});
    const auto by = outside(soils.back());
    if (by == 0) continue;
    inspection.alert(AlertSeverity::kWarning, AlertCode::kSoilPhOutOfRange, AlertEntity::kField,
                     field.at.field_id.uuid,
                     "The soil's pH of " + ph->text() + " on " + field.name + " is " +
                         rounded(by, 2) + " outside of what suits what grows there.");
  }
  return soil_suitability(soils);
}

FactorScore score_irrigation(const Inspection& inspection,
                             const std::vector<InspectedField>& fields) {
  std::uint64_t irrigations = 0;
  for (const auto& field : fields) {
    const Timestamp from{inspection.now.at - kIrrigationWindow};
    irrigations += count_rows(
        inspection.rows, ListEntries<Irrigation>{field.at, {from, LastInstant{inspection.now}}});
  }
  auto tasks = inspection.tasks_due(kIrrigationWindow);
  tasks.category = TaskCategory::kIrrigation;
  const auto all = count_rows(inspection.rows, tasks);
  tasks.status = TaskStatus::kCancelled;
  return irrigation_adherence(irrigations, all - count_rows(inspection.rows, tasks));
}

// Also collects the known pH ranges of each field's crops.
FactorScore score_crops(Inspection& inspection, std::map<FieldId, std::vector<PhRange>>& ranges) {
  const auto today = date_in(inspection.farm.details.timezone, inspection.now);
  CropCounts counts;
  for (const auto& [status, name] : labels(CropStatus{})) {
    ListCrops crops;
    crops.farm_id = inspection.farm.id;
    crops.status = status;
    if (status == CropStatus::kHarvested || status == CropStatus::kFailed) {
      const auto count = count_rows(inspection.rows, crops);
      counts.all += count;
      counts.failed += status == CropStatus::kFailed ? count : 0;
      continue;
    }
    for_each_row(inspection.rows, crops, {}, [&](const Crop& crop) {
      const auto range = ph_range(kind_of(inspection.rows, crop).crop);
      if (range.known()) ranges[crop.field_id].push_back(range);
      if (crop.details.status == CropStatus::kPlanned) return;
      ++counts.all;
      const auto& expected = crop.details.expected_harvest_date;
      if (!expected || *expected >= today) return;
      ++counts.behind;
      inspection.alert(AlertSeverity::kInfo, AlertCode::kHarvestOverdue, AlertEntity::kCrop,
                       crop.id.uuid,
                       "The harvest of " + crop.details.crop_type + " was expected on " +
                           expected->text() + ".");
    });
  }
  return crop_progress(counts);
}

}  // namespace

Result<HealthScore> run_query(const Rows& rows, const AskHealthScore& query, Timestamp now) {
  const auto farm = find(rows, query.at);
  if (!farm) return Error{ErrorCode::kNotFound, "There is no such farm."};
  Inspection inspection{rows, *farm, now};
  std::vector<InspectedField> fields;
  for_each_row(
      rows, ListFields{query.at, {}}, {},
      [&](const Field& field) {
        const auto& details = field.details;
        fields.push_back({{field.farm_id, field.id}, details.name, details.area, details.soil_ph});
      },
      kFieldsAtOnce);
  std::map<FieldId, std::vector<PhRange>> ranges;
  auto progress = score_crops(inspection, ranges);

  HealthScore health{farm->id};
  std::vector<WeightedScore> scores;
  const auto add = [&](HealthFactorKey key, std::int64_t weight, FactorScore factor) {
    health.factors.push_back(
        {key, weight, factor.score ? std::optional(computed(*factor.score, 1)) : std::nullopt,
         std::move(factor.detail)});
    scores.push_back({weight, std::move(factor.score)});
  };
  add(HealthFactorKey::kTaskTimeliness, 30, score_tasks(inspection));
  add(HealthFactorKey::kPlantVitality, 25, score_plants(inspection, fields));
  add(HealthFactorKey::kSoilSuitability, 20, score_soil(inspection, fields, ranges));
  add(HealthFactorKey::kIrrigationAdherence, 15, score_irrigation(inspection, fields));
  add(HealthFactorKey::kCropProgress, 10, std::move(progress));

  health.score = overall(scores);
  if (health.score) health.grade = grade_of(*health.score);
  health.data_completeness = computed(completeness(scores), 2);
  health.alerts = std::move(inspection.alerts);
  std::sort(health.alerts.begin(), health.alerts.end(), [](const auto& a, const auto& b) {
    return std::pair(a.code, a.entity_id) < std::pair(b.code, b.entity_id);
  });
  health.calculated_at = now;
  return health;
}

}  // namespace tilth
