#include "app/node/land_share.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "infra/embedded/memory_event_log.h"
#include "infra/system/random.h"
#include "tests/fixtures/land.h"
#include "tests/fixtures/memory_projection_store.h"
#include "tests/fixtures/noon_clock.h"
#include "tests/fixtures/passing_log.h"
#include "tests/fixtures/records.h"
#include "tests/fixtures/set_time.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;
using testing::wait_until;

constexpr int kCells = 4;

// Readers of some partitions get nothing before so many of them have asked. One that reads the
// whole log does not wait. The end of one partition may be unknown.
class LogThatWaits final : public testing::PassingLog {
 public:
  using PassingLog::PassingLog;

  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override {
    auto reader = PassingLog::read(from);
    const bool reads_all = std::ssize(from) == partitions();
    const bool waits = std::ranges::any_of(
        from, [this](const Position& next) { return waits_for_.contains(next.partition); });
    if (!reader || reads_all || !waits) return reader;
    return std::unique_ptr<LogReader>(new Reader(*this, std::move(*reader)));
  }
  void end(int partition, OnEnd done) override {
    if (partition != without_end) return PassingLog::end(partition, std::move(done));
    done(Error{ErrorCode::kUnavailable, "It has no leader."});
  }
  std::atomic<int> without_end = -1;  // a partition

  // For readers that are made from now on.
  void wait_for(std::size_t readers, std::set<int> of_partitions) {
    wanted_ = readers;
    waits_for_ = std::move(of_partitions);
  }

 private:
  class Reader final : public testing::PassingReader {
   public:
    Reader(LogThatWaits& log, std::unique_ptr<LogReader> reader)
        : PassingReader(std::move(reader)), log_(log) {}
    Result<std::vector<LoggedRecord>> next(std::size_t limit,
                                           std::chrono::milliseconds timeout) override {
      if (log_.have_asked(this, timeout)) return PassingReader::next(limit, timeout);
      return std::vector<LoggedRecord>();
    }

   private:
    LogThatWaits& log_;
  };

  bool have_asked(const Reader* reader, std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    if (asked_.insert(reader).second) another_.notify_all();
    return another_.wait_for(lock, timeout, [this] { return asked_.size() >= wanted_; });
  }

  std::mutex mutex_;
  std::condition_variable another_;
  std::set<const Reader*> asked_;
  std::size_t wanted_ = 0;
  std::set<int> waits_for_;
};

// Readers of one partition get no record from some offset on until the test lets them.
class LogHeldUp final : public testing::PassingLog {
 public:
  using PassingLog::PassingLog;

  void hold_up(Position from) {
    const std::lock_guard lock(mutex_);
    from_ = from;
    changed_.notify_all();
  }
  void let_pass() { hold_up({-1, 0}); }

 private:
  class Reader final : public testing::PassingReader {
   public:
    Reader(LogHeldUp& log, std::unique_ptr<LogReader> reader)
        : PassingReader(std::move(reader)), log_(log) {}
    Result<std::vector<LoggedRecord>> next(std::size_t limit,
                                           std::chrono::milliseconds timeout) override {
      if (read_.empty()) {
        auto page = PassingReader::next(limit, timeout);
        if (!page || page->empty()) return page;
        read_ = std::move(*page);
      }
      return log_.passed(read_, timeout);
    }

   private:
    LogHeldUp& log_;
    std::vector<LoggedRecord> read_;  // and not passed on
  };

  std::unique_ptr<LogReader> around(std::unique_ptr<LogReader> reader) override {
    return std::make_unique<Reader>(*this, std::move(reader));
  }

