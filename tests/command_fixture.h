// Two nodes over one log, the commands that they were asked to carry out, and what came of them.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "command/farm.h"
#include "tests/flaky_log.h"
#include "tests/land.h"
#include "tests/node.h"

namespace tilth::testing {

inline Decide register_farm(const std::string& name = "Al Noor") {
  return deciding(RegisterFarm{{}, {.name = name, .total_area = Decimal(10)}});
}

class CommandFixture : public ::testing::Test {
 protected:
  static CommandRequest asked(Decide decide, const std::string& stream = "user_1") {
    return {.stream = stream, .actor = "key_1", .request_id = "r", .decide = std::move(decide)};
  }
  static CommandRequest keyed(Decide decide, std::string key, std::string hash = "hash") {
    auto request = asked(std::move(decide));
    request.idempotency = Idempotency{std::move(key), std::move(hash)};
    return request;
  }

  void start(Node& node, CommandRequest request) {
    ++started;
    auto stream = request.stream;
    node.loop().carry_out(std::move(request), [this, &node, stream](const Result<Outcome>& end) {
      ++answered;
      told += &node == &here ? "here" : "there";
      told += stream == "user_1" ? ": " : " " + stream + ": ";
      told += described(end) + "\n";
      outcomes.push_back(end);
    });
  }
  static std::string described(const Result<Outcome>& end) {
    if (!end) return "refused: " + end.error().message;
    std::string text = end->replayed ? "again " : "";
    if (end->refusal) return text + end->refusal->code;
    text += end->event ? encode(*end->event).type : "nothing";
    if (end->row && end->row->table == Farm::kTable) {
      text += " " + RowCodec<Farm>::decode(end->row->bytes).details.name;
    }
    return text;
  }

  void settle() {
    turn_until([this] { return answered == started; }, {&here, &there});
  }
  // Until `node` alone has answered everything.
  void settle(Node& node) {
    turn_until([this] { return answered == started; }, {&node});
  }
  void carry_out(Node& node, CommandRequest request) {
    start(node, std::move(request));
    settle();
  }
  Result<Outcome> carried_out(Node& node, CommandRequest request) {
    carry_out(node, std::move(request));
    return outcomes.back();
  }

  FlakyLog log;
  Node here{log, '0'}, there{log, '1'};
  int started = 0, answered = 0;
  std::string told;
  std::vector<Result<Outcome>> outcomes;
};

}  // namespace tilth::testing
