#include "tests/simulation/plain_analytics.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "events/json/json_writer.h"
#include "events/values/exact.h"
#include "query/analytics/health_score.h"
#include "query/analytics/yield_prediction.h"
#include "tests/simulation/plain_occurrences.h"

namespace tilth::testing {
namespace {

using Members = PlainRecords::Members;
using Score = std::optional<Fraction>;

bool is(const Members& record, std::string_view name, std::string_view text) {
  return text_in(record, name) == text;
}

std::string text_before(Timestamp now, std::chrono::days time) {
  return Timestamp{now.at - time}.text();
}

// The land and the plants of one farm.
class PlainFarm {
 public:
  PlainFarm(const PlainRecords& records, const PlainRecords* library, std::string id, Timestamp now)
      : records_(records), library_(library), id_(std::move(id)), now_(now) {}

  const std::string& id() const { return id_; }
  Timestamp now() const { return now_; }
  const Members& farm() const { return *records_.find({"farm", id_}); }
  const std::map<std::string, Members>& owners(const std::string& table) const {
    return records_.all(table);
  }

  // By id.
  std::map<std::string, Members> all(const std::string& table) const {
    std::map<std::string, Members> own;
    for (const auto& [id, record] : records_.all(table)) {
      if (is(record, "farmId", id_)) own[id] = record;
    }
    return own;
  }

  // The library's crop: of the variety, of the kind, or else the one that growers see by that name.
  const Members* kind_of(const Members& crop) const {
    if (library_ == nullptr) return nullptr;
    if (const auto* variety = linked(crop, "varietyId", "variety")) {
      return library_->find({"admin_crop", text_in(*variety, "adminCropId")});
    }
    if (const auto* kind = linked(crop, "adminCropId", "admin_crop")) return kind;
    for (const auto& [id, kind] : library_->all("admin_crop")) {
      if (is_listed(kind) && is(kind, "name", text_in(crop, "cropType"))) return &kind;
    }
    return nullptr;
  }
  const Members* linked(const Members& crop, std::string_view name, const char* table) const {
    if (library_ == nullptr || is_null(crop, name)) return nullptr;
    return library_->find({table, text_in(crop, name)});
  }

  std::string today() const {
    const auto local = now_.at + offset_at(farm().at("timezone"), now_.at);
    return Date{std::chrono::floor<std::chrono::days>(local)}.text();
  }

 private:
  const PlainRecords& records_;
  const PlainRecords* const library_;
  const std::string id_;
  const Timestamp now_;
};

bool grows(const Members& crop) {
  return !is(crop, "status", "harvested") && !is(crop, "status", "failed");
}

// Plants that are alive, sick and dead.
struct Stand {
  int alive = 0, sick = 0, dead = 0;

  void add(const Members& plant) {
    alive += is(plant, "status", "alive") ? 1 : 0;
    sick += is(plant, "status", "sick") ? 1 : 0;
    dead += is(plant, "status", "dead") ? 1 : 0;
  }
  int all() const { return alive + sick + dead; }
  Score left() const {
    if (all() == 0) return std::nullopt;
    return Fraction(alive, all()) + Fraction(sick, 2 * all());
  }
};

Score score_of_range(const Members* kind, std::string_view name) {
  return kind == nullptr || is_null(*kind, name) ? std::nullopt : Score(number_in(*kind, name));
}

// How far a pH is outside of what suits a crop.
Fraction outside(const Fraction& ph, const Score& least, const Score& most) {
  if (least && ph < *least) return *least - ph;
  return most && ph > *most ? Fraction(ph - *most) : Fraction(0);
}

// The alerts: what, how severe, and of which record.
using Alerts = std::set<std::tuple<std::string, std::string, std::string>>;

class PlainHealth {
 public:
  explicit PlainHealth(const PlainFarm& farm) : farm_(farm) {}

