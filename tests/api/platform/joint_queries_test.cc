// Questions about all owners: whose cells are asked, what is waited for, and what comes of it.

#include "api/platform/joint_queries.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>
#include <utility>

#include "api/platform/forwarding.h"
#include "events/log/streams.h"
#include "projections/market/market.h"
#include "tests/api/api_fixture.h"
#include "tests/fixtures/land.h"
#include "tests/fixtures/records.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

// The other nodes, whose answer the test gives.
class Others final : public Forwarding {
 public:
  bool is_here(const std::string&) const override { return true; }
  std::size_t cells() const override { return 2; }
  bool is_here(std::size_t cell) const override { return here.contains(cell); }
  void ask_cells(const Call& call, std::chrono::milliseconds within, CellTexts asks,
                 std::function<void(Result<CellTexts>)> done) override {
    asked = std::move(asks);
    asked_within = within;
    asked_for = call.exchange;
    answer = std::move(done);
    ++times_asked;
  }
  void forward(Call) override { FAIL(); }
  void when_known(const HttpRequest&, std::function<void(bool)> done) override { done(true); }

  std::set<std::size_t> here = {0, 1};
  CellTexts asked;
  std::chrono::milliseconds asked_within{0};
  std::shared_ptr<Exchange> asked_for;
  int times_asked = 0;
  std::function<void(Result<CellTexts>)> answer;
};

// Cells answer with what they are asked; the response has it all.
class Echo final : public JointQuestion {
 public:
  explicit Echo(int rounds) : rounds_(rounds) {}
  std::string ask(std::size_t cell, std::size_t cells) override {
    return std::to_string(cell) + "/" + std::to_string(cells);
  }
  Result<std::string> part(const Rows&, std::string_view ask) const override {
    return std::string(ask);
  }
  Result<std::optional<HttpResponse>> join(const std::vector<std::string>& answers,
                                           const Rows&) override {
    if (--rounds_ > 0) return std::optional<HttpResponse>();
    HttpResponse response{200};
    for (const auto& each : answers) response.body += each + " ";
    return std::optional(std::move(response));
  }

 private:
  int rounds_;
};

class JointQueriesTest : public ApiFixture {
 protected:
  JointQueriesTest() {
    for (std::size_t cell = 0; cell < 2; ++cell) {
      for (int number = 0; owners[cell].empty(); ++number) {
        const auto stream = "user_" + std::to_string(number);
        if (layout.cell_of(stream) == static_cast<int>(cell)) owners[cell] = stream;
      }
    }
  }

  struct Recorder final : Responder {
    Recorder(Answered to, const std::set<Answered>& those_gone)
        : answered(std::move(to)), gone(those_gone) {}
    void respond(HttpResponse response) override { answered->set(std::move(response)); }
    std::unique_ptr<BodyStream> stream(HttpResponse) override { std::abort(); }
    bool abandoned() const override { return gone.contains(answered); }
    Answered answered;
    const std::set<Answered>& gone;
  };
  JointQueries::Asked asked(const Answered& answered, HttpRequest of = {}, int rounds = 1) {
    Call call;
    call.exchange = std::make_shared<Exchange>(
        std::move(of), std::make_unique<Recorder>(answered, gone), "id", Exchange::OnAnswered());
    call.holder = std::make_shared<KeyHolder>(KeyHolder{"key", owners[0], "summit", {}});
    return {std::move(call), std::make_shared<Echo>(rounds), &market_cells,
            std::string(kMarketStream)};
  }
  Answered ask(std::optional<Position> since = {}, int rounds = 1, std::string query = {}) {
    auto answered = std::make_shared<Arrival>();
    HttpRequest request;
    request.query = std::move(query);
    auto its = asked(answered, std::move(request), rounds);
    its.since = since;
    joint.answer(std::move(its));
    return answered;
  }
  Answered ask_parts(const CellTexts& asks, const std::string& cells = "2") {
    auto answered = std::make_shared<Arrival>();
    HttpRequest request;
    request.headers.emplace_back(Forwarding::kParts, cells);
    request.body = written(asks);
    joint.answer_parts(asked(answered, std::move(request)));
    return answered;
  }
  Answer turned(const Answered& answered) {
    turn_until([&] { return answered->has_value(); }, {&node, &zero, &one, &names});
    return {answered->value()};
  }
  // The position of a record of the owner in that cell, which no one has read yet.
  Position happened(std::size_t cell) {
    const auto& stream = owners[cell];
    testing::append(log, record(stream, 0, farm_registered()));
    return {log.partition_of(stream), 0};
  }

  const CellLayout layout{log, 2, CellLayout::ReferenceData::kApart};
  Node zero{log, '3', {}, [this] { return layout.part_of(market(), 0); }};
  Node one{log, '4', {}, [this] { return layout.part_of(market(), 1); }};
  Node names{log, '5', {}, [this] { return layout.part_of(market(), 2); }};
  Cells market_cells{layout, {&zero.loop(), &one.loop(), &names.loop()}};
  Others others;
  std::set<Answered> gone;  // whose clients are
  JointQueries::Steady::time_point now;
  JointQueries joint{{own_land, row_faults, clock, executor, &others, [this] { return now; }}};
  std::string owners[2];
};

