#include "infra/webhooks/stream_pages_thread.h"

#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "infra/embedded/memory_event_log.h"
#include "tests/fixtures/land.h"
#include "tests/fixtures/memory_projection_store.h"
#include "tests/fixtures/records.h"

namespace tilth {
namespace {

class StreamPagesThreadTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const auto* owner : {"one", "other"}) {
      testing::append(log_, testing::record(owner, 0, testing::farm_registered()));
    }
    ASSERT_TRUE(index_.open());
    pages_ = std::make_unique<StreamPagesThread>(log_, index_);
  }

  // Notes the owner once the page has been read.
  void read(const std::string& owner, std::function<bool(const Record&)> wants) {
    pages_->read({.stream = owner, .from = 0, .end = 1, .wants = std::move(wants)},
                 [this, owner](const Result<StreamPages::Page>& page) {
                   EXPECT_TRUE(page);
                   read_ += " " + owner;
                   all_read_.count_down();
                 });
  }

  MemoryEventLog log_{1};
  testing::MemoryProjectionStore rows_;
  StreamIndex index_{log_, rows_};
  std::string read_;
  std::latch all_read_{4};
  std::unique_ptr<StreamPagesThread> pages_;
};

TEST_F(StreamPagesThreadTest, AnOwnerWithManyPagesDelaysAnotherByOne) {
  std::promise<void> begun, go_on;
  read("one", [&](const Record&) {
    begun.set_value();
    go_on.get_future().wait();
    return true;
  });
  begun.get_future().wait();
  const auto all = [](const Record&) { return true; };
  read("one", all);
  read("one", all);
  read("other", all);
  go_on.set_value();
  all_read_.wait();
  EXPECT_EQ(read_, " one other one one");
}

}  // namespace
}  // namespace tilth