  std::vector<LoggedRecord> passed(std::vector<LoggedRecord>& read,
                                   std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    const auto held_up = [&] {
      return std::ranges::find_if(read, [this](const LoggedRecord& logged) {
        return logged.position.partition == from_.partition &&
               logged.position.offset >= from_.offset;
      });
    };
    changed_.wait_for(lock, timeout, [&] { return held_up() != read.begin(); });
    std::vector<LoggedRecord> passed(read.begin(), held_up());
    read.erase(read.begin(), held_up());
    return passed;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Position from_{-1, 0};
};

// The node "a"; the test says which others live and what they hold.
class LandShareTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(overrides_.open());
    access_ = opened(access(), {log_, 1}, false);
    registry_ = opened(registry(), layout_, true, registry_log_);
    finance_ = opened(finance(), layout_, true);
    market_ = opened(market(), layout_, true);
    ASSERT_TRUE(index_.open());
    ASSERT_TRUE(index_.follow_only({}));
    access_->start();
    share_ = std::make_unique<LandShare>(
        LandShare::Parts{.access = access_->of(kAccessStream),
                         .registry = *registry_,
                         .finance = *finance_,
                         .market = *market_,
                         .index = index_,
                         .log = log_,
                         .layout = layout_,
                         .copies = copies(),
                         .nodes = [this] { return nodes(); },
                         .is_current = [this] { return hears_.load(); },
                         .announcements_read = [this] { return heard_.load(); },
                         .announce = [this] { ++announced_; },
                         .on_first_changed = [this] { ++first_changed_; },
                         .log_lines = lines_,
                         .steady = [this] { return time_.now(); }});
  }
  virtual int copies() const { return 1; }
  void TearDown() override {
    share_->stop();
    for (const auto& projection : {&market_, &finance_, &registry_, &access_}) {
      (*projection)->stop();
    }
  }

  std::unique_ptr<ProjectionCells> opened(const Projection& projection, CellLayout layout,
                                          bool divided) {
    return opened(projection, layout, divided, log_);
  }
  std::unique_ptr<ProjectionCells> opened(const Projection& projection, CellLayout layout,
                                          bool divided, EventLog& log) {
    auto cells = ProjectionCells::open(
        {.of_each = {log, directory_.path(), memory_, overrides_, clock_, lines_, nullptr},
         .overrides = overrides_,
         .layout = layout,
         .divided = divided},
        projection, [this](int) -> CommandLoop::Sources {
          return {.node = "tilth://a",
                  .now = [this] { return clock_.now(); },
                  .new_id = [this] { return ids_.uuid(clock_.now()); }};
        });
    EXPECT_TRUE(cells);
    return std::move(*cells);
  }

  std::vector<NodeStanding> nodes() {
    const std::lock_guard lock(mutex_);
    NodeStanding self{
        .node = "a", .self = true, .peer_address = "a:1", .draining = share_->draining()};
    std::vector<NodeStanding> all = {self};
    for (const auto& [id, other] : others_) {
      NodeStanding node{.node = id, .ready = true, .peer_address = id + ":1"};
      for (const int cell : other.cells) node.next.push_back({cell, 0});
      node.halted = other.halted;
      all.push_back(node);
    }
    return all;
  }
  void set_other(const std::string& id, std::vector<int> cells, std::vector<int> halted = {}) {
    const std::lock_guard lock(mutex_);
    others_[id] = {std::move(cells), std::move(halted)};
    ++heard_;
  }
  void kill_other(const std::string& id) {
    const std::lock_guard lock(mutex_);
    others_.erase(id);
  }

  // Begins while time passes, as it does.
  void begin() {
    std::atomic<bool> done = false;
    std::jthread passing([&] {
      while (!done) time_.pass(10ms), std::this_thread::yield();
    });
    EXPECT_TRUE(share_->begin([] { return false; }));
    done = true;
  }

  // Lets time pass until that is so, and returns how long it took.
  std::chrono::milliseconds pass_until(const std::function<bool()>& holds,
                                       std::chrono::milliseconds each = 1ms) {
    const auto begun = time_.now();
    wait_until([&] {
      if (holds()) return true;
      time_.pass(each);
      return false;
    });
    return std::chrono::duration_cast<std::chrono::milliseconds>(time_.now() - begun);
  }

  static std::string owner_in(int cell, const CellLayout& layout) {
    for (int number = 0;; ++number) {
      auto stream = "user_" + std::to_string(number);
      if (layout.cell_of(stream) == cell) return stream;
    }
  }
  bool is_here(int cell) const { return share_->is_here(owner_in(cell, layout_)); }
  std::vector<int> here() const {
    std::vector<int> cells;
    for (int cell = 0; cell < kCells; ++cell) {
      if (is_here(cell)) cells.push_back(cell);
    }
    return cells;
  }
  double gauge(std::string_view name) const {
    class Gauge final : public Samples {
     public:
      explicit Gauge(std::string_view name) : name_(name) {}
      void gauge(std::string_view name, std::string_view /*help*/, MetricLabels /*labels*/,
                 double value) override {
        if (name == name_) told = value;
      }
      void counter(std::string_view /*name*/, std::string_view /*help*/, MetricLabels /*labels*/,
                   double /*value*/) override {}
      double told = -1;

     private:
      const std::string_view name_;
    };
    Gauge samples(name);
    share_->report(samples);
    return samples.told;
  }
  std::vector<int> announced() const {
    std::vector<Position> all;
    for (int partition = 0; partition < kCells; ++partition) all.push_back({partition, 0});
    std::vector<int> cells;
    for (const auto& held : share_->announced(all)) {
      cells.push_back(static_cast<int>(held.partition));
    }
    return cells;
  }

  testing::NoonClock clock_;
  IdSource ids_{fill_random};
  testing::SetTime time_;
  MemoryEventLog records_{kCells, MemoryEventLog::Refused::kKept};
  LogThatWaits log_{records_};
  LogHeldUp registry_log_{log_};
  testing::TemporaryDirectory directory_;
  RocksMemory memory_{1 << 20, 1 << 20};
  OverridesFile overrides_{directory_.path() / "projections"};
  LogLines lines_{clock_, -1, LogLines::Form::kText, LogLevel::kError};  // writes none
  const CellLayout layout_{log_, kCells, CellLayout::ReferenceData::kApart};
  std::unique_ptr<ProjectionCells> access_, registry_, finance_, market_;
  testing::MemoryProjectionStore index_rows_;
  StreamIndex index_{log_, index_rows_};
  std::atomic<bool> hears_ = true;
  std::atomic<std::uint64_t> heard_ = 0;
  std::atomic<int> announced_ = 0, first_changed_ = 0;
  std::mutex mutex_;
  struct Other {
    std::vector<int> cells, halted;
  };
  std::map<std::string, Other> others_;
  std::unique_ptr<LandShare> share_;
};

