// How a farm is doing, in figures: the formulas of the health score, each from what was counted to
// a score and what explains it. docs/analytics.md has their sources. Pure and exact.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/values/exact.h"
#include "events/work/task.h"

namespace tilth {

// From 0 to 100; null where nothing can be said. And why.
struct FactorScore {
  std::optional<Fraction> score;
  std::string detail;
};

// Of one priority: how many were done by their due date, were done later, and are overdue.
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
// What is left of the stand, from 0 to 1; a sick plant is half of one. Null without plants.
std::optional<Fraction> vitality(const PlantCounts& plants);
FactorScore plant_vitality(const PlantCounts& plants);
bool many_are_dying(const PlantCounts& plants);  // more than a tenth is dead

// In which a crop grows well; open where no one says.
struct PhRange {
  std::optional<Fraction> min, max;

  bool known() const { return min || max; }
};
// By how much a pH lies outside; 0 inside.
Fraction outside(const Fraction& ph, const PhRange& range);

struct FieldSoil {
  Fraction area, ph;
  std::vector<PhRange> crops = {};  // what grows there or is to, as far as that is known
};
// FallbackHandler of the range that suits the worst off of its crops, or most crops where none is
// known.
Fraction outside(const FieldSoil& field);
FactorScore soil_suitability(const std::vector<FieldSoil>& fields);

FactorScore irrigation_adherence(std::uint64_t irrigations, std::uint64_t tasks);

struct CropCounts {
  std::uint64_t all = 0, failed = 0, behind = 0;  // behind: not harvested on the day expected
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
// The weighted mean of the factors that have a score, half-even to a whole number; null without
// any.
std::optional<std::int64_t> overall(const std::vector<WeightedScore>& factors);

// Which part of all weight is of factors that have a score.
Fraction completeness(const std::vector<WeightedScore>& factors);

}  // namespace tilth
