#include "infra/cluster/membership.h"

#include <algorithm>
#include <atomic>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "infra/cluster/membership_thread.h"
#include "infra/embedded/memory_event_log.h"
#include "infra/system/descriptor.h"
#include "infra/system/random.h"
#include "infra/system/whole_file.h"
#include "tests/fixtures/passing_log.h"
#include "tests/fixtures/set_time.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;
using testing::SetTime;
using testing::wait_until;

const Timestamp kNoon = Timestamp::parse("2026-03-01T12:00:00Z").value();

class SetClock final : public Clock {
 public:
  Timestamp now() const override { return kNoon; }
};

// Tells nothing of what it was asked for until a test says so.
class SilentLog final : public testing::PassingLog {
 public:
  using PassingLog::PassingLog;

  void append(Record record, OnAppended done) override {
    PassingLog::append(std::move(record), [](const auto&) {});
    untold_.push_back([done = std::move(done)] {
      done(Error{ErrorCode::kUnavailable, "No broker answers."});
    });
  }
  void end(int partition, OnEnd done) override {
    untold_.push_back([this, partition, done = std::move(done)] {
      if (knows_end) return PassingLog::end(partition, done);
      done(Error{ErrorCode::kUnavailable, "No broker answers."});
    });
  }
  void tell() {
    for (const auto& tell : std::exchange(untold_, {})) tell();
  }

  bool knows_end = true;

 private:
  std::vector<std::function<void()>> untold_;
};

// Loses what its readers were to read next once a test says so.
class LosingLog final : public testing::PassingLog {
 public:
  using PassingLog::PassingLog;

  void lose() { ++losses_; }

 protected:
  std::unique_ptr<LogReader> around(std::unique_ptr<LogReader> reader) override {
    return std::make_unique<Reader>(*this, std::move(reader));
  }

 private:
  class Reader final : public testing::PassingReader {
   public:
    Reader(const LosingLog& log, std::unique_ptr<LogReader> reader)
        : PassingReader(std::move(reader)), log_(log), losses_(log.losses_) {}

    Result<std::vector<LoggedRecord>> next(std::size_t limit,
                                           std::chrono::milliseconds timeout) override {
      if (log_.losses_ != losses_) return Error{ErrorCode::kLost, "It is no longer there."};
      return PassingReader::next(limit, timeout);
    }

   private:
    const LosingLog& log_;
    const int losses_;
  };

  int losses_ = 0;
};

class MembershipTest : public ::testing::Test {
 protected:
  // Of whom the turns are.
  enum class Turns { kItsThread, kTheTest };

  class Node {
   public:
    // Logs to `log_lines`; -1: nowhere.
    Node(EventLog& log, const SetTime& time, std::string name, Turns turns = Turns::kItsThread,
         int log_lines = -1)
        : lines_(clock_, log_lines, LogLines::Form::kText, LogLevel::kWarn),
          membership_({.log = log,
                       .clock = clock_,
                       .ids = ids_,
                       .log_lines = lines_,
                       .self =
                           [this, name = std::move(name)] {
                             Announcement self{.node = name, .ready = ready_};
                             if (asks_.exchange(false)) while_asked_();
                             return self;
                           },
                       .steady = [&time] { return time.now(); }}) {
      if (turns == Turns::kItsThread) thread_.emplace(membership_);
    }