  std::string wrong_in(const Json& shown) {
    const std::array<std::pair<int, Score>, 5> factors{
        {{30, tasks()}, {25, plants()}, {20, soil()}, {15, irrigation()}, {10, crops()}}};
    Fraction sum = 0;
    int known = 0;
    const auto& listed = shown.find("factors")->children;
    if (listed.size() != factors.size()) return "a health score has other factors";
    for (std::size_t at = 0; at < factors.size(); ++at) {
      const auto& [weight, score] = factors[at];
      const auto& factor = listed[at].second;
      const auto expected = score ? rounded(*score, 1) : "";
      if (factor.find("score")->text != expected ||
          factor.find("weight")->text != std::to_string(weight)) {
        return "the " + factor.find("key")->text + " of a farm is not " + expected;
      }
      if (!score) continue;
      sum += weight * *score;
      known += weight;
    }
    const auto whole = known == 0 ? "" : rounded(sum / known, 0);
    if (shown.find("score")->text != whole || shown.find("grade")->text != grade_of(whole)) {
      return "the health score of a farm is not " + whole;
    }
    if (shown.find("dataCompleteness")->text != rounded(Fraction(known, 100), 2)) {
      return "the data of a farm are not so complete";
    }
    return wrong_in_alerts(shown);
  }

 private:
  static std::string grade_of(const std::string& score) {
    if (score.empty()) return "";
    const auto number = std::stoi(score);
    return number >= 85   ? "excellent"
           : number >= 70 ? "good"
           : number >= 50 ? "fair"
           : number >= 30 ? "poor"
                          : "critical";
  }

  std::string wrong_in_alerts(const Json& shown) const {
    Alerts alerts;
    for (const auto& [none, alert] : shown.find("alerts")->children) {
      alerts.emplace(alert.find("code")->text, alert.find("severity")->text,
                     alert.find("entityId")->text);
    }
    const bool same = alerts == alerts_ && alerts.size() == shown.find("alerts")->children.size();
    return same ? "" : "a farm has other alerts";
  }

  bool was_due(const Members& task, std::chrono::days within) const {
    if (is_null(task, "dueDate")) return false;
    const auto due = text_in(task, "dueDate");
    return text_before(farm_.now(), within) <= due && due <= farm_.now().text();
  }

  Score tasks() {
    const std::map<std::string, Fraction> weights{
        {"low", Fraction(1, 2)}, {"medium", 1}, {"high", Fraction(3, 2)}, {"urgent", 2}};
    Fraction done = 0, all = 0;
    bool overdue = false, urgent = false;
    for (const auto& [id, task] : farm_.all("task")) {
      const auto priority = text_in(task, "priority");
      const auto& weight = weights.at(priority);
      const bool open = is(task, "status", "pending") || is(task, "status", "in_progress");
      if (open && !is_null(task, "dueDate") && text_in(task, "dueDate") <= farm_.now().text()) {
        overdue = true;
        urgent = urgent || priority == "urgent";
        all += weight;
      } else if (is(task, "status", "completed") && was_due(task, std::chrono::days(90))) {
        const bool late = text_in(task, "dueDate") < text_in(task, "completedDate");
        all += weight;
        done += late ? Fraction(weight / 2) : weight;
      }
    }
    if (overdue) alerts_.emplace("TASKS_OVERDUE", urgent ? "critical" : "warning", farm_.id());
    return all == 0 ? Score() : Score(100 * done / all);
  }

  Score plants() {
    Stand stand;
    for (const auto& [id, plant] : farm_.all("plant")) stand.add(plant);
    if (10 * stand.dead > stand.all()) alerts_.emplace("PLANTS_DYING", "warning", farm_.id());
    const auto left = stand.left();
    return left ? Score(100 * *left) : Score();
  }

  Score soil() {
    Fraction sum = 0, area = 0;
    const auto crops = farm_.all("crop");
    for (const auto& [id, field] : farm_.all("field")) {
      if (is_null(field, "soilPh")) continue;
      const auto ph = number_in(field, "soilPh");
      std::optional<Fraction> worst;
      for (const auto& [of, crop] : crops) {
        if (!grows(crop) || !is(crop, "fieldId", id)) continue;
        const auto* kind = farm_.kind_of(crop);
        const auto least = score_of_range(kind, "soilPhMin"),
                   most = score_of_range(kind, "soilPhMax");
        if (least || most) worst = std::max(worst.value_or(0), outside(ph, least, most));
      }
      const auto by = worst ? *worst : outside(ph, Fraction(6), Fraction(15, 2));
      if (by > 0) alerts_.emplace("SOIL_PH_OUT_OF_RANGE", "warning", id);
      sum += number_in(field, "area") * std::max(Fraction(0), Fraction(100 - 50 * by));
      area += number_in(field, "area");
    }
    return area == 0 ? Score() : Score(sum / area);
  }

