#include "tests/simulation/cell_questions.h"

#include <string>

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kLate = 200ms;  // until a node notices that an answer is of no use any more

}  // namespace

void CellQuestions::begin() {
  world_.after(world_.between(200ms, 4s), [this] {
    if (over_) return;
    ask();
    begin();
  });
}

void CellQuestions::ask() {
  auto& node = *nodes_[world_.below(nodes_.size())];
  if (!node.is_ready() || node.is_paused()) return;
  const auto within = world_.once_in(2) ? 1s : 5s;
  const auto answered = std::make_shared<bool>(false);
  ++under_way_;
  node.ask_cells(within, [this, &node, answered, latest = world_.now() + within + kLate](
                             std::optional<Result<CellTexts>> parts) {
    if (std::exchange(*answered, true)) world_.violated("A question was answered twice");
    --under_way_;
    if (!parts) return;  // the node has died
    if (world_.now() > latest && !node.is_paused()) {
      world_.violated(node.name() + " answered a question late");
    }
    if (!*parts) {
      ++refused_;
      if (parts->error().retry_after_seconds == 0) {
        world_.violated("A question was refused, and its client not told when to ask again");
      }
      return;
    }
    CellTexts expected;
    for (std::size_t cell = 0; cell < node.share()->cells(); ++cell) {
      expected[cell] = std::to_string(cell);
    }
    if (**parts != expected) world_.violated(node.name() + " was told of other cells");
  });
}

}  // namespace tilth::testing