    // "one live, two left"
    std::string standing() const {
      std::string text;
      for (const auto& node : membership_.standing()) {
        for (const auto& [state, label] : labels(NodeState{})) {
          if (state != node.state) continue;
          text += (text.empty() ? "" : ", ") + node.node + " " + std::string(label);
        }
      }
      return text;
    }
    bool hears_that_ready(const std::string& other) const {
      const auto all = membership_.standing();
      return std::any_of(all.begin(), all.end(),
                         [&](const auto& node) { return node.node == other && node.ready; });
    }
    std::uint64_t unreadable() const { return membership_.unreadable(); }
    std::string metrics() const {
      class Listed final : public Samples {
       public:
        void gauge(std::string_view name, std::string_view, MetricLabels labels,
                   double value) override {
          text += (text.empty() ? "" : ", ") + std::string(name.substr(name.find("cluster_") + 8));
          for (const auto& [label, of] : labels) text += " " + of;
          text += " " + std::to_string(static_cast<int>(value));
        }
        void counter(std::string_view name, std::string_view help, MetricLabels labels,
                     double value) override {
          gauge(name, help, std::move(labels), value);
        }
        std::string text;
      };
      Listed samples;
      membership_.report(samples);
      return samples.text;
    }
    void become_ready() { ready_ = true; }
    // Asks for an announcement, becomes ready while it is made, and asks for another.
    void become_ready_while_it_announces() {
      while_asked_ = [this] { ready_ = true, membership_.announce_soon(); };
      asks_ = true;
      membership_.announce_soon();
    }
    void announce_soon() { membership_.announce_soon(); }
    bool has_announced_ready() const { return membership_.has_announced_ready(); }
    std::uint64_t announcements_read() const { return membership_.announcements_read(); }
    void stop() { thread_->stop(); }
    bool turn() { return bool(membership_.turn(0ms)); }
    bool leave() { return membership_.leave(0ms); }

   private:
    SetClock clock_;
    IdSource ids_{fill_random};
    LogLines lines_;
    std::atomic<bool> ready_ = false, asks_ = false;
    std::function<void()> while_asked_;
    Membership membership_;
    std::optional<MembershipThread> thread_;
  };

  // So many nodes have begun, and each has said something that all of them hear.
  void begin(int nodes) {
    wait_until([&] { return announcements() >= nodes; });
    beat(nodes);
  }

  // A second passes, and each of so many nodes says something.
  void beat(int nodes) {
    const auto before = announcements();
    time_.pass(Membership::kBeat);
    wait_until([&] { return announcements() >= before + nodes; });
  }

