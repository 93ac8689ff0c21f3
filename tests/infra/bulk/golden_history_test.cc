// A history that an earlier Tilth wrote always folds to the same rows as it did then.
// Histories are added, never edited. Their rows are regenerated and reviewed only for an intended
// new shape of rows: TILTH_WRITE_GOLDEN=1.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include <gtest/gtest.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "api/v1/history/event_line.h"
#include "events/json/json_writer.h"
#include "infra/bulk/bulk_fold.h"
#include "infra/embedded/memory_event_log.h"
#include "projections/access/user.h"
#include "projections/finance/booking.h"
#include "projections/finance/expense.h"
#include "projections/fold/projector.h"
#include "projections/land/plant.h"
#include "projections/market/market.h"
#include "projections/operations/irrigation.h"
#include "projections/operations/soil_sample.h"
#include "projections/rows/row_keys.h"
#include "projections/work/recurring_task.h"
#include "projections/work/rule_tasks.h"
#include "projections/work/task.h"
#include "projections/work/task_template.h"
#include "tests/fixtures/memory_projection_store.h"
#include "tests/fixtures/records.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kHistories = "tests/golden_history";

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The JSON of a row, if it is one of these.
template <class... Row>
std::string shown(std::string_view table, std::string_view bytes) {
  std::string text;
  const auto show = [&](const auto& row) { text = JsonWriter::text(row); };
  ((table == Row::kTable ? show(RowCodec<Row>::decode(bytes)) : void()), ...);
  return text;
}

// The rows, one per line, and a checksum over everything that is stored.
std::string told(const std::string& projection, const RowReader& state) {
  std::ostringstream lines;
  std::string all;
  std::size_t keys = 0;
  const auto cursor = state.cursor();
  for (cursor->seek({}); cursor->valid(); cursor->next()) {
    if (cursor->key() == "\1fingerprint") continue;
    ++keys;
    all.append(cursor->key()).append(1, '\n').append(cursor->value()).append(1, '\n');
    const auto parts = row_key_parts(cursor->key());
    if (!parts || parts->kind != kRowKey) continue;
    lines << projection << ' ' << cursor->key().substr(0, cursor->key().find('\0')) << ' '
          << parts->table << ' '
          << shown<Farm, Field, Crop, Block, Plant, Task, TaskTemplate, RecurringTask, Irrigation,
                   SoilSample, Expense, BookedFarm, BookedField, BookedCrop, Booking, User, ApiKey,
                   RuleTasks>(parts->table, cursor->value())
          << '\n';
  }
  char sum[40];
  std::snprintf(sum, sizeof sum, "%016llx",
                static_cast<unsigned long long>(XXH3_64bits(all.data(), all.size())));
  lines << projection << ": " << keys << " keys, " << sum << '\n';
  return lines.str();
}

class GoldenHistory : public ::testing::TestWithParam<fs::path> {
 protected:
  void SetUp() override {
    std::ifstream lines(GetParam());
    for (std::string line; std::getline(lines, line);) {
      auto record = read_event_line(line);
      ASSERT_TRUE(record) << record.error().message;
      append(log, std::move(*record));
      ++records;
    }
    ASSERT_GT(records, 0);
  }

  void fold_page_by_page(const Projection& projection, ProjectionStore& store) {
    Projector projector(log, store, projection, [](const auto&...) {});
    ASSERT_TRUE(projector.open());
    for (bool more = true; more;) {
      const auto folded = projector.follow(std::chrono::milliseconds(0));
      ASSERT_TRUE(folded) << folded.error().message;
      more = *folded;
    }
    EXPECT_EQ(projector.next(0), records);
  }

  MemoryEventLog log{1};
  std::int64_t records = 0;
};

TEST_P(GoldenHistory, ComesToTheRowsToWhichItCameThen) {
  const TemporaryDirectory directory{TemporaryDirectory::memory()};
  const RocksMemory memory{1 << 20, 1 << 20};
  std::string found;
  for (const auto& projection : {access(), registry(), finance()}) {
    MemoryProjectionStore store;
    fold_page_by_page(projection, store);
    const auto rows = told(projection.name, *store.snapshot());
    found += rows;
    auto bulk = RocksStore::open(directory.path(), projection.name, 1, "", memory);
    BulkFold fold(log, {{projection, **bulk}}, {{0, records}});
    ASSERT_TRUE(fold.run([] { return true; }).front());
    EXPECT_EQ(told(projection.name, *(*bulk)->snapshot()), rows) << "in bulk";
  }
  auto path = GetParam();
  path.replace_extension(".rows");
  if (std::getenv("TILTH_WRITE_GOLDEN") != nullptr) std::ofstream(path) << found;
  EXPECT_EQ(found, text_of(path));
}

// What is exported today is what was exported then.
TEST_P(GoldenHistory, IsWrittenAsItWas) {
  std::ifstream lines(GetParam());
  std::int64_t offset = 0;
  for (std::string line; std::getline(lines, line); ++offset) {
    std::string written;
    const auto record = std::make_shared<const Record>(*read_event_line(line));
    append_event_line({{0, offset}, record}, true, written);
    EXPECT_EQ(written, line + "\n");
  }
}

// A country's currency depends on the installed ICU, and so do these rows.
TEST_P(GoldenHistory, IsFoldedByTheMarket) {
  MemoryProjectionStore store;
  fold_page_by_page(market(), store);
}

std::vector<fs::path> histories() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(kHistories)) {
    if (entry.path().extension() == ".jsonl") found.push_back(entry.path());
  }
  return found;
}

INSTANTIATE_TEST_SUITE_P(All, GoldenHistory, ::testing::ValuesIn(histories()),
                         [](const auto& each) { return "Number" + std::to_string(each.index); });

}  // namespace
}  // namespace tilth::testing
