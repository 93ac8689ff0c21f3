// The demo farm: a small oasis to work with at once, created through the API like any other farm.

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/demo_api.h"
#include "app/cli/commands/demo_neighbors.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/progress.h"
#include "app/cli/engine/table.h"
#include "app/node/shipped_library.h"
#include "events/values/time.h"
#include "infra/config/config.h"

namespace tilth::cli {
namespace {

constexpr auto kEmail = "demo@example.org";
constexpr int kRows = 10, kPalmsInARow = 10;
constexpr double kSpacing = 8;  // meters
constexpr double kLat = 24.4392, kLng = 39.6173;
constexpr double kMetersPerDegree = 111'320;

constexpr auto kFarm = R"({
  "name": "Quba Oasis", "description": "Date palms with fodder and vegetables between them.",
  "city": "Medina", "country": "SA", "timezone": "Asia/Riyadh", "location": {"lat": 24.4392, "lng": 39.6173},
  "totalArea": "18.4", "areaUnit": "hectare", "soilType": "sandy loam", "irrigationSystem": "drip",
  "irrigationFlowRatePerEmitter": 8, "emittersPerPlant": 4, "dripLineSpacingMeters": "0.5"})";

// What became of a field, its crop or its block later.
struct DemoChange {
  enum class Of { kField, kCrop, kBlock } of;
  const char* changes;
};
struct DemoField {
  const char* library_crop;
  const char* field;
  const char* crop;                  // without farmId and fieldId
  const char* block;                 // without cropId
  std::array<DemoChange, 5> season;  // one after the other, while the other fields have theirs
};
using enum DemoChange::Of;
constexpr std::array kFields{
    DemoField{
        "Date Palm",
        R"({"name": "Palm grove", "area": "9.6", "soilType": "sandy loam", "soilPh": "7.8",
            "boundaries": {"type": "Polygon", "coordinates": [[[39.6173, 24.4392], [39.6203, 24.4392],
                           [39.6203, 24.4421], [39.6173, 24.4421], [39.6173, 24.4392]]]}})",
        R"({"cropType": "Date palm", "variety": "Ajwa", "plantingDate": "2014-02-20", "area": "9.6",
            "plantCount": 1400, "yieldUnit": "ton"})",
        R"({"name": "Grove A", "plantingDate": "2014-02-20", "plantCount": 100, "spacingX": 8, "spacingY": 8,
            "area": "0.64", "geometry": {"type": "Point", "coordinates": [39.6177, 24.4396]},
            "gridMetadata": {"pattern": "square", "rowCount": 10, "columnCount": 10, "rowOrientation": 90,
                             "originLatLng": [24.4392, 39.6173]}})",
        {DemoChange{kField, R"({"status": "planted"})"},
         DemoChange{kBlock, R"({"status": "planted"})"},
         DemoChange{kCrop, R"({"status": "growing"})"},
         DemoChange{kBlock, R"({"status": "mature"})"},
         DemoChange{kCrop, R"({"expectedYield": "62"})"}}},
    DemoField{
        "Alfalfa",
        R"({"name": "South meadow", "area": "5.2", "soilType": "loam", "soilPh": "7.4", "status": "preparing",
            "customIrrigationSystem": "pivot",
            "boundaries": {"type": "Polygon", "coordinates": [[[39.6173, 24.4362], [39.6196, 24.4362],
                           [39.6196, 24.4375], [39.6173, 24.4375], [39.6173, 24.4362]]]}})",
        R"({"cropType": "Alfalfa", "plantingDate": "2025-10-05", "expectedHarvestDate": "2026-12-15", "area": "5.2",
            "expectedYield": "80", "yieldUnit": "ton"})",
        R"({"name": "Meadow", "plantingDate": "2025-10-05", "area": "5.2"})",
        {DemoChange{kField, R"({"status": "planted"})"},
         DemoChange{kField,
                    R"({"boundaries": {"type": "Polygon", "coordinates": [[[39.6173, 24.4362],
                                [39.6196, 24.4362], [39.6196, 24.4388], [39.6173, 24.4388], [39.6173, 24.4362]]]}})"},
         DemoChange{kBlock, R"({"status": "planted"})"},
         DemoChange{kCrop, R"({"status": "growing", "expectedYield": "95"})"},
         DemoChange{kBlock, R"({"status": "established"})"}}},
    DemoField{
        "Tomato",
        R"({"name": "Well garden", "area": "2.1", "soilType": "loam", "soilPh": "6.9", "status": "planted",
            "boundaries": {"type": "Polygon", "coordinates": [[[39.6205, 24.4395], [39.6221, 24.4395],
                           [39.6221, 24.4408], [39.6205, 24.4408], [39.6205, 24.4395]]]}})",
        R"({"cropType": "Tomato", "variety": "Roma", "plantingDate": "2025-11-01", "expectedHarvestDate": "2026-03-10",
            "area": "2.1", "plantCount": 21000, "expectedYield": "80", "yieldUnit": "ton", "status": "planted"})",
        R"({"name": "Beds 1-12", "plantingDate": "2025-11-01", "plantCount": 21000, "spacingX": "1.5",
            "spacingY": "0.5", "status": "planted"})",
        {DemoChange{kCrop, R"({"status": "growing"})"},
         DemoChange{kBlock, R"({"status": "established"})"},
         DemoChange{kBlock, R"({"status": "harvested"})"},
         DemoChange{
             kCrop,
             R"({"status": "harvested", "actualHarvestDate": "2026-03-04", "actualYield": "88.5"})"},
         DemoChange{kField,
                    R"({"status": "fallow", "notes": "Rests until the tomatoes go in again."})"}}},
};