TEST_F(JointQueriesTest, AsksEachCellHereAndOtherNodesForTheRest) {
  EXPECT_EQ(turned(ask()).body(), "0/2 1/2 ");
  others.here = {0};
  const auto answered = ask();
  EXPECT_EQ(others.asked, (CellTexts{{1, "1/2"}}));
  EXPECT_FALSE(answered->has_value());
  others.answer(CellTexts{{1, "from afar"}});
  EXPECT_EQ(turned(answered).body(), "0/2 from afar ");
}

TEST_F(JointQueriesTest, AnswersNothingRatherThanAPart) {
  others.here = {0};
  const auto answered = ask();
  others.answer(Error{ErrorCode::kUnavailable, "No node has it."});
  EXPECT_EQ(turned(answered).code(), "503 SERVICE_UNAVAILABLE");
}

TEST_F(JointQueriesTest, AsksAgainButNotForEver) {
  EXPECT_EQ(turned(ask({}, 3)).status(), 200);
  EXPECT_EQ(turned(ask({}, 4)).code(), "503 SERVICE_UNAVAILABLE");
}

TEST_F(JointQueriesTest, ACellThatStandsStillIsAskedElsewhere) {
  OperatorOverrides paused;
  paused.paused = true;
  one.loop().projector().apply_overrides(paused);
  happened(1);
  for (int turn = 0; turn < 1'000 && !one.loop().projector().lacks_events(); ++turn) {
    static_cast<void>(one.loop().turn(std::chrono::milliseconds(0)));  // it says that it is paused
    std::this_thread::yield();
  }
  const auto answered = ask();
  EXPECT_EQ(others.asked, (CellTexts{{1, "1/2"}}));
  others.answer(CellTexts{{1, "goes on"}});
  turn_until([&] { return answered->has_value(); }, {&node, &zero, &names});
  EXPECT_EQ(answered->value().body, "0/2 goes on ");
}

// A client may have written since a cell was asked for another one's question.
TEST_F(JointQueriesTest, EqualQuestionsWaitAndAreAskedAsOne) {
  others.here = {0};
  const auto first = ask(), second = ask(), third = ask();
  EXPECT_EQ(others.times_asked, 1);
  std::exchange(others.answer, {})(CellTexts{{1, "before"}});
  EXPECT_EQ(turned(first).body(), "0/2 before ");
  EXPECT_EQ(others.times_asked, 2);
  EXPECT_FALSE(second->has_value());
  std::exchange(others.answer, {})(CellTexts{{1, "after"}});
  EXPECT_EQ(turned(second).body(), "0/2 after ");
  EXPECT_EQ(turned(third).body(), "0/2 after ");
  const auto fourth = ask();
  EXPECT_EQ(others.times_asked, 3);
  others.answer(CellTexts{{1, "alone"}});
  EXPECT_EQ(turned(fourth).body(), "0/2 alone ");
}

TEST_F(JointQueriesTest, AnotherQuestionDoesNotWait) {
  others.here = {0};
  const auto first = ask({}, 1, "country=SE");
  const auto answer = std::exchange(others.answer, {});
  const auto second = ask({}, 1, "country=FI");
  EXPECT_EQ(others.times_asked, 2);
  others.answer(CellTexts{{1, "FI"}});
  EXPECT_EQ(turned(second).body(), "0/2 FI ");
  answer(CellTexts{{1, "SE"}});
  EXPECT_EQ(turned(first).body(), "0/2 SE ");
}

// Other nodes learn the position from the request that is forwarded to them.
TEST_F(JointQueriesTest, AQuestionWithAnotherPositionDoesNotWait) {
  others.here = {0};
  const auto first = ask();
  const auto answer = std::exchange(others.answer, {});
  const auto second = ask(happened(0));
  EXPECT_EQ(others.times_asked, 2);
  others.answer(CellTexts{{1, "recent"}});
  answer(CellTexts{{1, "any"}});
  EXPECT_EQ(turned(second).body(), "0/2 recent ");
  EXPECT_EQ(turned(first).body(), "0/2 any ");
}

TEST_F(JointQueriesTest, GoesOnForAClientAsLongAsOneIsThere) {
  others.here = {0};
  const auto first = ask(), second = ask(), third = ask();
  std::exchange(others.answer, {})(CellTexts{{1, ""}});
  turned(first);
  gone = {second};
  EXPECT_FALSE(others.asked_for->abandoned());
  gone = {second, third};
  EXPECT_TRUE(others.asked_for->abandoned());
  others.answer(CellTexts{{1, ""}});
  turned(third);
}

TEST_F(JointQueriesTest, HasOneDeadlineForAllOfItsRounds) {
  others.here = {0};
  const auto answered = ask({}, 3);
  EXPECT_EQ(others.asked_within, 5s);
  now += 3s;
  std::exchange(others.answer, {})(CellTexts{{1, ""}});
  turn_until([&] { return others.answer != nullptr; }, {&node, &zero, &one, &names});
  EXPECT_EQ(others.asked_within, 2s);
  now += 2s;
  others.answer(CellTexts{{1, ""}});
  EXPECT_EQ(turned(answered).code(), "503 SERVICE_UNAVAILABLE");
}

