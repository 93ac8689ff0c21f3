#include "app/node/clock_loop.h"

#include <atomic>
#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "command/work/recurring_task.h"
#include "command/work/task_template.h"
#include "infra/system/random.h"
#include "tests/fixtures/command_fixture.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;
using testing::kNow;
using testing::Node;

class PassingClock final : public Clock {
 public:
  Timestamp now() const override { return {kNow.at + passed_.load()}; }
  void pass(std::chrono::milliseconds time) { passed_ = passed_.load() + time; }

 private:
  std::atomic<std::chrono::milliseconds> passed_{0ms};
};

// Owners with a rule that makes a task each day. Their node turns on the test's thread.
class ClockLoopTest : public testing::CommandFixture {
 protected:
  static constexpr int kOwners = 8;

  void SetUp() override {
    for (int owner = 0; owner < kOwners; ++owner) make_rule(stream(owner));
    testing::turn_until([this] { return made(busy) == made(here); }, {&busy});
  }
  void TearDown() override { stop(); }

  static std::string stream(int owner) { return "user_" + std::to_string(owner); }

  void make_rule(const std::string& owner) {
    carry_out(here, asked(testing::register_farm(), owner));
    const auto farm = outcomes.back()->event->get<FarmRegistered>().id;
    const TaskTemplateDetails<Own> walk{.name = "Walk the rows"};
    carry_out(here, asked(deciding(CreateTaskTemplate{{}, walk}), owner));
    const auto used = outcomes.back()->event->get<TaskTemplateCreated>().id;
    carry_out(
        here,
        asked(deciding(CreateRecurringTask{
                  {},
                  farm,
                  {.template_id = used, .pattern = RecurrencePattern::kDaily, .start_date = kNow}}),
              owner));
  }

  // Of all owners' rules.
  static std::uint64_t made(Node& node) {
    std::uint64_t tasks = 0;
    for (int owner = 0; owner < kOwners; ++owner) {
      tasks += node.rows(stream(owner)).count<Task>({});
    }
    return tasks;
  }

  ClockLoop& loop_on(Node& node) {
    cells_.emplace(node.loop());
    loop_.emplace(ClockLoop::Parts{*cells_, clock_, ids_, lines_});
    return *loop_;
  }
  void stop() { stop({&here, &busy}); }
  void stop(std::initializer_list<Node*> nodes) {
    if (!loop_) return;
    std::atomic<bool> stopped = false;
    std::jthread stopping([&] { loop_->stop(), stopped = true; });
    testing::turn_until([&] { return stopped.load(); }, nodes);
  }
  void pass(std::chrono::milliseconds time) {
    for (auto* node : {&here, &busy}) node->now = {node->now.at + time};
    clock_.pass(time);
  }
  ClockLoop::OnDone tell() {
    return [this](const Status& status) {
      status_ = status;
      is_told_ = true;
    };
  }
  Status run_due(ClockLoop& loop, Node& node) {
    loop.run_due(tell());
    testing::turn_until([this] { return is_told_.load(); }, {&node});
    return status_;
  }
  void begin(ClockLoop& loop, Node& node) {
    std::atomic<bool> begun = false;
    std::jthread beginning([&] { loop.begin(20s), begun = true; });
    testing::turn_until([&] { return begun.load(); }, {&node});
  }

  Node busy{log, '2', {.waiting = 1}};  // refuses what comes while it has a command
  PassingClock clock_;
  IdSource ids_{fill_random};
  LogLines lines_{clock_, -1, LogLines::Form::kText, LogLevel::kError};  // writes none
  std::optional<Cells> cells_;
  std::optional<ClockLoop> loop_;
  Status status_ = kDone;
  std::atomic<bool> is_told_ = false;
};

TEST_F(ClockLoopTest, HasDoneWhatFellDueBeforeWhenItHasBegun) {
  auto& loop = loop_on(here);
  pass(24h);
  EXPECT_EQ(made(here), kOwners);
  begin(loop, here);
  EXPECT_EQ(made(here), 2 * kOwners);
}

TEST_F(ClockLoopTest, TellsOnceAllThatIsDueHasHappened) {
  auto& loop = loop_on(here);
  begin(loop, here);
  pass(24h);
  EXPECT_TRUE(run_due(loop, here));
  EXPECT_EQ(made(here), 2 * kOwners);
}

TEST_F(ClockLoopTest, LooksAgainWhenTheTimeMayHaveChanged) {
  auto& loop = loop_on(here);
  begin(loop, here);
  pass(24h);
  loop.wake();
  testing::turn_until([this] { return made(here) == 2 * kOwners; }, {&here});
}

TEST_F(ClockLoopTest, TriesAgainWhatABusyNodeRefusedAsLongAsItDoesSomething) {
  auto& loop = loop_on(busy);
  begin(loop, busy);
  pass(24h);
  EXPECT_TRUE(run_due(loop, busy));
  EXPECT_EQ(made(busy), 2 * kOwners);
}

TEST_F(ClockLoopTest, LetsNoStreamThatIsStuckDelayTheOthers) {
  Node slow{log, '3', {.timeout = 1h}};
  testing::turn_until([&] { return made(slow) == made(here); }, {&slow});
  auto& loop = loop_on(slow);
  begin(loop, slow);
  log.stuck = stream(0);
  const auto a_day_passes = [&] {
    pass(24h);
    slow.now = here.now;
    loop.wake();
  };
  a_day_passes();
  for (std::size_t tries : {1, 2}) {  // the second one once the others are done
    testing::turn_until([&] { return log.silent.size() == tries && made(slow) == 2 * kOwners - 1; },
                        {&slow});
    slow.waited += 1h;
  }
  testing::turn_until([&] { return log.silent.size() == 3; }, {&slow});
  a_day_passes();
  testing::turn_until([&] { return made(slow) == 3 * kOwners - 2; }, {&slow});
  EXPECT_EQ(log.silent.size(), 3U) << "nothing has waited for the stuck one";
  stop({&slow});
}

TEST_F(ClockLoopTest, TellsWhyNothingCanHappen) {
  Node stuck{log, '3', {.waiting = 0}};
  testing::turn_until([&] { return made(stuck) == made(here); }, {&stuck});
  auto& loop = loop_on(stuck);
  begin(loop, stuck);
  pass(24h);
  stuck.now = here.now;
  const auto status = run_due(loop, stuck);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
  loop.stop();
}

TEST_F(ClockLoopTest, RefusesWhatWaitsOrIsAskedOnceItStops) {
  auto& loop = loop_on(here);
  loop.run_due(tell());
  EXPECT_FALSE(is_told_) << "it has not begun";
  loop.stop();
  EXPECT_TRUE(is_told_);
  EXPECT_EQ(status_.error().code, ErrorCode::kUnavailable);
  is_told_ = false;
  loop.run_due(tell());
  EXPECT_TRUE(is_told_);
}

}  // namespace
}  // namespace tilth
