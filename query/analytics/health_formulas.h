// The formulas of the health score: each turns counts into a score and its explanation.
// docs/analytics.md has their sources. Pure and exact.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/values/exact.h"
#include "events/work/task.h"

namespace tilth {

// From 0 to 100, and the reason; null without data.
struct FactorScore {
  std::optional<Fraction> score;
  std::string detail;
};

// For one priority: tasks done by their due date, done later, and overdue.
struct TaskOutcomes {
  std::uint64_t in_time = 0, late = 0, overdue = 0;
};
using TasksByPriority = std::array<TaskOutcomes, 4>;  // in the order of TaskPriority
FactorScore task_timeliness(const TasksByPriority& tasks);

struct PlantCounts {
  std::uint64_t alive = 0, sick = 0, dead = 0;

  std::uint64_t all() const { return alive + sick + dead; }
  PlantCounts& operator+=(const PlantCounts& more) {
    alive += more.alive, sick += more.sick, dead += more.dead;
    return *this;
  }
};
// The part of the stand that is left, from 0 to 1; a sick plant counts half. Null without plants.
std::optional<Fraction> vitality(const PlantCounts& plants);
FactorScore plant_vitality(const PlantCounts& plants);
bool many_are_dying(const PlantCounts& plants);  // more than a tenth is dead

// The range in which a crop grows well; open where unknown.
struct PhRange {
  std::optional<Fraction> min, max;

  bool known() const { return min || max; }
};
// How far a pH is outside of the range; 0 inside.
Fraction outside(const Fraction& ph, const PhRange& range);

struct FieldSoil {
  Fraction area, ph;
  std::vector<PhRange> crops = {};  // of current and planned crops, as far as known
};
// How far it is outside of the ranges of its crops, at the worst, or of the range of most crops if
// none is known.
Fraction outside(const FieldSoil& field);
FactorScore soil_suitability(const std::vector<FieldSoil>& fields);

FactorScore irrigation_adherence(std::uint64_t irrigations, std::uint64_t tasks);

struct CropCounts {
  std::uint64_t all = 0, failed = 0, behind = 0;  // behind: not harvested by the day expected
};
FactorScore crop_progress(const CropCounts& crops);

enum class HealthGrade : std::uint8_t { kExcellent, kGood, kFair, kPoor, kCritical };

constexpr auto labels(HealthGrade) {
  return named<HealthGrade>("excellent", "good", "fair", "poor", "critical");
}

HealthGrade grade_of(std::int64_t score);

struct WeightedScore {
  std::int64_t weight;
  std::optional<Fraction> score;
};
// The weighted mean of the factors with a score, rounded half-even to a whole number; null without
// any.
std::optional<std::int64_t> overall(const std::vector<WeightedScore>& factors);

// The share of the total weight that factors with a score have.
Fraction completeness(const std::vector<WeightedScore>& factors);

}  // namespace tilth
