// Fills a data directory with the offers of very many farms in one country, and folds them.
//
// Usage: bench_fill_market DIRECTORY OFFERS FARMS   fills DIRECTORY, which must not exist, and
//                                                   prints the key and the field for queries
//        bench_fill_market                          prints the shape of the rows
// Prints one JSON object.

#include <array>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/history.h"
#include "events/finance/exchange_rate.h"
#include "events/finance/sale.h"
#include "events/land/plant.h"
#include "events/library/admin_crop.h"
#include "events/market/price_report.h"

namespace {

using namespace tilth;
using namespace tilth::bench;

constexpr std::uint64_t kFarmsOfAnOwner = 10, kCrops = 60, kDays = 360;
constexpr std::array kCurrencies = {"JPY", "USD", "EUR"};

struct FarmAndCrop {
  FarmId farm;
  CropId crop;
};

std::string crop_name(std::uint64_t number) {
  return "Kind " + std::string(1, static_cast<char>('A' + number / 26)) +
         std::string(1, static_cast<char>('a' + number % 26));
}

ExchangeRatesImported rates(Date first, Timestamp now) {
  ExchangeRatesImported all{"ECB", {}, 0, now};
  for (std::uint64_t i = 0; i <= kDays; ++i) {
    const auto yen = *Decimal::parse(std::to_string(150 + i % 17) + ".25");
    const auto dollar = *Decimal::parse("1.0" + std::to_string(10 + i % 89));
    all.days.push_back({{first.day + std::chrono::days(i)}, {{{"JPY"}, yen}, {{"USD"}, dollar}}});
  }
  return all;
}

// A farm with a field and a crop on it.
FarmAndCrop add_farm(History& history, std::uint64_t number, FieldId& field) {
  const FarmAndCrop at{{history.uuid()}, {history.uuid()}};
  field = {history.uuid()};
  FarmDetails<Own> farm;
  farm.name = "Farm " + std::to_string(number), farm.total_area = Decimal(5);
  farm.country = Country::parse("Japan");
  history.append(FarmRegistered{{at.farm, {}, farm, history.now()}});
  FieldDetails<Own> land;
  land.name = "North", land.area = Decimal(4);
  history.append(FieldRegistered{field, at.farm, land, history.now()});
  CropDetails<Own> crop;
  crop.crop_type = crop_name(number % kCrops);
  history.append(CropRegistered{at.crop, at.farm, field, crop, history.now()});
  return at;
}

Event offer(History& history, std::uint64_t number, const FarmAndCrop& at, Date first) {
  const Date day{first.day + std::chrono::days(number * 7'919 % kDays)};
  const auto price = *Decimal::parse(std::to_string(number % 9'973 + 1) + ".25");
  const Currency currency{kCurrencies[number % kCurrencies.size()]};
  if (number % 2 == 0) {
    return SaleRecorded{{{history.uuid()},
                         {at.crop, at.farm},
                         {Decimal(2), YieldUnit::kTon, price, currency, day},
                         history.now()},
                        *Decimal::product(price, Decimal(2))};
  }
  return PriceReported{
      {{history.uuid()},
       {at.farm},
       {crop_name(number / 2 % kCrops), price, PriceUnit::kPerTon, {}, currency, day},
       history.now()},
      {}};
}

void fill(const std::filesystem::path& path, std::uint64_t offers, std::uint64_t farms) {
  if (std::filesystem::exists(path)) throw std::runtime_error("DIRECTORY exists");
  const auto directory = must(DataDirectory::open(path));
  const auto log = must(EmbeddedEventLog::open(path / "log"));
  History history(*log, "tilth://" + directory.node());
  const auto [user, key] = history.add_user(directory.key_secret());
  const Date first{std::chrono::floor<std::chrono::days>(history.now().at) -
                   std::chrono::days(kDays)};
  history.begin(std::string(kReferenceStream));
  history.append(rates(first, history.now()));
  FarmAndCrop shown;
  FieldId field;
  for (std::uint64_t farm = 0, offered = 0; farm < farms; ++farm) {
    if (farm % kFarmsOfAnOwner == 0) {
      history.begin(farm == 0 ? user : history.ids().nanoid("user_"));
    }
    FieldId own;
    const auto at = add_farm(history, farm, own);
    if (farm == 0) shown = at, field = own;
    for (const auto until = offers * (farm + 1) / farms; offered < until; ++offered) {
      history.append(offer(history, offered, at, first));
    }
  }
  history.finish();
  const auto events = 3 + 3 * farms + offers;
  fold(*log, path / "views", access(), events);
  fold(*log, path / "views", registry(), events);
  const auto rate = fold(*log, path / "views", market(), events);
  std::cout << "{\"key\":\"" << key << "\",\"farm\":\"" << shown.farm.text() << "\",\"field\":\""
            << field.text() << "\",\"events\":" << events << ",\"foldedPerSecond\":" << rate << "}"
            << std::endl;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count == 4) {
    fill(arguments[1], std::stoull(arguments[2]), std::stoull(arguments[3]));
  } else {
    std::cout << "{\"shape\":\"" << registry().fingerprint << "+" << access().fingerprint << "+"
              << market().fingerprint << "\"}" << std::endl;
  }
} catch (const std::exception& error) {
  std::cerr << "bench_fill_market: " << error.what() << '\n';
  return 1;
}
