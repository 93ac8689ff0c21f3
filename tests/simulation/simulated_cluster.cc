#include "tests/simulation/simulated_cluster.h"

#include <algorithm>
#include <memory>

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kSilence = 6s;   // then a node that was sent something is lost
constexpr auto kLooks = 100ms;  // whether a client waits no more

}  // namespace

struct SimulatedCluster::Passed {
  std::string from, to;
  std::uint64_t life;  // of the node that it is from
  HttpRequest request;
  std::unique_ptr<Responder> answer;
  OnLost lost;
  bool has_ended = false;
};

// Brings a response back to the node that has passed the request on.
class SimulatedCluster::Returning final : public Responder {
 public:
  Returning(SimulatedCluster& cluster, std::shared_ptr<Passed> passed)
      : cluster_(cluster), passed_(std::move(passed)) {}

  void respond(HttpResponse response) override { cluster_.come_back(passed_, std::move(response)); }
  std::unique_ptr<BodyStream> stream(HttpResponse /*head*/) override { return nullptr; }

 private:
  SimulatedCluster& cluster_;
  const std::shared_ptr<Passed> passed_;
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

void SimulatedCluster::send(const std::string& from, const std::string& to, HttpRequest request,
                            std::unique_ptr<Responder> answer, OnLost lost) {
  world_.note(from + " passes on to " + to);
  spoil(request);
  passed_.sent(request, to, nodes_.at(from).reference());
  const auto passed = std::make_shared<Passed>(Passed{
      from, to, nodes_.at(from).lives(), std::move(request), std::move(answer), std::move(lost)});
  world_.after(world_.between(50us, 3ms), [this, passed] {
    if (!reach(passed->from, passed->to)) return lose(*passed, Lost::kNotSent);
    world_.after(kSilence, [this, passed] { lose(*passed, Lost::kUnknown); });
    world_.after(world_.between(50us, 3ms), [this, passed] { arrive(passed); });
    end_if_abandoned(passed);
  });
}

// As a planted bug asks for.
void SimulatedCluster::spoil(HttpRequest& request) {
  const auto forget = [&](std::string_view name) {
    std::erase_if(request.headers, [&](const auto& header) { return header.first == name; });
  };
  if (world_.has(PlantedBug::kPassedOnReadDoesNotWait)) forget("tilth-min-position");
  const bool again = passed_.was_sent(*request.header("x-request-id"));
  if (again && world_.has(PlantedBug::kResendLosesItsKey)) forget("idempotency-key");
}

void SimulatedCluster::arrive(const std::shared_ptr<Passed>& passed) {
  const auto& node = nodes_.at(passed->to);
  if (passed->has_ended || !reach(passed->from, passed->to)) return;
  // A paused one may still find it when it goes on.
  if (node.is_paused()) return world_.after(200ms, [this, passed] { arrive(passed); });
  node.take(passed->request, std::make_unique<Returning>(*this, passed));
}

void SimulatedCluster::come_back(const std::shared_ptr<Passed>& passed, HttpResponse response) {
  const auto& node = nodes_.at(passed->to);
  world_.after(world_.between(50us, 3ms),
               [this, passed, life = node.lives(), &node, response = std::move(response)] {
                 const bool arrives = reach(passed->from, passed->to) && node.lives() == life;
                 if (arrives && !world_.fails_once_in(40)) end(*passed, response);
               });
}

void SimulatedCluster::end(Passed& passed, HttpResponse response) {
  if (std::exchange(passed.has_ended, true) || nodes_.at(passed.from).lives() != passed.life)
    return;
  if (world_.has(PlantedBug::kAnswersAreMixedUp) && passed.request.method != "GET") {
    const auto other = std::exchange(mixed_up_, response);
    if (other && other->status == response.status && world_.once_in(10)) response = *other;
  }
  passed.answer->respond(std::move(response));
}

void SimulatedCluster::lose(Passed& passed, Lost how) {
  if (std::exchange(passed.has_ended, true) || nodes_.at(passed.from).lives() != passed.life)
    return;
  passed_.lost(passed.request, how);
  if (world_.has(PlantedBug::kUnknownIsSentAgain)) how = Lost::kNotSent;
  passed.lost(how, passed.to + " is lost.", std::move(passed.request), std::move(passed.answer));
}

// As the thread of a PeerClient looks now and then.
void SimulatedCluster::end_if_abandoned(const std::shared_ptr<Passed>& passed) {
  if (passed->has_ended || nodes_.at(passed->from).lives() != passed->life) return;
  if (passed->answer->abandoned()) return end(*passed, {.status = 503});
  world_.after(kLooks, [this, passed] { end_if_abandoned(passed); });
}

}  // namespace tilth::testing
