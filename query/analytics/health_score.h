// A farm's health score, its factors, and the alerts that need attention.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/values/computed.h"
#include "projections/land/farm.h"
#include "query/analytics/health_formulas.h"

namespace tilth {

enum class HealthFactorKey : std::uint8_t {
  kTaskTimeliness,
  kPlantVitality,
  kSoilSuitability,
  kIrrigationAdherence,
  kCropProgress,
};

constexpr auto labels(HealthFactorKey) {
  return named<HealthFactorKey>("taskTimeliness", "plantVitality", "soilSuitability",
                                "irrigationAdherence", "cropProgress");
}

struct HealthFactor {
  HealthFactorKey key = {};
  std::int64_t weight = 0;
  std::optional<Computed> score = {};
  std::string detail = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("key", key), member("weight", weight), member("score", score),
       member("detail", detail));
  }
};

enum class AlertSeverity : std::uint8_t { kInfo, kWarning, kCritical };

constexpr auto labels(AlertSeverity) { return named<AlertSeverity>("info", "warning", "critical"); }

enum class AlertCode : std::uint8_t {
  kTasksOverdue,
  kPlantsDying,
  kSoilPhOutOfRange,
  kHarvestOverdue,
};

constexpr auto labels(AlertCode) {
  return named<AlertCode>("TASKS_OVERDUE", "PLANTS_DYING", "SOIL_PH_OUT_OF_RANGE",
                          "HARVEST_OVERDUE");
}

enum class AlertEntity : std::uint8_t { kFarm, kField, kCrop };

constexpr auto labels(AlertEntity) { return named<AlertEntity>("farm", "field", "crop"); }

struct HealthAlert {
  AlertSeverity severity = {};
  AlertCode code = {};
  std::string message = {};
  AlertEntity entity_type = {};
  Uuid entity_id = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("severity", severity), member("code", code), member("message", message),
       member("entityType", entity_type), member("entityId", entity_id));
  }
};

struct HealthScore {
  FarmId farm_id;
  std::optional<std::int64_t> score = {};
  std::optional<HealthGrade> grade = {};
  std::vector<HealthFactor> factors = {};
  Computed data_completeness = {};
  std::vector<HealthAlert> alerts = {};
  Timestamp calculated_at = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("farmId", farm_id), member("score", score), member("grade", grade),
       member("factors", factors), member("dataCompleteness", data_completeness),
       member("alerts", alerts), member("calculatedAt", calculated_at));
  }
};

struct AskHealthScore {
  using Answer = HealthScore;
  static constexpr bool kAges = true;  // tasks become overdue
  FarmPath at;

  template <class Archive>
  void serialize(Archive&) {}
};

// As of `now`, up to which the rows have aged. kNotFound: there is no such farm.
Result<HealthScore> run_query(const Rows& rows, const AskHealthScore& query, Timestamp now);

}  // namespace tilth
