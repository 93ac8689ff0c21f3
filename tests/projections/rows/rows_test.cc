#include "projections/rows/rows.h"

#include <algorithm>
#include <random>

#include "projections/rows/bulk_rows.h"
#include "projections/rows/lists/list_scan.h"
#include "query/land/crop.h"
#include "query/market/price_report.h"
#include "tests/fixtures/land.h"

namespace tilth::testing {
namespace {

// Crops have four filters, two of them links, and four sorts. A plain vector models the rows.
class CropLists : public ::testing::Test {
 protected:
  template <class T>
  const T& any(const std::vector<T>& of) {
    return of[random() % of.size()];
  }

  CropDetails<Own> some_details() {
    CropDetails<Own> details{.crop_type = any(kTypes)};
    if (random() % 3 > 0) details.planting_date = any(kDates);
    if (random() % 3 > 0) details.expected_harvest_date = any(kDates);
    details.status = any(kStatuses);
    return details;
  }

  void put_one() {
    put_row();
    rows().put(crops.back());
  }

  void put_row() {
    Uuid uuid;
    for (auto& byte : uuid.bytes) byte = static_cast<std::uint8_t>(random());
    const auto field = any(kFields);
    crops.push_back({{uuid}, farm_of(field), field, some_details(), some_time(), kThen});
  }

  void amend_one() {
    auto& crop = crops[random() % crops.size()];
    crop.details = some_details();
    rows().put(crop);
  }

  void erase_one() {
    std::swap(crops[random() % crops.size()], crops.back());
    rows().erase(crops.back());
    crops.pop_back();
  }

  // Asks for pages anywhere in a list, by random filters.
  void expect_pages(const Rows& read, int questions);

  static FarmId farm_of(const FieldId& field) {
    return field == id<FieldId>('3') ? id<FarmId>('2') : id<FarmId>('1');
  }
  Timestamp some_time() { return {kThen.at + std::chrono::milliseconds(random() % 5)}; }
  MutableRows rows() { return {store, "user_1", 0}; }

  std::mt19937 random{11};
  RowBatch store;
  std::vector<Crop> crops;