const std::vector<int> kAll = {0, 1, 2, 3};

// An operator may ask before the first cell is held.
TEST_F(LandShareTest, RefusesOperationsOnRowsThatItDoesNotHoldYet) {
  const auto is_refused = [](const auto& result) {
    return !result && result.error().code == ErrorCode::kUnavailable;
  };
  EXPECT_TRUE(is_refused(registry_->switch_over(true)));
  EXPECT_TRUE(is_refused(registry_->switch_over(false)));
  EXPECT_TRUE(is_refused(registry_->release()));
  EXPECT_TRUE(is_refused(registry_->verify()));
  EXPECT_TRUE(is_refused(registry_->rebuild(false, "ada")));
  begin();
  EXPECT_TRUE(registry_->verify());
}

TEST_F(LandShareTest, ANodeThatIsAloneHoldsEverything) {
  begin();
  EXPECT_EQ(here(), kAll);
  EXPECT_EQ(announced(), kAll);
  EXPECT_TRUE(share_->is_first(owner_in(0, layout_)));
  EXPECT_TRUE(share_->is_here(kReferenceStream));
  EXPECT_EQ(registry_->cells().held().size(), kCells + 1);
}

TEST_F(LandShareTest, OfTwoNodesEachTakesItsPart) {
  set_other("b", kAll);
  begin();
  EXPECT_EQ(here().size(), 2);
  EXPECT_EQ(announced(), here());
  for (const int cell : kAll) {
    EXPECT_EQ(share_->others_with(owner_in(cell, layout_)), std::vector<std::string>{"b:1"});
    EXPECT_EQ(registry_->cells().holds(static_cast<std::size_t>(cell)), is_here(cell));
  }
}

// Before any time has passed.
TEST_F(LandShareTest, GoesByWhatWasHeardLast) {
  set_other("b", {});
  begin();
  const auto away = std::ranges::find_if(kAll, [this](int cell) { return !is_here(cell); });
  ASSERT_NE(away, kAll.end());
  EXPECT_TRUE(share_->others_with(owner_in(*away, layout_)).empty());
  set_other("b", kAll);
  EXPECT_EQ(share_->others_with(owner_in(*away, layout_)), std::vector<std::string>{"b:1"});
}

