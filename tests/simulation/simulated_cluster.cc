#include "tests/simulation/simulated_cluster.h"

#include <algorithm>
#include <memory>

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kSilence = 6s;   // then a node that was sent something is lost
constexpr auto kLooks = 100ms;  // whether a client waits no more

}  // namespace

struct SimulatedCluster::Forwarded {
  std::string from, to;
  std::uint64_t life;  // of the node that it is from
  HttpRequest request;
  std::unique_ptr<Responder> answer;
  OnLost lost;
  bool has_ended = false;
};

// Brings a response back to the node that has forwarded the request.
class SimulatedCluster::Returning final : public Responder {
 public:
  Returning(SimulatedCluster& cluster, std::shared_ptr<Forwarded> forwarded)
      : cluster_(cluster), forwarded_(std::move(forwarded)) {}

  void respond(HttpResponse response) override {
    cluster_.come_back(forwarded_, std::move(response));
  }
  std::unique_ptr<BodyStream> stream(HttpResponse /*head*/) override { return nullptr; }

 private:
  SimulatedCluster& cluster_;
  const std::shared_ptr<Forwarded> forwarded_;
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
  world_.note(from + " forwards to " + to);
  spoil(request);
  forwarded_.sent(request, to, nodes_.at(from).reference());
  const auto forwarded = std::make_shared<Forwarded>(Forwarded{
      from, to, nodes_.at(from).lives(), std::move(request), std::move(answer), std::move(lost)});
  world_.after(world_.between(50us, 3ms), [this, forwarded] {
    if (!reach(forwarded->from, forwarded->to)) return lose(*forwarded, Lost::kNotSent);
    world_.after(kSilence, [this, forwarded] { lose(*forwarded, Lost::kUnknown); });
    world_.after(world_.between(50us, 3ms), [this, forwarded] { arrive(forwarded); });
    end_if_abandoned(forwarded);
  });
}

// As a planted bug asks for.
void SimulatedCluster::spoil(HttpRequest& request) {
  const auto forget = [&](std::string_view name) {
    std::erase_if(request.headers, [&](const auto& header) { return header.first == name; });
  };
  if (world_.has(PlantedBug::kForwardedReadDoesNotWait)) forget("tilth-min-position");
  const bool again = forwarded_.was_sent(*request.header("x-request-id"));
  if (again && world_.has(PlantedBug::kResendLosesItsKey)) forget("idempotency-key");
}

void SimulatedCluster::arrive(const std::shared_ptr<Forwarded>& forwarded) {
  const auto& node = nodes_.at(forwarded->to);
  if (forwarded->has_ended || !reach(forwarded->from, forwarded->to)) return;
  // A paused one may still find it when it goes on.
  if (node.is_paused()) return world_.after(200ms, [this, forwarded] { arrive(forwarded); });
  node.take(forwarded->request, std::make_unique<Returning>(*this, forwarded));
}

void SimulatedCluster::come_back(const std::shared_ptr<Forwarded>& forwarded,
                                 HttpResponse response) {
  const auto& node = nodes_.at(forwarded->to);
  world_.after(world_.between(50us, 3ms),
               [this, forwarded, life = node.lives(), &node, response = std::move(response)] {
                 const bool arrives = reach(forwarded->from, forwarded->to) && node.lives() == life;
                 if (arrives && !world_.fails_once_in(40)) end(*forwarded, response);
               });
}

void SimulatedCluster::end(Forwarded& forwarded, HttpResponse response) {
  if (std::exchange(forwarded.has_ended, true) ||
      nodes_.at(forwarded.from).lives() != forwarded.life)
    return;
  if (world_.has(PlantedBug::kAnswersAreMixedUp) && forwarded.request.method != "GET") {
    const auto other = std::exchange(mixed_up_, response);
    if (other && other->status == response.status && world_.once_in(10)) response = *other;
  }
  forwarded.answer->respond(std::move(response));
}

void SimulatedCluster::lose(Forwarded& forwarded, Lost how) {
  if (std::exchange(forwarded.has_ended, true) ||
      nodes_.at(forwarded.from).lives() != forwarded.life)
    return;
  forwarded_.lost(forwarded.request, how);
  if (world_.has(PlantedBug::kUnknownIsSentAgain)) how = Lost::kNotSent;
  forwarded.lost(how, forwarded.to + " is lost.", std::move(forwarded.request),
                 std::move(forwarded.answer));
}

// As the thread of a PeerClient looks now and then.
void SimulatedCluster::end_if_abandoned(const std::shared_ptr<Forwarded>& forwarded) {
  if (forwarded->has_ended || nodes_.at(forwarded->from).lives() != forwarded->life) return;
  if (forwarded->answer->abandoned()) return end(*forwarded, {.status = 503});
  world_.after(kLooks, [this, forwarded] { end_if_abandoned(forwarded); });
}

}  // namespace tilth::testing
