#include "infra/embedded/embedded_import.h"

#include <gmock/gmock.h>

#include "tests/infra/embedded/log_in_directory.h"

namespace tilth::testing {
namespace {

class EmbeddedImportTest : public LogInDirectory {
 protected:
  void SetUp() override {
    ASSERT_EQ(open(), "open");
    auto begun = EmbeddedImport::begin(*log, directory.path());
    ASSERT_TRUE(begun) << begun.error().message;
    import = std::move(*begun);
  }

  // "added", or why not.
  std::string add(std::uint64_t version, std::string id, std::string predecessor = {}) {
    auto made = record("user_1", version, std::move(id));
    made.envelope.predecessor = std::move(predecessor);
    const auto added = import->add(std::move(made), ++line);
    return added ? "added" : added.error().message;
  }

  TemporaryDirectory directory;
  std::unique_ptr<HistoryImport> import;
  std::int64_t line = 0;
};

TEST_F(EmbeddedImportTest, TakesEachStreamFromItsFirstEventOn) {
  EXPECT_EQ(add(1, "b"), "the stream user_1 stands at 0");
  EXPECT_EQ(add(0, "a"), "added");
  EXPECT_EQ(add(0, "a"), "the stream user_1 stands at 1");
  EXPECT_EQ(add(1, "b", "x"), "its predecessor is not the event before it");
  EXPECT_EQ(add(1, "b", "a"), "added");
  EXPECT_EQ(add(2, "c"), "added");
  EXPECT_TRUE(import->finish());
  EXPECT_EQ(read(), "a b c ");
  EXPECT_EQ(append("user_1", 2, "d"), "stale");
  EXPECT_EQ(append("user_1", 3, "d"), "durable");
}

}  // namespace
}  // namespace tilth::testing
