// The committed description of the history is up to date. After an intended change, regenerate it:
//   TILTH_WRITE_GOLDEN=1 build/dev/tests/tilth_api_tests --gtest_filter='History.*'

#include "tests/api/history/history_description.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "events/json/json.h"

namespace tilth::testing {
namespace {

void expect_file(const char* path, const std::string& text) {
  if (std::getenv("TILTH_WRITE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ifstream file(path);
  std::ostringstream kept;
  ASSERT_TRUE(kept << file.rdbuf()) << path;
  EXPECT_EQ(text, kept.str()) << path << " is out of date";
}

TEST(History, IsDescribedForPrograms) {
  const auto document = asyncapi_document(described_events());
  expect_file("docs/asyncapi.json", document);
  const auto parsed = parse_json(document);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->find("components")->find("messages")->children.size(),
            described_events().size());
}

TEST(History, IsDescribedForPeople) {
  expect_file("docs/events.md", events_page(described_events()));
}

}  // namespace
}  // namespace tilth::testing