  const std::vector<std::string> kTypes{"Dates", "dates", "Wheat", "Fig", "W"};
  const std::vector<Date> kDates{parsed<Date>("2026-01-01"), parsed<Date>("2026-01-02"),
                                 parsed<Date>("1969-12-31")};
  const std::vector<CropStatus> kStatuses{CropStatus::kPlanned, CropStatus::kGrowing,
                                          CropStatus::kFailed};
  const std::vector<FieldId> kFields{id<FieldId>('1'), id<FieldId>('2'), id<FieldId>('3')};
};

std::optional<std::string> sort_key(const Crop& crop, std::size_t sort) {
  const auto& details = crop.details;
  const auto of = [](const std::optional<Date>& date) {
    return date ? std::optional(date->text()) : std::nullopt;
  };
  return sort == 0   ? crop.created_at.text()
         : sort == 1 ? of(details.planting_date)
         : sort == 2 ? of(details.expected_harvest_date)
                     : std::optional(details.crop_type);
}

bool is_asked_for(const Crop& crop, const ListCrops& query) {
  return (!query.farm_id || crop.farm_id == query.farm_id) &&
         (!query.field_id || crop.field_id == query.field_id) &&
         (!query.status || crop.details.status == query.status) &&
         (!query.crop_type || fold_case(crop.details.crop_type) == fold_case(*query.crop_type));
}

std::vector<CropId> expected(const std::vector<Crop>& crops, const ListCrops& query,
                             const PageRequest& page) {
  std::vector<std::pair<std::optional<std::string>, CropId>> sorted;
  for (const auto& crop : crops) {
    if (is_asked_for(crop, query)) sorted.emplace_back(sort_key(crop, page.sort), crop.id);
  }
  std::ranges::sort(sorted, [&](const auto& a, const auto& b) {
    if (a.first.has_value() != b.first.has_value()) return a.first.has_value();
    return page.order == Order::kAscending ? a < b : b < a;
  });
  std::vector<CropId> ids;
  for (const auto& [key, id] : sorted) ids.push_back(id);
  return ids;
}

void CropLists::expect_pages(const Rows& read, int questions) {
  for (int i = 0; i < questions; ++i) {
    ListCrops query;
    if (random() % 3 == 0) query.farm_id = farm_of(any(kFields));
    if (random() % 3 == 0) query.field_id = any(kFields);
    if (random() % 3 == 0) query.status = any(kStatuses);
    if (random() % 3 == 0) query.crop_type = any(kTypes);
    PageRequest page{.page = 1,
                     .limit = random() % 30 + 1,
                     .sort = random() % 4,
                     .order = random() % 2 == 0 ? Order::kAscending : Order::kDescending};
    const auto all = expected(crops, query, page);
    page.page += random() % (all.size() / page.limit + 2);
    const auto listed = *run_query(read, query, page);
    ASSERT_EQ(listed.total, all.size());
    std::vector<CropId> shown;
    for (const auto& crop : listed.rows) shown.push_back(crop.id);
    const auto begin = std::min<std::size_t>((page.page - 1) * page.limit, all.size());
    const auto end = std::min<std::size_t>(begin + page.limit, all.size());
    const std::vector<CropId> wanted(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                     all.begin() + static_cast<std::ptrdiff_t>(end));
    ASSERT_EQ(shown, wanted) << "page " << page.page << ", sort " << page.sort;
  }
}

TEST_F(CropLists, ShowWhatAPlainVectorShowsByAnyFiltersAndAnySort) {
  for (int round = 0; round < 12; ++round) {
    for (int i = 0; i < 40; ++i) put_one();
    for (int i = 0; i < 40; ++i) amend_one();
    for (int i = 0; i < 12; ++i) erase_one();
    ASSERT_NO_FATAL_FAILURE(expect_pages(rows(), 60));
  }
}

// Large enough that the list is scanned, most of its runs found in the cache.
TEST_F(CropLists, ShowTheSameWhereTheyAreLarge) {
  ScanCache cache{ListPartsCache(1 << 20), ListBlockCache(4 << 20), ListCountCache(1'024)};
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 2'200; ++i) put_one();
    for (int i = 0; i < 300; ++i) amend_one();
    for (int i = 0; i < 200; ++i) erase_one();
    ASSERT_NO_FATAL_FAILURE(expect_pages(Rows(store, "user_1", 0, {.scanned = &cache}), 20));
    for (int i = 0; i < 3; ++i) {
      amend_one();
      ASSERT_NO_FATAL_FAILURE(expect_pages(Rows(store, "user_1", 0, {.scanned = &cache}), 6));
    }
    ASSERT_NO_FATAL_FAILURE(expect_pages(rows(), 6));
  }
  EXPECT_GT(cache.blocks.bytes(), 10'000U) << "the test needs scans";
}

TEST_F(CropLists, ShowTheSameWhereTheyHaveSeveralSections) {
  BulkRows bulk("user_1");
  for (int i = 0; i < 40'000; ++i) {
    put_row();
    MutableRows(bulk, "user_1", 0).put(crops.back());
  }
  bulk.take([&](std::string_view key, std::string_view value) {
    store.put(std::string(key), std::string(value));
  });
  ScanCache cache{ListPartsCache(1 << 20), ListBlockCache(4 << 20), ListCountCache(1'024)};
  for (int round = 0; round < 4; ++round) {
    ASSERT_NO_FATAL_FAILURE(expect_pages(Rows(store, "user_1", 0, {.scanned = &cache}), 8));
    for (int i = 0; i < 3; ++i) put_one(), amend_one(), erase_one();
  }
  EXPECT_GT(cache.counts.size(), 8U) << "the test needs sections";
}

TEST_F(CropLists, AreBuiltAtOnceAsTheyAreKept) {
  for (int i = 0; i < 2'000; ++i) put_one();
  for (int i = 0; i < 500; ++i) amend_one();
  for (int i = 0; i < 100; ++i) erase_one();
  BulkRows bulk("user_1");
  for (const auto& crop : crops) MutableRows(bulk, "user_1", 0).put(crop);
  RowBatch built;
  bulk.take([&](std::string_view key, std::string_view value) {
    built.put(std::string(key), std::string(value));
  });
  EXPECT_TRUE(store.changes() == built.changes());
}

TEST_F(CropLists, AreTheSameByteForByteWhateverTheirHistory) {
  for (int i = 0; i < 300; ++i) put_one();
  for (int i = 0; i < 500; ++i) amend_one();
  for (int i = 0; i < 100; ++i) erase_one();
  RowBatch straight;
  for (const auto& crop : crops) MutableRows(straight, "user_1", 0).put(crop);
  EXPECT_TRUE(store.changes() == straight.changes());
  while (!crops.empty()) erase_one();
  EXPECT_TRUE(store.changes().empty());
}

// Price reports have a time, filters, and a default sort that is not the time.
void expect_reports(int size, int questions) {
  std::mt19937 random(5);
  RowBatch store;
  MutableRows rows(store, "user_1", 0);
  std::vector<PriceReport> reports;
  const auto day = [&] {
    return Date{parsed<Date>("2026-01-01").day + std::chrono::days(random() % 40)};
  };
  const std::vector<FarmId> farms{id<FarmId>('1'), id<FarmId>('2')};
  const std::vector<std::string> names{"Dates", "Wheat", "Fig"};
  for (int i = 0; i < size; ++i) {
    PriceReport report;
    for (auto& byte : report.id.uuid.bytes) byte = static_cast<std::uint8_t>(random());
    report.where = {farms[random() % 2]};
    report.details.crop_name = names[random() % 3];
    report.details.observed_on = day();
    report.created_at = {kThen.at + std::chrono::milliseconds(random() % 50)};
    rows.put(report);
    if (i % 7 == 0)
      rows.erase(report);
    else
      reports.push_back(report);
  }
  for (int i = 0; i < questions; ++i) {
    ListPriceReports query;
    if (random() % 2 == 0) query.farm_id = farms[random() % 2];
    if (random() % 2 == 0) query.crop_name = names[random() % 3];
    if (random() % 4 != 0) query.period.from = day();
    if (random() % 4 != 0) query.period.to = LastDate{day()};
    const PageRequest page{.page = random() % 3 * static_cast<std::uint64_t>(size) / 700 + 1,
                           .limit = random() % 60 + 1,
                           .sort = random() % 2,
                           .order = random() % 2 == 0 ? Order::kAscending : Order::kDescending};
    auto wanted = reports;
    std::erase_if(wanted, [&](const PriceReport& report) {
      const auto observed = report.details.observed_on;
      return (query.farm_id && report.where.farm_id != query.farm_id) ||
             (query.crop_name && report.details.crop_name != query.crop_name) ||
             (query.period.from && observed < *query.period.from) ||
             (query.period.to && *query.period.to < observed);
    });
    std::sort(wanted.begin(), wanted.end(), [&](const PriceReport& a, const PriceReport& b) {
      const auto key = [&](const PriceReport& report) {
        return std::pair(
            page.sort == 0 ? report.created_at.text() : report.details.observed_on.text(),
            report.id);
      };
      return page.order == Order::kAscending ? key(a) < key(b) : key(b) < key(a);
    });
    const auto listed = *run_query(rows, query, page);
    ASSERT_EQ(listed.total, wanted.size());
    std::vector<PriceReportId> shown, expected;
    for (const auto& row : listed.rows) shown.push_back(row.id);
    for (auto at = (page.page - 1) * page.limit; at < wanted.size() && expected.size() < page.limit;
         ++at) {
      expected.push_back(wanted[at].id);
    }
    ASSERT_EQ(shown, expected) << "sort " << page.sort << " of " << listed.total;
  }
}

TEST(ListsOfAPeriod, ShowWhatAPlainVectorShowsByAnyFiltersAndAnySort) { expect_reports(700, 300); }

TEST(ListsOfAPeriod, ShowTheSameWhereTheyAreLarge) { expect_reports(5'000, 80); }

TEST(UniqueKeys, BelongToOneParentAndFollowTheRow) {
  const auto other = BlockPath{kFarm.farm_id, kField.field_id, id<BlockId>('e')};
  auto spec = given_plant().given(block_registered(other));
  const auto wearer = [&](const BlockPath& block, std::string_view tag) {
    return spec.rows().find_unique<Plant>(block.block_id.uuid, tag);
  };
  EXPECT_EQ(wearer(kBlock, "qr-7"), kPlant.plant_id);
  EXPECT_EQ(wearer(other, "qr-7"), std::nullopt);
  EXPECT_EQ(wearer(kBlock, "qr"), std::nullopt);
  spec.given(PlantAmended{kPlant.plant_id, {.tag_id = {"qr-8"}}, kNow});
  EXPECT_EQ(wearer(kBlock, "qr-7"), std::nullopt);
  EXPECT_EQ(wearer(kBlock, "qr-8"), kPlant.plant_id);
  spec.given(PlantAmended{kPlant.plant_id, {.notes = {"Tall"}}, kNow});
  EXPECT_EQ(wearer(kBlock, "qr-8"), kPlant.plant_id);
}

TEST(Rows, KeepStreamsApart) {
  RowBatch store;
  fold(store, "user_1", farm_registered());
  fold(store, "user_11", farm_registered(kFarm, "Another"));
  fold(store, "user_1", FarmRemoved{kFarm.farm_id, kNow});
  const Rows theirs(store, "user_11", 0), none(store, "user_1", 0);
  EXPECT_EQ(theirs.find(kFarm.farm_id)->details.name, "Another");
  EXPECT_EQ(theirs.count<Farm>({}), 1U);
  EXPECT_EQ(none.count<Farm>({}), 0U);
  EXPECT_FALSE(none.find(kFarm.farm_id));
  EXPECT_FALSE(none.find_unique<Farm>({}, "Another"));
}

TEST(Rows, TellTheRowThatAnEventIsAbout) {
  RowBatch store;
  fold(store, "user_1", farm_registered());
  MutableRows rows(store, "user_1", 1);
  EXPECT_FALSE(rows.first_put());
  evolve(rows, FarmAmended{kFarm.farm_id, {.name = {"Oasis"}}, kNow});
  ASSERT_TRUE(rows.first_put());
  EXPECT_EQ(rows.first_put()->table, "farm");
  EXPECT_EQ(RowCodec<Farm>::decode(rows.first_put()->bytes).details.name, "Oasis");
  EXPECT_EQ(rows.version(), 1U);
}

TEST(Rows, SortTextByCodePoint) {
  auto spec = given_farm();
  const std::vector<std::string> names{"",  "A", "A!",       "AA",
                                       "B", "a", "\xC3\xA4", "\xF0\x9F\x8C\xB4"};
  char digit = '0';
  for (const auto& name : names) {
    spec.given(field_registered({kFarm.farm_id, id<FieldId>(digit++)}, name));
  }
  const auto listed = spec.rows().list<Field>(
      kFarm.farm_id.uuid, {.sort = 1, .order = Order::kAscending, .limit = 100});
  std::vector<std::string> shown;
  for (const auto& field : listed.rows) shown.push_back(field.details.name);
  EXPECT_EQ(shown, names);
}

}  // namespace
}  // namespace tilth::testing