// A database costs memory, files and time, and most cells are held elsewhere.
TEST_F(LandShareTest, OpensNoRowsOfWhatItDoesNotHold) {
  set_other("b", kAll);
  begin();
  share_->follow();
  for (int i = 0; i < 20; ++i) time_.pass(1s), std::this_thread::yield();
  for (const int cell : kAll) {
    for (const auto* projection : {"registry", "finance", "market"}) {
      const auto rows = directory_.path() / (projection + ('.' + std::to_string(cell)));
      EXPECT_EQ(std::filesystem::exists(rows), is_here(cell)) << rows;
    }
  }
  kill_other("b");
  pass_until([&] { return here() == kAll; });
}

// The history of a cell can be read as soon as the cell is held.
TEST_F(LandShareTest, TheIndexFollowsWhatIsHeld) {
  std::vector<std::string> owners;
  for (const int cell : kAll) {
    owners.push_back(owner_in(cell, layout_));
    testing::append(log_, testing::record(owners.back(), 0, testing::farm_registered()));
  }
  set_other("b", kAll);
  begin();
  for (const int cell : kAll) {
    const auto known = index_.offsets(owners[static_cast<std::size_t>(cell)], 0, 10).size();
    EXPECT_EQ(known, is_here(cell) ? 1 : 0);
  }
}

// On Kafka, each reader takes a while until its first record.
TEST_F(LandShareTest, LetsWhatItBeginsWithCatchUpTogether) {
  std::set<int> partitions;
  for (const int cell : kAll) {
    testing::append(log_, testing::record(owner_in(cell, layout_), 0, testing::farm_registered()));
    if (cell != log_.partition_of(kReferenceStream)) partitions.insert(cell);
  }
  log_.wait_for(3 * partitions.size(), partitions);
  const auto given_up = std::chrono::steady_clock::now() + 60s;
  const auto begun =
      share_->begin([&] { return time_.pass(10ms), std::chrono::steady_clock::now() > given_up; });
  EXPECT_TRUE(begun) << begun.error().message;
  EXPECT_EQ(here(), kAll);
}

// Others forward requests to a node as soon as it has said that it holds a cell.
TEST_F(LandShareTest, AnnouncesACellOnceItsRowsHaveCaughtUp) {
  const int cell = log_.partition_of(kReferenceStream) == 0 ? 1 : 0;
  const auto owner = owner_in(cell, layout_);
  testing::append(log_, testing::record(owner, 0, testing::farm_registered()));
  registry_log_.hold_up({cell, 0});
  const auto has_read_first = [&](const auto& projection) {
    const auto& projector = projection->of(owner).projector();
    return projector.view({}, Position{cell, 0}).has_value();
  };
  int to_read = 2, turns = 0;
  const auto let_one_pass = [&] {
    if (to_read == 2 && has_read_first(market_) && has_read_first(finance_)) {
      testing::append(log_, testing::record(owner, 1, testing::field_registered()));
      registry_log_.hold_up({cell, 1});
      to_read = 1;
    } else if (to_read == 1 && has_read_first(registry_) && ++turns == 10) {
      registry_log_.let_pass();
      to_read = 0;
    }
  };
  const auto given_up = std::chrono::steady_clock::now() + 60s;
  const auto begun = share_->begin([&] {  // is asked while it waits
    time_.pass(10ms);
    if (to_read == 0) return std::chrono::steady_clock::now() > given_up;
    EXPECT_FALSE(is_here(cell));
    EXPECT_EQ(std::ranges::count(announced(), cell), 0);
    EXPECT_FALSE(registry_->cells().holds(static_cast<std::size_t>(cell)));
    let_one_pass();
    return std::chrono::steady_clock::now() > given_up;
  });
  EXPECT_TRUE(begun) << begun.error().message;
  EXPECT_EQ(to_read, 0) << "also what came while it read";
  EXPECT_EQ(announced(), kAll);
  const auto view = registry_->of(owner).projector().view(owner);
  EXPECT_EQ(view->rows.count<Field>(testing::kFarm.farm_id.uuid), 1);
}

TEST_F(LandShareTest, DoesNotBeginBeforeItHasHeardItselfForAWhile) {
  hears_ = false;
  std::atomic<bool> stops = false;
  std::jthread beginning([&] { EXPECT_FALSE(share_->begin([&] { return stops.load(); })); });
  for (int i = 0; i < 100; ++i) time_.pass(1s), std::this_thread::yield();
  EXPECT_TRUE(here().empty());
  stops = true;
}