TEST_F(JointQueriesTest, RefusesWhoHasWaitedTooLongForAnEqualQuestion) {
  others.here = {0};
  const auto first = ask(), second = ask();
  now += 5s;
  others.answer(CellTexts{{1, ""}});
  EXPECT_EQ(turned(first).status(), 200);
  EXPECT_EQ(turned(second).code(), "503 SERVICE_UNAVAILABLE");
  EXPECT_EQ(others.times_asked, 1);
}

// A client sees what it has written, in whichever cell that lies.
TEST_F(JointQueriesTest, WaitsForThePositionInTheCellThatReadsIt) {
  for (const std::size_t cell : {0, 1}) {
    const auto answered = ask(happened(cell));
    EXPECT_FALSE(answered->has_value());
    EXPECT_EQ(turned(answered).status(), 200);
  }
}

// Another owner's removal delays it no longer than that, and what its client has read before is
// there nevertheless.
TEST_F(JointQueriesTest, ChecksEveryPositionAfterARemovalHasHeldUpOne) {
  constexpr std::uint64_t kBlocks = 200;
  const auto project = [this] {
    auto whole = registry();
    whole.of_all = kMarketStream;
    whole.age = market().age;
    whole.cascade_budget = 1;
    return layout.part_of(whole, 0);
  };
  Node slow{log, '6', {}, project};
  Cells cells{layout, {&slow.loop(), &one.loop(), &names.loop()}};
  std::string remover;
  for (int number = 100; remover.empty(); ++number) {
    const auto stream = "user_" + std::to_string(number);
    if (layout.cell_of(stream) == 0 && stream != owners[0]) remover = stream;
  }
  std::uint64_t version = 0;
  const auto happened = [&](const Event& event) {
    testing::append(log, record(remover, version++, event));
  };
  happened(farm_registered());
  happened(field_registered());
  happened(crop_registered());
  for (std::uint64_t number = 0; number < kBlocks; ++number) {
    const auto id =
        parsed<Uuid>("00000000-0000-4000-8000-" + std::to_string(100'000'000'000 + number));
    happened(block_registered({kFarm.farm_id, kField.field_id, BlockId{id}}, kCrop,
                              "B" + std::to_string(number)));
  }
  happened(CropRemoved{{kCrop.crop_id, kThen}});
  const Position removal{log.partition_of(remover), static_cast<std::int64_t>(version - 1)};
  const auto has_read = [&](Node& reader) {
    return reader.loop().projector().next(removal.partition) > removal.offset;
  };
  turn_until([&] { return has_read(node) && has_read(slow); }, {&node, &slow, &names});

  const auto ask_slow = [&](std::optional<Position> since) {
    const auto& projector = slow.loop().projector();
    EXPECT_FALSE(projector.view(std::string(kMarketStream), removal)) << "it is removed already";
    const auto answered = std::make_shared<Arrival>();
    HttpRequest request;
    request.headers.emplace_back(Forwarding::kParts, "2");
    request.body = written(CellTexts{{0, "zero"}});
    auto its = asked(answered, std::move(request));
    its.cells = &cells;
    its.since = since;
    joint.answer_parts(std::move(its));
    slow.waited += 10s;
    turn_until([&] { return answered->has_value(); }, {&slow});
    return answered->value().status;
  };
  EXPECT_EQ(ask_slow(std::nullopt), 200);
  EXPECT_EQ(ask_slow(Position{removal.partition, removal.offset + 1}), 503);
}

TEST_F(JointQueriesTest, AnswersAnotherNodeForWhatIsHere) {
  others.here = {1};
  const auto answer = turned(ask_parts({{0, "zero"}, {1, "one"}}));
  EXPECT_EQ(answer.status(), 200);
  EXPECT_EQ(read_cell_texts(answer.body()), (CellTexts{{1, "one"}}));
}

TEST_F(JointQueriesTest, AnswersAnotherNodeWithinItsDeadline) {
  const auto answered = std::make_shared<Arrival>();
  HttpRequest request;
  request.headers.emplace_back(Forwarding::kParts, "2");
  request.headers.emplace_back(Forwarding::kWithin, "0");
  request.body = written(CellTexts{{0, "zero"}});
  auto its = asked(answered, std::move(request));
  its.since = happened(0);
  joint.answer_parts(std::move(its));
  EXPECT_EQ(answered->value().status, 503);
}

TEST_F(JointQueriesTest, SendsAnotherNodeOnIfNothingOfItIsHere) {
  others.here = {};
  EXPECT_EQ(turned(ask_parts({{0, "zero"}})).status(), Forwarding::kNotHereStatus);
  others.here = {0, 1};
  EXPECT_EQ(turned(ask_parts({{100'000, "no such cell"}})).status(), Forwarding::kNotHereStatus);
  EXPECT_EQ(turned(ask_parts({{0, "zero"}}, "3")).status(), Forwarding::kNotHereStatus)
      << "it divides the land otherwise";
}

}  // namespace
}  // namespace tilth::testing