  std::vector<LoggedRecord> said() { return *(*log_.read({{0, 0}}))->next(10'000, 0ms); }
  std::int64_t announcements() { return std::ssize(said()); }

  void append(Record record) {
    log_.append(std::move(record), [](const auto&) {});
  }

  SetTime time_;
  MemoryEventLog log_{1, MemoryEventLog::Refused::kKept};
};

TEST_F(MembershipTest, NodesHearOneAnother) {
  Node one(log_, time_, "one"), two(log_, time_, "two");
  begin(2);
  wait_until([&] { return one.standing() == "one live, two live"; });
  wait_until([&] { return two.standing() == "two live, one live"; });
  EXPECT_FALSE(one.hears_that_ready("two"));
  two.become_ready();
  beat(2);
  wait_until([&] { return one.hears_that_ready("two"); });
}

TEST_F(MembershipTest, WhatChangesIsSaidBeforeTheNextBeat) {
  Node one(log_, time_, "one"), two(log_, time_, "two");
  begin(2);
  wait_until([&] { return one.standing() == "one live, two live"; });
  const auto before = one.announcements_read();
  EXPECT_FALSE(two.has_announced_ready());
  two.become_ready();
  two.announce_soon();
  wait_until([&] { return two.has_announced_ready() && one.hears_that_ready("two"); });
  EXPECT_GT(one.announcements_read(), before);
}

TEST_F(MembershipTest, WhatChangesWhileItAnnouncesIsSaidBeforeTheNextBeat) {
  Node one(log_, time_, "one");
  begin(1);
  one.become_ready_while_it_announces();
  wait_until([&] { return one.has_announced_ready(); });
}

TEST_F(MembershipTest, ANodeThatStopsSaysSoAtOnce) {
  Node one(log_, time_, "one"), two(log_, time_, "two");
  begin(2);
  wait_until([&] { return one.standing() == "one live, two live"; });
  two.stop();
  wait_until([&] { return one.standing() == "one live, two left"; });
}

TEST_F(MembershipTest, ANodeSaysNothingBeforeItKnowsWhereTheLogEnds) {
  SilentLog log(log_);
  Node one(log, time_, "one", Turns::kTheTest);
  for (int second = 0; second < 3; ++second) {
    EXPECT_TRUE(one.turn());
    time_.pass(Membership::kBeat);
  }
  EXPECT_EQ(announcements(), 0);
  log.tell();
  wait_until([&] { return one.turn() && announcements() == 1; });
}

TEST_F(MembershipTest, ThatTheLogDoesNotTellItsEndIsLoggedOnce) {
  const testing::TemporaryDirectory directory;
  const auto file = directory.path() / "log";
  const Descriptor lines(::open(file.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600));
  SilentLog log(log_);
  log.knows_end = false;
  Node one(log, time_, "one", Turns::kTheTest, lines.get());
  for (int times = 0; times < 3; ++times) {
    EXPECT_TRUE(one.turn()) << "it is not known yet";
    EXPECT_TRUE(one.turn());
    log.tell();
    EXPECT_FALSE(one.turn());
  }
  const auto logged = read_whole_file(file)->value();
  const auto first = logged.find("What other nodes say cannot be read.");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(logged.find("What other nodes say cannot be read.", first + 1), std::string::npos);
}

TEST_F(MembershipTest, ANodeAnnouncesItselfAndLeavesOnceWhatItSaidLastHasEnded) {
  SilentLog log(log_);
  Node one(log, time_, "one", Turns::kTheTest);
  wait_until([&] {
    log.tell();
    return one.turn() && announcements() == 1;
  });
  time_.pass(Membership::kBeat);
  EXPECT_TRUE(one.turn());
  EXPECT_FALSE(one.leave());
  EXPECT_EQ(announcements(), 1);
  log.tell();
  EXPECT_FALSE(one.leave());
  EXPECT_EQ(announcements(), 2);
  log.tell();
  EXPECT_TRUE(one.leave());
  EXPECT_EQ(announcements(), 2);
  EXPECT_TRUE(read_announcement(*said().back().record)->left);
}

TEST_F(MembershipTest, ANodeThatSaysNothingMoreIsDead) {
  Node one(log_, time_, "one");
  begin(1);
  append(announcement_record({.node = "two", .run = "its run"}, "id"));
  wait_until([&] { return one.standing() == "one live, two live"; });
  for (int second = 0; second < 3; ++second) beat(1);
  wait_until([&] { return one.standing() == "one live, two dead"; });
}

TEST_F(MembershipTest, WhatWasSaidBeforeTheStartIsNotHeard) {
  append(announcement_record({.node = "two", .run = "its run"}, "id"));
  Node one(log_, time_, "one");
  wait_until([&] { return announcements() >= 2; });
  beat(1);
  EXPECT_EQ(one.standing(), "one live");
}

TEST_F(MembershipTest, ANodeThatHasLostItsPlaceReadsOnAtTheEnd) {
  LosingLog log(log_);
  Node one(log, time_, "one", Turns::kTheTest);
  wait_until([&] { return one.turn() && announcements() == 1; });
  log.lose();
  EXPECT_FALSE(one.turn());
  ASSERT_TRUE(one.turn());
  append(announcement_record({.node = "two", .run = "its run"}, "id"));
  wait_until([&] { return one.turn() && one.standing() == "one live, two live"; });
}

TEST_F(MembershipTest, WhatCannotBeReadIsCountedAndPassedOver) {
  Node one(log_, time_, "one");
  begin(1);
  auto damaged = announcement_record({.node = "two", .run = "its run"}, "id");
  damaged.json = "{";
  append(damaged);
  append({.stream = "a", .envelope = {.id = "id", .type = "a"}, .json = "{}"});
  append({.stream = "b", .envelope = {.id = "id"}, .foreign = "It is not ours."});
  append(announcement_record({.node = "two", .run = "its run"}, "id"));
  wait_until([&] { return one.standing() == "one live, two live"; });
  EXPECT_EQ(one.unreadable(), 3);
}

TEST_F(MembershipTest, MetricsCountTheNodesByTheirState) {
  Node one(log_, time_, "one");
  begin(1);
  append(announcement_record({.node = "two", .run = "1", .at = {kNoon.at - 5s}}, "id"));
  append(announcement_record({.node = "three", .run = "2", .left = true}, "id"));
  wait_until([&] { return one.standing() == "one live, three left, two live"; });
  EXPECT_EQ(
      one.metrics(),
      "nodes live 2, nodes left 1, nodes dead 0, nodes unknown 0, clock_difference_seconds 5, "
      "id_shared 0, unreadable_messages_total 0");
}

}  // namespace
}  // namespace tilth
