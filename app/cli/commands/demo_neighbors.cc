#include "app/cli/commands/demo_neighbors.h"

#include <array>

#include "app/cli/commands/demo_api.h"

namespace tilth::cli {
namespace {

struct Neighbor {
  const char *email, *name, *farm, *city;
  const char* dates_per_kg;      // price sold at
  const char* tomatoes_per_ton;  // price seen
};
constexpr std::array kNeighbors{
    Neighbor{"aisha@example.org", "Aisha", "Al Awali Gardens", "Medina", "18.2", "2950"},
    Neighbor{"hassan@example.org", "Hassan", "Wadi Hanifa Farm", "Riyadh", "20.5", "3200"},
    Neighbor{"layla@example.org", "Layla", "Al Ahsa Palms", "Hofuf", "16.75", "2700"},
    Neighbor{"omar@example.org", "Omar", "Buraydah Fields", "Buraydah", "15.9", "2875.5"},
    Neighbor{"nour@example.org", "Nour", "Taif Terraces", "Taif", "19", "3050"},
};

Status make_farm_of(const Neighbor& neighbor, DemoApi& api) {
  const auto farms = api.get("/farms");
  if (!farms) return farms.error();
  if (!farms->find("data")->children.empty()) return kDone;
  const auto text = [](const char* name, const char* value) {
    return '"' + std::string(name) + R"(": ")" + value + '"';
  };
  const auto farm = api.create(
      "/farms", with(text("name", neighbor.farm) + ", " + text("city", neighbor.city),
                     R"({"country": "SA", "timezone": "Asia/Riyadh", "totalArea": 12})"));
  if (!farm) return farm.error();
  const auto& id = farm->find("id")->text;
  const auto now = Timestamp::parse(farm->find("createdAt")->text).value();
  const auto on_farm = text("farmId", id.c_str());
  const auto field = api.make("/farms/" + id + "/fields", R"({"name": "Palms", "area": 8})");
  if (!field) return field.error();
  const auto of_library = api.library_member("Date Palm");
  if (!of_library) return of_library.error();
  const auto crop = api.make(
      "/crops", with(*of_library, with(on_farm + ", " + text("fieldId", field->c_str()),
                                       R"({"cropType": "Date palm", "status": "growing"})")));
  if (!crop) return crop.error();
  const auto sale = api.make(
      "/crops/" + *crop + "/sales",
      with(days_before("saleDate", now, 25) + ", " + text("pricePerUnit", neighbor.dates_per_kg),
           R"({"quantity": "1500", "unit": "kg"})"));
  if (!sale) return sale.error();
  const auto seen =
      api.make("/market/price-reports", with(on_farm + ", " + days_before("observedOn", now, 3) +
                                                 ", " + text("price", neighbor.tomatoes_per_ton),
                                             R"({"cropName": "Tomato", "unit": "per_ton"})"));
  return seen ? kDone : Status(seen.error());
}

}  // namespace

Status make_neighbors(OperatorApi& operators, const std::string& url) {
  for (const auto& neighbor : kNeighbors) {
    const auto key = mint_demo_key(operators, {neighbor.email, neighbor.name, "sprout"});
    if (!key) return key.error();
    DemoApi api(url, *key);
    if (const auto made = make_farm_of(neighbor, api); !made) return made;
  }
  return kDone;
}

}  // namespace tilth::cli
