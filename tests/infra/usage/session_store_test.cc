#include "infra/usage/session_store.h"

#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "events/json/json_writer.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth {
namespace {

Timestamp at(std::string_view text) { return *Timestamp::parse(text); }

const Session kWhole{{.user_id = "user_1",
                      .epoch = 3,
                      .method = SignInMethod::kProvider,
                      .address = "2001:db8::1",
                      .browser = R"(Palm/1 "quoted")"},
                     at("2026-03-01T00:00:00Z"),
                     at("2026-03-01T12:00:00Z"),
                     at("2026-03-01T00:05:00Z")};
const Session kBare{{.user_id = "user_2"}, kWhole.began_at, kWhole.ends_at, kWhole.began_at};

class SessionStoreTest : public ::testing::Test {
 protected:
  SessionStoreTest() { open(); }

  void open() {
    usage_.reset();
    usage_ = std::move(*UsageStore::open(directory_.path() / "usage", memory_));
  }
  std::map<std::string, std::string> kept() {
    std::map<std::string, std::string> all;
    EXPECT_TRUE(KeptSessions(*usage_).read([&](const std::string& digest, const Session& session) {
      all[digest] = JsonWriter::text(session);
    }));
    return all;
  }
  std::size_t entries() const {
    std::size_t count = 0;
    EXPECT_TRUE(usage_->read_entries('s', [&](auto, auto) { ++count; }));
    return count;
  }

  testing::TemporaryDirectory directory_;
  const RocksMemory memory_{1 << 20, 1 << 20};
  std::unique_ptr<UsageStore> usage_;
};

TEST_F(SessionStoreTest, KeepsAllOfASessionOverARestart) {
  KeptSessions sessions(*usage_);
  ASSERT_TRUE(sessions.keep("a", kWhole));
  ASSERT_TRUE(sessions.keep("b", kBare));
  ASSERT_TRUE(sessions.keep("c", kBare));
  ASSERT_TRUE(sessions.forget("c"));
  open();
  EXPECT_EQ(kept(), (std::map<std::string, std::string>{{"a", JsonWriter::text(kWhole)},
                                                        {"b", JsonWriter::text(kBare)}}));
}

TEST_F(SessionStoreTest, ForgetsWhatAnEarlierVersionKept) {
  ASSERT_TRUE(KeptSessions(*usage_).keep("a", kBare));
  ASSERT_TRUE(usage_->keep_entry("sold", "2026-03-01T12:00:00.000Z user_1"));
  ASSERT_TRUE(usage_->keep_entry("sbroken", R"({"user":5})"));
  EXPECT_EQ(kept().size(), 1U);
  EXPECT_EQ(entries(), 1U);
}

}  // namespace
}  // namespace tilth