// Other nodes may be there that no node hears.
TEST_F(LandShareTest, ChangesNothingWhileItDoesNotHearItself) {
  set_other("b", kAll);
  begin();
  const auto before = here();
  share_->follow();
  hears_ = false;
  kill_other("b");
  for (int i = 0; i < 1'000; ++i) time_.pass(100ms), std::this_thread::yield();
  EXPECT_EQ(here(), before);
  hears_ = true;
  pass_until([&] { return here() == kAll; });
}

TEST_F(LandShareTest, GivesUpACellInSteps) {
  begin();
  share_->follow();
  set_other("b", kAll);
  const auto settled = pass_until([&] { return announced().size() == 2; });
  EXPECT_GE(settled, CellPhases::kSettled);
  EXPECT_EQ(here(), kAll) << "it still answers for those that have not heard";
  const auto afterwards = pass_until([&] { return here().size() == 2; });
  EXPECT_GE(afterwards, CellPhases::kAfterwards - 100ms);
  EXPECT_EQ(registry_->cells().held().size(), kCells + 1) << "what was begun goes on";
  pass_until([&] {
    return std::ranges::all_of(std::array{&registry_, &finance_, &market_}, [](auto* projection) {
      return (*projection)->cells().held().size() == 3;
    });
  });
  EXPECT_EQ(here(), announced());
}

class LandShareThatTakesTest : public LandShareTest {
 protected:
  // The other node is to die. Then this one should hold that cell, too.
  void given_other() {
    set_other("b", kAll);
    begin();
    share_->follow();
    const auto lacked = std::ranges::find_if(kAll, [this](int cell) {
      return !is_here(cell) && cell != log_.partition_of(kReferenceStream);
    });
    ASSERT_NE(lacked, kAll.end());
    lacked_ = *lacked;
  }
  void given_held_up() {
    given_other();
    const auto owner = owner_in(lacked_, layout_);
    testing::append(log_, testing::record(owner, 0, testing::farm_registered()));
    registry_log_.hold_up({lacked_, 0});
    kill_other("b");
  }

  int lacked_ = -1;
};

TEST_F(LandShareThatTakesTest, TakesTheOtherCellsIfOneDoesNotCatchUp) {
  given_held_up();
  pass_until([&] { return here().size() == kCells - 1; }, 20ms);
  EXPECT_FALSE(is_here(lacked_));
  registry_log_.let_pass();
  pass_until([&] { return here() == kAll; });
}

TEST_F(LandShareThatTakesTest, TakesTheOtherCellsIfTheEndOfOneIsNotKnown) {
  given_other();
  log_.without_end = lacked_;
  kill_other("b");
  pass_until([&] { return here().size() == kCells - 1; });
  EXPECT_FALSE(is_here(lacked_));
  log_.without_end = -1;
  pass_until([&] { return here() == kAll; });
}

TEST_F(LandShareThatTakesTest, GivesUpCellsWhileItTakesAnother) {
  given_held_up();
  const auto& its = finance_->cells().at(static_cast<std::size_t>(lacked_)).projector();
  pass_until([&] { return its.view({}, Position{lacked_, 0}).has_value(); });
  set_other("b", kAll);
  share_->drain();
  pass_until([&] { return registry_->cells().held().size() == 1; });
  EXPECT_TRUE(here().empty());
  registry_log_.let_pass();
}

// Its rows are removed, and are folded again if it comes back.
TEST_F(LandShareTest, RemovesTheRowsOfWhatItHasGivenUp) {
  std::map<int, std::string> owners;
  for (const int cell : kAll) {
    owners[cell] = owner_in(cell, layout_);
    testing::append(log_, testing::record(owners[cell], 0, testing::farm_registered()));
  }
  begin();
  share_->follow();
  std::map<int, RowView> readers;
  for (const int cell : kAll) {
    readers.emplace(cell, *registry_->of(owners[cell]).projector().view(owners[cell]));
  }
  set_other("b", kAll);
  pass_until([&] { return here().size() == 2; });
  const auto kept = here();
  const auto has_rows = [&](int cell) {
    return std::ranges::any_of(std::array{&registry_, &finance_, &market_}, [&](auto* projection) {
      return (*projection)->has_rows(owners[cell]);
    });
  };
  const auto is_given_up = [&](int cell) { return std::ranges::find(kept, cell) == kept.end(); };
  pass_until([&] {
    return std::ranges::all_of(kAll, [&](int cell) {
      return !is_given_up(cell) || !registry_->of(owners[cell]).projector().has_read_any();
    });
  });
  for (const int cell : kAll) {
    EXPECT_EQ(readers.at(cell).rows.count<Farm>({}), 1) << "what has begun to read goes on";
    EXPECT_TRUE(has_rows(cell)) << "and the files stay as long";
  }
  readers.clear();
  pass_until([&] {
    return std::ranges::all_of(kAll, [&](int cell) { return has_rows(cell) != is_given_up(cell); });
  });

  kill_other("b");
  pass_until([&] { return here() == kAll; });
  for (const int cell : kAll) {
    const auto view = registry_->of(owners[cell]).projector().view(owners[cell]);
    EXPECT_EQ(view->rows.count<Farm>({}), 1);
  }
}

TEST_F(LandShareTest, KeepsRowsWhileItDrains) {
  const auto owner = owner_in(0, layout_);
  testing::append(log_, testing::record(owner, 0, testing::farm_registered()));
  begin();
  share_->follow();
  share_->drain();
  set_other("b", kAll);
  pass_until([&] { return registry_->cells().held().size() == 1; });
  for (int i = 0; i < 100; ++i) time_.pass(100ms), std::this_thread::yield();
  EXPECT_TRUE(registry_->has_rows(owner));
}

TEST_F(LandShareTest, TakesBackWhatItIsGivingUpIfTheOtherDies) {
  begin();
  share_->follow();
  set_other("b", kAll);
  pass_until([&] { return here().size() == 2; });
  kill_other("b");
  pass_until([&] { return here() == kAll && announced() == kAll; });
}

TEST_F(LandShareTest, KeepsWhatNobodyElseHolds) {
  begin();
  share_->follow();
  set_other("b", {});
  for (int i = 0; i < 1'000; ++i) time_.pass(100ms), std::this_thread::yield();
  EXPECT_EQ(announced(), kAll);
}

TEST_F(LandShareTest, GivesUpEverythingWhileItDrains) {
  begin();
  share_->follow();
  share_->drain();
  set_other("b", {});
  for (int i = 0; i < 100; ++i) time_.pass(100ms), std::this_thread::yield();
  EXPECT_EQ(announced(), kAll) << "the other has not taken it yet";
  set_other("b", kAll);
  pass_until([&] { return announced().empty(); });
  pass_until([&] { return here().empty(); });
}

TEST_F(LandShareTest, AHaltedCellIsForOthersToAnswer) {
  begin();
  ASSERT_TRUE(finance_->pause("ada"));
  EXPECT_EQ(announced(), kAll) << "it answers what it can if no other does";
  EXPECT_EQ(share_->halted({{0, 0}, {3, 0}}), (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(here(), kAll) << "no node answers better";
  EXPECT_FALSE(share_->is_first(owner_in(0, layout_)));
  set_other("b", kAll);
  time_.pass(1s);
  EXPECT_TRUE(here().empty());
  set_other("b", kAll, kAll);
  EXPECT_EQ(here(), kAll) << "the other does not go on, either";
  set_other("b", kAll);
  ASSERT_TRUE(finance_->resume("ada"));
  EXPECT_EQ(here(), kAll);
  EXPECT_TRUE(share_->halted({{0, 0}, {3, 0}}).empty());
}

TEST_F(LandShareTest, TellsForWhichOwnersItIsFirst) {
  begin();
  share_->follow();
  pass_until([&] { return first_changed_ == 1; });
  set_other("b", kAll);
  pass_until([&] { return first_changed_ == 2; });
  int first = 0;
  for (const int cell : kAll) first += share_->is_first(owner_in(cell, layout_));
  EXPECT_EQ(first, 2);
}

class LandShareOfTwoCopiesTest : public LandShareTest {
 protected:
  int copies() const override { return 2; }
};

TEST_F(LandShareOfTwoCopiesTest, TellsHowManyCellsHaveTooFew) {
  begin();
  EXPECT_EQ(gauge("tilth_cells_short_of_copies"), kCells);
  EXPECT_EQ(gauge("tilth_cells_without_node"), 0);
  set_other("b", {0, 1, 2});
  EXPECT_EQ(gauge("tilth_cells_short_of_copies"), kCells - 3);
  set_other("b", kAll);
  EXPECT_EQ(gauge("tilth_cells_short_of_copies"), 0);
}

}  // namespace
}  // namespace tilth
