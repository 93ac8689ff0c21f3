// Lists of templates, which are merged from the owner's own and the global ones.

#include <random>

#include "query/work/task_template.h"
#include "tests/fixtures/land.h"

namespace tilth::testing {
namespace {

// Counts the rows that are read.
class CountedRows final : public RowReader {
 public:
  explicit CountedRows(const RowReader& rows) : rows_(rows) {}

  std::optional<std::string> get(std::string_view key) const override { return rows_.get(key); }
  std::vector<std::optional<std::string>> get_many(
      const std::vector<std::string>& keys) const override {
    read += keys.size();
    return rows_.get_many(keys);
  }
  std::unique_ptr<RowCursor> cursor() const override { return rows_.cursor(); }

  mutable std::size_t read = 0;

 private:
  const RowReader& rows_;
};

constexpr std::size_t kBound = 300, kUnbound = 700, kGlobal = 500;
constexpr std::size_t kAll = kBound + kUnbound + kGlobal;

class TemplateLists : public ::testing::Test {
 protected:
  TemplateLists() {
    std::mt19937 random(7);
    for (std::size_t i = 0; i < kAll; ++i) {
      const bool global = i >= kBound + kUnbound;
      const auto letter = static_cast<char>('a' + random() % 26);
      TaskTemplateCreated event{{{}, {}, {.name = std::string(1, letter)}, kThen}, ""};
      for (auto& byte : event.id.uuid.bytes) byte = static_cast<std::uint8_t>(random());
      event.recorded_at.at += std::chrono::milliseconds(random() % 1'000);
      if (i < kBound) event.details.farm_id = kFarm.farm_id;
      fold(store_, global ? kReferenceStream : "user_1", event);
    }
  }

  std::vector<TaskTemplateId> ids(const ListTaskTemplates& query, const PageRequest& page) {
    rows_.read = 0;
    const auto listed = run_query(Rows(rows_, "user_1", 0), query, page);
    EXPECT_EQ(listed->total, kAll);
    std::vector<TaskTemplateId> ids;
    for (const auto& row : listed->rows) ids.push_back(row.id);
    return ids;
  }

  RowBatch store_;
  CountedRows rows_{store_};
};

TEST_F(TemplateLists, HaveThePagesOfOneList) {
  for (const auto& query : {ListTaskTemplates{}, ListTaskTemplates{.farm_id = kFarm.farm_id}}) {
    for (const std::size_t sort : {0, 1}) {
      for (const auto order : {Order::kAscending, Order::kDescending}) {
        PageRequest page{1, kAll, sort, order};
        const auto all = ids(query, page);
        ASSERT_EQ(all.size(), kAll);
        page.limit = 90;
        for (const std::size_t number : {2, 4, 9, 13, 16, 17}) {
          page.page = number;
          const auto from = all.begin() + static_cast<std::ptrdiff_t>((number - 1) * page.limit);
          const auto rows = std::min(page.limit, kAll - (number - 1) * page.limit);
          EXPECT_EQ(ids(query, page), std::vector(from, from + static_cast<std::ptrdiff_t>(rows)))
              << number;
        }
      }
    }
  }
}

TEST_F(TemplateLists, ReadAboutWhatThePageHas) {
  ids({}, {1, 20});
  EXPECT_LE(rows_.read, 40U);
  ids({}, {60, 20});
  EXPECT_LE(rows_.read, 2 * (kMostSkipped + 20) + 40);
  EXPECT_TRUE(ids({}, {2'147'483'647, 100}).empty());
  EXPECT_EQ(rows_.read, 0U);
}

}  // namespace
}  // namespace tilth::testing
