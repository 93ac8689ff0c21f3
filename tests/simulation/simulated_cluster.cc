#include "tests/simulation/simulated_cluster.h"

#include <algorithm>
#include <memory>

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kSilence = 6s;  // then a node that was sent something is lost

}  // namespace

struct SimulatedCluster::Request {
  std::string from, to;
  Work work;
  std::function<void(Answer)> answered;
  std::function<void(bool)> lost;
  bool has_ended = false;

  void lose(bool may_be_done) {
    if (!std::exchange(has_ended, true)) lost(may_be_done);
  }
};

void SimulatedCluster::cut(const std::string& one, const std::string& other, bool is_cut) {
  const auto link = std::minmax(one, other);
  if (is_cut) {
    cut_.emplace(link);
  } else {
    cut_.erase(link);
  }
}

bool SimulatedCluster::reach(const std::string& one, const std::string& other) const {
  return !cut_.contains(std::minmax(one, other)) && nodes_.at(other).is_up();
}

void SimulatedCluster::send(const std::string& from, const std::string& to, Work work,
                            std::function<void(Answer)> answered, std::function<void(bool)> lost) {
  const auto request = std::make_shared<Request>(
      Request{from, to, std::move(work), std::move(answered), std::move(lost)});
  world_.after(world_.between(50us, 3ms), [this, request] {
    if (!reach(request->from, request->to)) return request->lose(false);
    world_.after(kSilence, [request] { request->lose(true); });
    world_.after(world_.between(50us, 3ms), [this, request] { arrive(request); });
  });
}

void SimulatedCluster::arrive(const std::shared_ptr<Request>& request) {
  const auto& node = nodes_.at(request->to);
  if (request->has_ended || !reach(request->from, request->to) || node.is_paused()) {
    // Nothing comes back; a paused one may still find it when it goes on.
    if (node.is_up() && node.is_paused() && !request->has_ended) {
      world_.after(200ms, [this, request] { arrive(request); });
    }
    return;
  }
  request->work(*node.node,
                [this, request, life = node.lives(), &node](std::optional<Answer> answer) {
                  world_.after(world_.between(50us, 3ms), [this, request, life, &node, answer] {
                    const bool arrives = reach(request->from, request->to) && node.lives() == life;
                    if (!arrives || world_.fails_once_in(40)) return;
                    end(request, answer);
                  });
                });
}

void SimulatedCluster::end(const std::shared_ptr<Request>& request, std::optional<Answer> answer) {
  if (!answer) return request->lose(false);
  if (std::exchange(request->has_ended, true)) return;
  if (world_.has(PlantedBug::kAnswersAreMixedUp)) {
    const auto other = std::exchange(mixed_up_, answer);
    if (other && other->result.has_value() == answer->result.has_value() && world_.once_in(10)) {
      answer = other;
    }
  }
  request->answered(*answer);
}

}  // namespace tilth::testing