// A task on the farm, without farmId and dueDate, the days until it is due, if it is, and what was
// done with it later.
struct DemoTask {
  const char* task;
  std::optional<int> due_in_days;
  const char* changes = nullptr;
};
constexpr std::array kTasks{
    DemoTask{
        R"({"title": "Clean the drip filters", "category": "irrigation", "priority": "high", "assignedTo": "Khalid",
                 "estimatedDuration": "2 hours", "fieldName": "Palm grove"})",
        -2},
    DemoTask{R"({"title": "Bag the date bunches", "category": "pest_control", "assignedTo": "Yusuf",
                 "description": "Against birds and rain, before the fruit turns.", "fieldName": "Palm grove"})",
             5},
    DemoTask{
        R"({"title": "Cut the alfalfa", "category": "harvesting", "priority": "urgent",
                 "assignedTo": "Salma", "fieldName": "South meadow"})",
        1, R"({"status": "in_progress"})"},
    DemoTask{R"({"title": "Order tomato seedlings", "category": "planning", "priority": "low"})",
             30},
    DemoTask{R"({"title": "Check the pump's oil", "category": "maintenance", "assignedTo": "Yusuf",
                 "estimatedDuration": "30 minutes"})",
             1},
    DemoTask{R"({"title": "Flush the drip lines", "category": "irrigation", "assignedTo": "Khalid",
                 "fieldName": "Palm grove", "estimatedDuration": "3 hours"})",
             2},
    DemoTask{
        R"({"title": "Prune the lower fronds", "category": "maintenance", "assignedTo": "Yusuf",
                 "fieldName": "Palm grove"})",
        9},
    DemoTask{R"({"title": "Harvest the second cut", "category": "harvesting",
                 "assignedTo": "Salma", "fieldName": "South meadow"})",
             -18, R"({"status": "completed", "completionNotes": "2,140 bales, dry enough."})"},
    DemoTask{R"({"title": "Spread compost under the palms", "category": "fertilization",
                 "assignedTo": "Khalid", "fieldName": "Palm grove"})",
             -33, R"({"status": "completed", "completionNotes": "Two barrows a palm."})"},
    DemoTask{R"({"title": "Repair the fence at the wadi", "category": "maintenance",
                 "priority": "low"})",
             -11, R"({"status": "cancelled", "notes": "The neighbor did it."})"},
    DemoTask{R"({"title": "Test the well water", "category": "inspection"})",
             {},
             R"({"status": "completed", "completionNotes": "Salinity 1.1 dS/m, as last year."})"},
};

constexpr std::array kTemplates{
    R"({"name": "Walk the palm rows", "category": "inspection", "priority": "medium", "estimatedDuration": "3 hours",
        "defaultAssignee": "Khalid",
        "description": "Look for yellow fronds, weevil holes and broken emitters; note the labels."})",
    R"({"name": "Service the pivot", "category": "maintenance", "priority": "high", "estimatedDuration": "1 day",
        "description": "Tire pressure, gear oil, nozzles; run it once around without water."})",
};

