#include "infra/cluster/asking_nodes.h"

#include <algorithm>
#include <utility>

namespace tilth {

void AskingNodes::begin(Parts parts, CellTexts asks, Done done) {
  const std::shared_ptr<AskingNodes> asking(
      new AskingNodes(std::move(parts), std::move(asks), std::move(done)));
  std::unique_lock lock(asking->mutex_);
  const auto requests = asking->next_requests(asking->asks_);
  asking->missing_ = requests.size() + 1;
  lock.unlock();
  asking->send(requests);
  asking->on_answer({}, CellTexts());
}

AskingNodes::AskingNodes(Parts parts, CellTexts asks, Done done)
    : parts_(std::move(parts)), asks_(std::move(asks)), done_(std::move(done)) {
  for (const auto& [cell, ask] : asks_) nodes_[cell] = in_turn(cell);
}

std::vector<std::string> AskingNodes::in_turn(std::size_t cell) const {
  auto nodes = parts_.nodes_with(cell);
  std::ranges::reverse(nodes);
  return nodes;
}

// Each cell's next node.
AskingNodes::Requests AskingNodes::next_requests(const CellTexts& cells) {
  Requests requests;
  for (const auto& [cell, ask] : cells) {
    auto& nodes = nodes_[cell];
    if (nodes.empty() && looked_again_.insert(cell).second) nodes = in_turn(cell);
    if (nodes.empty()) {
      failed_ = true;
      continue;
    }
    requests[nodes.back()][cell] = ask;
    nodes.pop_back();
  }
  return requests;
}

void AskingNodes::send(const Requests& requests) {
  for (const auto& [node, asks] : requests) {
    parts_.send(node, asks, [asking = shared_from_this(), asks](std::optional<CellTexts> answer) {
      asking->on_answer(asks, std::move(answer));
    });
  }
}

void AskingNodes::on_answer(const CellTexts& asked, std::optional<CellTexts> answer) {
  Requests again;
  {
    const std::lock_guard lock(mutex_);
    CellTexts unanswered;
    for (const auto& [cell, ask] : asked) {
      const auto found = answer ? answer->find(cell) : CellTexts::iterator();
      if (!answer || found == answer->end()) {
        unanswered[cell] = ask;
      } else {
        answers_[cell] = std::move(found->second);
      }
    }
    if (!failed_) again = next_requests(unanswered);
    missing_ += again.size();
    --missing_;
    if (missing_ > 0 && again.empty()) return;
  }
  if (!again.empty()) return send(again);
  if (!failed_) return done_(std::move(answers_));
  done_(Error{.code = ErrorCode::kUnavailable,
              .message = "No node that can be reached has a part of these rows at the moment.",
              .retry_after_seconds = 1});
}

}  // namespace tilth
