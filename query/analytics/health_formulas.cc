#include "query/analytics/health_formulas.h"

#include <algorithm>

namespace tilth {
namespace {

// The weight of a task of each priority.
const std::array<Fraction, 4>& weights() {
  static const std::array<Fraction, 4> kWeights{Fraction(1, 2), 1, Fraction(3, 2), 2};
  return kWeights;
}

// The range in which most crops grow well.
const PhRange& usual_range() {
  static const PhRange kRange{Fraction(6), Fraction(15, 2)};
  return kRange;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace

FactorScore task_timeliness(const TasksByPriority& tasks) {
  Fraction done, due;
  TaskOutcomes all;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto& [in_time, late, overdue] = tasks[i];
    done += weights()[i] * (Fraction(in_time) + Fraction(late) / 2);
    due += weights()[i] * (in_time + late + overdue);
    all.in_time += in_time, all.late += late, all.overdue += overdue;
  }
  if (due == 0) return {{}, "No task was due in the last 90 days, and none is overdue."};
  return {100 * done / due, counted(all.in_time + all.late + all.overdue, "task") +
                                " due: " + std::to_string(all.in_time) + " done in time, " +
                                std::to_string(all.late) + " late, " + std::to_string(all.overdue) +
                                " overdue."};
}

std::optional<Fraction> vitality(const PlantCounts& plants) {
  if (plants.all() == 0) return std::nullopt;
  return Fraction(2 * plants.alive + plants.sick, 2 * plants.all());
}

FactorScore plant_vitality(const PlantCounts& plants) {
  const auto left = vitality(plants);
  if (!left) return {{}, "There are no plants that are alive, sick or dead."};
  return {100 * *left, counted(plants.all(), "plant") + ": " + std::to_string(plants.alive) +
                           " alive, " + std::to_string(plants.sick) + " sick, " +
                           std::to_string(plants.dead) + " dead."};
}

bool many_are_dying(const PlantCounts& plants) { return 10 * plants.dead > plants.all(); }

Fraction outside(const Fraction& ph, const PhRange& range) {
  if (range.min && ph < *range.min) return *range.min - ph;
  if (range.max && ph > *range.max) return ph - *range.max;
  return 0;
}

Fraction outside(const FieldSoil& field) {
  if (field.crops.empty()) return outside(field.ph, usual_range());
  Fraction worst;
  for (const auto& range : field.crops) worst = std::max(worst, outside(field.ph, range));
  return worst;
}

FactorScore soil_suitability(const std::vector<FieldSoil>& fields) {
  Fraction suitable, area;
  std::uint64_t unsuitable = 0;
  for (const auto& field : fields) {
    const auto by = outside(field);
    suitable += field.area * std::max(Fraction(0), Fraction(100 - 50 * by));
    area += field.area;
    unsuitable += by > 0 ? 1 : 0;
  }
  if (area == 0) return {{}, "The soil's pH is known of no field."};
  return {suitable / area, counted(fields.size(), "field") + " with a known pH, " +
                               std::to_string(unsuitable) +
                               " of them outside of what suits the crops."};
}

FactorScore irrigation_adherence(std::uint64_t irrigations, std::uint64_t tasks) {
  if (tasks == 0) return {{}, "No irrigation was planned in the last 30 days."};
  return {std::min(Fraction(100), Fraction(100 * Integer(irrigations), tasks)),
          counted(irrigations, "irrigation") + " recorded in the last 30 days, " +
              std::to_string(tasks) + " planned."};
}

FactorScore crop_progress(const CropCounts& crops) {
  if (crops.all == 0) return {{}, "There are no crops that were planted."};
  return {100 - Fraction(100 * Integer(crops.failed + crops.behind), crops.all),
          counted(crops.all, "crop") + ": " + std::to_string(crops.failed) + " failed, " +
              std::to_string(crops.behind) + " past the day on which the harvest was expected."};
}

HealthGrade grade_of(std::int64_t score) {
  return score >= 85   ? HealthGrade::kExcellent
         : score >= 70 ? HealthGrade::kGood
         : score >= 50 ? HealthGrade::kFair
         : score >= 30 ? HealthGrade::kPoor
                       : HealthGrade::kCritical;
}

std::optional<std::int64_t> overall(const std::vector<WeightedScore>& factors) {
  Fraction sum;
  std::int64_t weights = 0;
  for (const auto& [weight, score] : factors) {
    if (!score) continue;
    sum += weight * *score;
    weights += weight;
  }
  if (weights == 0) return std::nullopt;
  return half_even(sum / weights).convert_to<std::int64_t>();
}

Fraction completeness(const std::vector<WeightedScore>& factors) {
  std::int64_t known = 0, all = 0;
  for (const auto& [weight, score] : factors) {
    all += weight;
    known += score ? weight : 0;
  }
  return all == 0 ? Fraction(0) : Fraction(known, all);
}

}  // namespace tilth