// Without farmId, templateId and startDate.
constexpr auto kEveryWeek =
    R"({"pattern": "weekly", "daysOfWeek": [1, 4], "generateDaysBefore": 7, "assignedTo": "Khalid"})";

// The paths of the palm grove's records.
struct Grove {
  std::string farm, field, crop, block;
  std::string market = "/market";
};

// An entry about the grove: the record it is about, and how many days ago it was made.
struct DemoEntry {
  std::string Grove::*on;
  const char* kind;
  const char* time;
  int days_ago;
  const char* body;  // without farmId and `time`
};
constexpr std::array kEntries{
    DemoEntry{&Grove::field, "/irrigations", "startedAt", 12,
              R"({"durationMinutes": 180, "waterVolume": "410", "method": "drip"})"},
    DemoEntry{&Grove::field, "/irrigations", "startedAt", 5,
              R"({"durationMinutes": 165, "waterVolume": "385", "method": "drip",
                  "notes": "Cooler, so less."})"},
    DemoEntry{&Grove::field, "/soil-samples", "sampledAt", 40,
              R"({"lab": "Medina Soil Laboratory", "depthFromCm": 0, "depthToCm": 30,
                  "texture": "sandy_loam", "ph": "7.8", "ec": "2.4", "organicMatter": "0.9",
                  "nitrogen": "22", "phosphorus": "11", "potassium": "180",
                  "location": {"lat": 24.4405, "lng": 39.6188}})"},
    DemoEntry{&Grove::block, "/fertigations", "appliedAt", 12,
              R"({"product": "Potassium nitrate", "amount": "25", "unit": "kg", "nPercent": 13,
                  "pPercent": 0, "kPercent": 46, "waterVolume": 40, "ec": "1.9", "ph": "6.4"})"},
    DemoEntry{&Grove::block, "/leaf-samples", "sampledAt", 38,
              R"({"lab": "Medina Soil Laboratory", "tissue": "leaf",
                  "growthStage": "Before flowering", "nitrogen": "2.3", "phosphorus": "0.13",
                  "potassium": "1.1"})"},
    DemoEntry{&Grove::farm, "/expenses", "transactionDate", 17,
              R"({"amount": "1840", "category": "fuel", "note": "For the pump."})"},
    DemoEntry{&Grove::farm, "/expenses", "transactionDate", 27,
              R"({"amount": "620", "currency": "EUR", "category": "equipment",
                  "note": "Drip lines from Spain."})"},
    DemoEntry{&Grove::farm, "/expenses", "transactionDate", 33,
              R"({"amount": "2650", "category": "fertilizer", "note": "Compost, 12 loads."})"},
    DemoEntry{&Grove::farm, "/expenses", "transactionDate", 29,
              R"({"amount": "7200", "category": "labor", "note": "The harvest crew."})"},
    DemoEntry{&Grove::farm, "/expenses", "transactionDate", 64,
              R"({"amount": "1180", "category": "packaging"})"},
    DemoEntry{&Grove::farm, "/overheads", "transactionDate", 22,
              R"({"amount": "6400", "category": "salaries", "period": "monthly"})"},
    DemoEntry{&Grove::farm, "/overheads", "transactionDate", 60,
              R"({"amount": "9000", "category": "insurance", "period": "yearly"})"},
    DemoEntry{&Grove::crop, "/sales", "saleDate", 30,
              R"({"quantity": "4.2", "unit": "ton", "pricePerUnit": "18500",
                  "buyer": "Medina Date Market"})"},
    DemoEntry{&Grove::crop, "/sales", "saleDate", 24,
              R"({"quantity": "6.8", "unit": "ton", "pricePerUnit": "17900",
                  "buyer": "Medina Date Market"})"},
    DemoEntry{&Grove::crop, "/sales", "saleDate", 13,
              R"({"quantity": "350", "unit": "kg", "pricePerUnit": "26",
                  "buyer": "Quba Hotel", "note": "Picked and boxed by hand."})"},
    DemoEntry{&Grove::market, "/price-reports", "observedOn", 9,
              R"({"cropName": "Date palm", "price": "19", "unit": "per_kg", "quantity": 500})"},
    DemoEntry{&Grove::market, "/price-reports", "observedOn", 4,
              R"({"cropName": "Tomato", "price": "3.1", "unit": "per_kg"})"},
};