  Score irrigation() const {
    constexpr std::chrono::days kWindow{30};
    int irrigations = 0, planned = 0;
    for (const auto& [id, irrigation] : farm_.all("irrigation")) {
      const auto at = text_in(irrigation, "startedAt");
      irrigations += text_before(farm_.now(), kWindow) <= at && at <= farm_.now().text() ? 1 : 0;
    }
    for (const auto& [id, task] : farm_.all("task")) {
      const bool counts = is(task, "category", "irrigation") && !is(task, "status", "cancelled");
      planned += counts && was_due(task, kWindow) ? 1 : 0;
    }
    return planned == 0 ? Score()
                        : Score(std::min(Fraction(100), Fraction(100 * irrigations, planned)));
  }

  Score crops() {
    int all = 0, bad = 0;
    for (const auto& [id, crop] : farm_.all("crop")) {
      if (is(crop, "status", "planned")) continue;
      ++all;
      const bool behind = grows(crop) && !is_null(crop, "expectedHarvestDate") &&
                          text_in(crop, "expectedHarvestDate") < farm_.today();
      bad += behind || is(crop, "status", "failed") ? 1 : 0;
      if (behind) alerts_.emplace("HARVEST_OVERDUE", "info", id);
    }
    return all == 0 ? Score() : Score(100 - Fraction(100 * bad, all));
  }

  const PlainFarm& farm_;
  Alerts alerts_;
};

class PlainYield {
 public:
  explicit PlainYield(const PlainFarm& farm) : farm_(farm) {}

  std::string wrong_in(const Json& shown) const {
    std::map<std::string, const Json*> predictions, skipped;
    for (const auto& [none, each] : shown.find("predictions")->children) {
      predictions[each.find("cropId")->text] = &each;
    }
    for (const auto& [none, each] : shown.find("skipped")->children) {
      skipped[each.find("cropId")->text] = &each;
    }
    for (const auto& [id, crop] : farm_.all("crop")) {
      const auto area = hectares_of(id, crop);
      const auto base = base_of(crop);
      const bool is_predicted = grows(crop) && area && base;
      if (predictions.contains(id) != is_predicted) return "another crop's yield is predicted";
      if (is_predicted) {
        auto wrong = wrong_in_prediction(*predictions[id], id, crop, *area, *base);
        if (!wrong.empty()) return wrong;
      } else if (skipped.contains(id) != grows(crop) ||
                 (grows(crop) &&
                  skipped[id]->find("reason")->text != (area ? "no_yield_base" : "no_area"))) {
        return "another crop's yield is not predicted";
      }
    }
    return {};
  }

 private:
  using Base = std::pair<std::string, Fraction>;  // a method, and tons for a hectare

  // The simulation's farms are measured in hectares or acres.
  static Fraction unit_of(const Members& farm) {
    return is(farm, "areaUnit", "acre") ? exact("0.40468564224") : Fraction(1);
  }

  Score hectares_of(const std::string& id, const Members& crop) const {
    const auto& farm = farm_.owners("farm").at(text_in(crop, "farmId"));
    if (!is_null(crop, "area")) return number_in(crop, "area") * unit_of(farm);
    Fraction area = 0;
    for (const auto& [none, block] : farm_.owners("block")) {
      if (is(block, "cropId", id) && !is_null(block, "area")) area += number_in(block, "area");
    }
    return area == 0 ? Score() : Score(area * unit_of(farm));
  }

  std::optional<Base> base_of(const Members& crop) const {
    if (const auto own = own_history(crop)) return Base{"own_history", *own};
    const auto of = [](const Members* kind, const char* name) {
      const auto range = kind == nullptr ? Json{} : *parse_json(kind->at(name));
      const auto* typical = range.find("typical");
      return typical == nullptr || typical->text.empty() ? Score()
                                                         : Score(exact(typical->text.c_str()));
    };
    const auto of_variety = of(farm_.linked(crop, "varietyId", "variety"), "yieldOverride");
    if (of_variety) return Base{"variety", *of_variety};
    const auto of_kind = of(farm_.kind_of(crop), "yieldPerHectare");
    return of_kind ? std::optional(Base{"library", *of_kind}) : std::nullopt;
  }