std::string palm(int row, int place) {
  const double north = row * kSpacing / kMetersPerDegree;
  const double east =
      place * kSpacing / (kMetersPerDegree * std::cos(kLat * std::numbers::pi / 180));
  char body[256];
  std::snprintf(body, sizeof body,
                R"({"label": "A-%02d-%02d", "tagId": "QR-A%02d%02d", "plantedAt": "2014-02-20", )"
                R"("position": {"lat": %.6f, "lng": %.6f}, "status": "alive"})",
                row + 1, place + 1, row + 1, place + 1, kLat + north, kLng + east);
  return body;
}

bool falls_sick(int palm) { return palm % 37 == 17; }

// The farm's first tasks, due by the service's clock, and their templates and schedule.
Status make_work(DemoApi& api, const std::string& farm, Timestamp now) {
  const auto farm_id = R"("farmId": ")" + farm + '"';
  std::string walk;
  for (const auto* body : kTemplates) {
    const auto made = api.make("/templates", with(farm_id, body));
    if (!made) return made.error();
    if (walk.empty()) walk = *made;
  }
  const auto every_week = api.make(
      "/recurring-tasks", with(farm_id + R"(, "templateId": ")" + walk + R"(", "startDate": ")" +
                                   now.text().substr(0, 10) + R"(T06:30:00+03:00")",
                               kEveryWeek));
  if (!every_week) return every_week.error();
  std::vector<std::pair<std::string, const char*>> changes;
  for (const auto& [body, due_in_days, later] : kTasks) {
    auto members = farm_id;
    if (due_in_days) {
      const Timestamp due{now.at + std::chrono::days(*due_in_days)};
      members += R"(, "dueDate": ")" + due.text() + '"';
    }
    const auto made = api.make("/tasks", with(members, body));
    if (!made) return made.error();
    if (later != nullptr) changes.emplace_back("/tasks/" + *made, later);
  }
  for (const auto& [task, later] : changes) {
    if (const auto changed = api.change(task, later); !changed) return changed;
  }
  return kDone;
}

Status make_palms(DemoApi& api, const std::string& block) {
  Progress progress("Making the demo farm");
  std::vector<std::string> sick;
  for (int palms = 0; palms < kRows * kPalmsInARow; ++palms) {
    progress.reach(palms, kRows * kPalmsInARow, std::to_string(palms) + " palms");
    const auto plant =
        api.make(block + "/plants", palm(palms / kPalmsInARow, palms % kPalmsInARow));
    if (!plant) return plant.error();
    if (falls_sick(palms)) sick.push_back(block + "/plants/" + *plant);
  }
  for (const auto& plant : sick) {
    const auto changed = api.change(plant, R"({"status": "sick", "notes": "Yellow fronds."})");
    if (!changed) return changed;
  }
  return kDone;
}

// The paths of a field, its crop and its block.
struct Planted {
  std::string field, crop, block;

  const std::string& of(DemoChange::Of what) const {
    return what == kField ? field : what == kCrop ? crop : block;
  }
};

// The season of all fields side by side, so that the history of the farm is worth a walk.
Status pass_season(DemoApi& api, const std::vector<Planted>& land) {
  for (std::size_t step = 0; step < kFields[0].season.size(); ++step) {
    for (std::size_t i = 0; i < land.size(); ++i) {
      const auto& [what, changes] = kFields.at(i).season.at(step);
      if (const auto changed = api.change(land[i].of(what), changes); !changed) return changed;
    }
  }
  return kDone;
}

Status make_farm(DemoApi& api) {
  const auto farms = api.get("/farms");
  if (!farms) return farms.error();
  if (!farms->find("data")->children.empty()) return kDone;
  const auto made = api.create("/farms", kFarm);
  if (!made) return made.error();
  const auto& farm = made->find("id")->text;
  const auto now = Timestamp::parse(made->find("createdAt")->text).value();
  const auto farm_path = "/farms/" + farm;
  std::vector<Planted> land;
  for (const auto& [library_crop, field_body, crop_body, block_body, season] : kFields) {
    const auto fields = farm_path + "/fields";
    const auto field = api.make(fields, field_body);
    if (!field) return field.error();
    const auto on_farm = R"("farmId": ")" + farm + '"';
    const auto of_library = api.library_member(library_crop);
    if (!of_library) return of_library.error();
    const auto members =
        with(*of_library, with(on_farm + R"(, "fieldId": ")" + *field + '"', crop_body));
    if (!of_library->empty()) {
      const auto listed = api.make("/user-crops", "{" + *of_library + ", " + on_farm + "}");
      if (!listed) return listed.error();
    }
    const auto crop = api.make("/crops", members);
    if (!crop) return crop.error();
    const auto blocks = fields + "/" + *field + "/blocks";
    const auto block = api.make(blocks, with(R"("cropId": ")" + *crop + '"', block_body));
    if (!block) return block.error();
    land.push_back({fields + "/" + *field, "/crops/" + *crop, blocks + "/" + *block});
  }
  const Grove grove{farm_path, land[0].field, land[0].crop, land[0].block};
  if (const auto made_palms = make_palms(api, grove.block); !made_palms) return made_palms;
  if (const auto passed = pass_season(api, land); !passed) return passed;
  for (const auto& [on, kind, time, days_ago, body] : kEntries) {
    const auto members = R"("farmId": ")" + farm + R"(", )" + days_before(time, now, days_ago);
    const auto entry = api.make(grove.*on + kind, with(members, body));
    if (!entry) return entry.error();
  }
  return make_work(api, farm, now);
}

// The URL of the service's REST API; for a service on every address, its loopback address.
Result<std::string> api_of(OperatorApi& operators) {
  const auto addresses = operators.get("addresses");
  if (!addresses) return addresses.error();
  auto listen = HostPort::parse(addresses->find("data")->find("listen")->text).value_or(HostPort{});
  if (listen.host == "0.0.0.0") listen.host = "127.0.0.1";
  if (listen.host == "::") listen.host = "::1";
  return "http://" + listen.text();
}

ExitStatus load_demo(const Arguments& arguments) {
  auto operators = OperatorApi::connect(arguments);
  if (!operators) return failed(operators.error().message);
  const auto named = arguments.find("--api");
  const auto api_url = named ? *named : api_of(*operators);
  if (!api_url) return failed(api_url.error().message);
  const auto& url = *api_url;
  const auto templates =
      operators->send_text("POST", "templates/import", std::string(shipped_templates()));
  if (!templates) return failed(templates.error().message);
  const auto key = mint_demo_key(*operators, {kEmail, "Demo", "summit"});
  if (!key) return failed(key.error().message);
  DemoApi api(url, *key);
  if (const auto made = make_farm(api); !made) return failed(made.error().message);
  if (const auto made = make_neighbors(*operators, url); !made) {
    return failed(made.error().message);
  }
  // Last, since only what follows tells it.
  const auto password = set_demo_password(*operators, kEmail);
  if (!password) return failed(password.error().message);
  if (arguments.has("--json")) {
    Json answer = object_value();
    auto& demo = answer.add("data", object_value());
    demo.add("api", text_value(url));
    demo.add("key", text_value(*key));
    demo.add("email", text_value(kEmail));
    demo.add("password", text_value(*password));
    std::cout << to_text(answer) << '\n';
  } else {
    std::cout << "The demo farm is there. Sign in at " << url << " as " << kEmail
              << " with the password " << *password << "\nIts key, shown only this once: " << *key
              << "\nTry\n"
              << "  curl -H 'Authorization: Bearer " << *key << "' " << url << "/api/v1/farms\n"
              << "  curl -H 'Authorization: Bearer " << *key << "' '" << url
              << "/api/v1/market/regional-prices?country=SA'\n";
  }
  return done();
}

}  // namespace

std::vector<Command> demo_commands() {
  return {{"demo",
           "Loads the demo farm",
           "tilth demo --data /var/lib/tilth",
           {},
           service_flags(
               {{"--api", "URL",
                 "the service's REST API; by default the address at which the service listens"}}),
           load_demo}};
}

}  // namespace tilth::cli