  // Of the last five of the owner's harvests of that type.
  Score own_history(const Members& crop) const {
    constexpr std::size_t kLast = 5;
    std::vector<std::tuple<std::string, std::string, Fraction, Fraction>> harvests;
    for (const auto& [id, other] : farm_.owners("crop")) {
      const auto area = hectares_of(id, other);
      const bool counts = is(other, "status", "harvested") && !is_null(other, "actualYield") &&
                          is(other, "cropType", text_in(crop, "cropType")) && area;
      if (!counts) continue;
      const Fraction tons =
          number_in(other, "actualYield") / (is(other, "yieldUnit", "ton") ? 1 : 1'000);
      const bool dated = !is_null(other, "actualHarvestDate");
      harvests.emplace_back(dated ? text_in(other, "actualHarvestDate") : "", id, tons, *area);
    }
    std::ranges::sort(harvests, std::greater<>());
    if (harvests.size() > kLast) harvests.resize(kLast);
    Fraction tons = 0, area = 0;
    for (const auto& each : harvests) tons += std::get<2>(each), area += std::get<3>(each);
    return area == 0 ? Score() : Score(tons / area);
  }

  std::string wrong_in_prediction(const Json& shown, const std::string& id, const Members& crop,
                                  const Fraction& area, const Base& base) const {
    constexpr int kDigits = 3;
    Stand stand;
    const auto& blocks = farm_.owners("block");
    for (const auto& [none, plant] : farm_.all("plant")) {
      if (is(blocks.at(text_in(plant, "blockId")), "cropId", id)) stand.add(plant);
    }
    const auto survival = stand.left().value_or(1);
    const auto& field = farm_.owners("field").at(text_in(crop, "fieldId"));
    const auto* kind = farm_.kind_of(crop);
    Fraction soil = 1;
    if (!is_null(field, "soilPh")) {
      const auto by = outside(number_in(field, "soilPh"), score_of_range(kind, "soilPhMin"),
                              score_of_range(kind, "soilPhMax"));
      soil = std::max(Fraction(7, 10), Fraction(1 - by / 5));
    }
    const auto& factors = shown.find("factors")->children;
    const auto is_factor = [&](std::size_t at, const Fraction& expected) {
      return factors[at].second.find("multiplier")->text == rounded(expected, kDigits);
    };
    if (!is_factor(0, survival)) return "a crop survives otherwise";
    if (!is_factor(1, soil)) return "the soil suits a crop otherwise";
    // No one tells the library what water a crop needs.
    if (!is_factor(2, 1)) return "a crop lacks water";
    const auto says = [&](std::string_view name, const Fraction& expected) {
      return shown.find(name)->text == rounded(expected, kDigits);
    };
    const Fraction for_hectare = base.second * survival * soil;
    const bool right = shown.find("method")->text == base.first && says("areaHectares", area) &&
                       says("yieldPerHectare", for_hectare) &&
                       says("predictedYield", for_hectare * area);
    return right ? "" : "the yield of a crop is predicted otherwise";
  }

  const PlainFarm& farm_;
};

}  // namespace

std::string wrong_in_analytics(const Rows& rows, const PlainRecords& records,
                               const PlainRecords* library, Timestamp now) {
  for (const auto& [id, none] : records.all("farm")) {
    const FarmPath at{*FarmId::parse(id)};
    const auto health = run_query(rows, AskHealthScore{at}, now);
    const auto yield = run_query(rows, AskYieldPrediction{.at = at, .crop_id = {}}, now);
    if (!health || !yield) return "there is no answer about a farm";
    const PlainFarm farm(records, library, id, now);
    auto wrong = PlainHealth(farm).wrong_in(*parse_json(JsonWriter::text(*health)));
    if (wrong.empty()) wrong = PlainYield(farm).wrong_in(*parse_json(JsonWriter::text(*yield)));
    if (!wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace tilth::testing
