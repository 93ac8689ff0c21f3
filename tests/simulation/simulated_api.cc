#include "tests/simulation/simulated_api.h"

#include <map>
#include <utility>
#include <vector>

#include "api/guards/guards.h"
#include "api/keys/key_ring.h"
#include "api/platform/batches.h"
#include "api/platform/busy.h"
#include "api/platform/dispatcher.h"
#include "api/platform/executor.h"
#include "api/platform/fair_executor.h"
#include "api/platform/operations.h"
#include "api/platform/streamed_responses.h"
#include "api/v1/routes.h"
#include "tests/simulation/world_sources.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

// Each piece of work is a step of the world, in which nothing else happens.
class WorldExecutor final : public Executor {
 public:
  explicit WorldExecutor(World& world) : world_(world) {}

  Status post(Work work) override {
    if (stopped_) return busy("The service is stopping.");
    const auto number = ++posted_;
    waiting_.emplace(number, std::move(work));
    world_.after(world_.between(20us, 400us), [this, number, alive = std::weak_ptr(alive_)] {
      if (!alive.expired()) run(number);
    });
    return kDone;
  }

  bool is_idle() const { return waiting_.empty(); }

  void stop() {
    stopped_ = true;
    while (!waiting_.empty()) run(waiting_.begin()->first);
  }

 private:
  // Now and then the deadline of work passes while it runs.
  class Token final : public WorkToken {
   public:
    Token(World& world, const bool& stopped) : world_(world), stopped_(stopped) {}
    bool go_on() override {
      ended_ = ended_ || stopped_ || world_.fails_once_in(400);
      return !ended_;
    }
    Error error() const override { return busy("This took too long."); }

   private:
    World& world_;
    const bool& stopped_;
    bool ended_ = false;
  };

  void run(std::uint64_t number) {
    const auto next = waiting_.extract(number);
    if (next.empty()) return;
    Token token(world_, stopped_);
    next.mapped().run(token);
  }

  World& world_;
  std::map<std::uint64_t, Work> waiting_;
  std::uint64_t posted_ = 0;
  bool stopped_ = false;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// Asks a batch whether one of its requests may proceed. The ledger keeps the decision
// of the request for longer than the batch lives, so this lets go of the batch with the response.
class ProceedCheck {
 public:
  explicit ProceedCheck(std::function<Status()> may_proceed)
      : may_proceed_(std::move(may_proceed)) {}
  Status ask() const { return may_proceed_ ? may_proceed_() : Status(kDone); }
  void release_batch() { may_proceed_ = {}; }

 private:
  std::function<Status()> may_proceed_;
};

// What is answered to a request goes to another exchange.
class RelayedAnswer final : public Responder {
 public:
  RelayedAnswer(std::shared_ptr<Exchange> to, std::shared_ptr<ProceedCheck> check)
      : to_(std::move(to)), check_(std::move(check)) {}
  void respond(HttpResponse response) override {
    check_->release_batch();
    to_->answer(std::move(response));
  }
  std::unique_ptr<BodyStream> stream(HttpResponse head) override {
    return to_->stream(std::move(head));
  }
  bool abandoned() const override { return to_->abandoned(); }

 private:
  const std::shared_ptr<Exchange> to_;
  const std::shared_ptr<ProceedCheck> check_;
};

class Receiver final : public Responder {
 public:
  explicit Receiver(SimulatedApi::Client client) : client_(std::move(client)) {}
  void respond(HttpResponse response) override { client_.answered(response); }
  std::unique_ptr<BodyStream> stream(HttpResponse /*head*/) override { return nullptr; }
  bool abandoned() const override { return client_.abandoned(); }

 private:
  const SimulatedApi::Client client_;
};

// Gives each request of a batch an id of its own, by which its command is known.
class KnownSingles final : public SingleRequests {
 public:
  KnownSingles(World& world, const Dispatcher& dispatcher)
      : world_(world), dispatcher_(dispatcher) {}

  void carry_out_single(Call call) const override {
    const auto whole = call.exchange;
    auto request = whole->request();
    if (world_.has(PlantedBug::kBatchGoesOnAfterAFailure)) call.may_proceed = {};
    const auto check = std::make_shared<ProceedCheck>(std::move(call.may_proceed));
    checks_.push_back(check);
    call.may_proceed = [check] { return check->ask(); };
    if (world_.has(PlantedBug::kBatchedRequestLosesItsKey)) {
      std::erase_if(request.headers,
                    [](const auto& each) { return each.first == "idempotency-key"; });
    }
    auto id = whole->request_id() + "/" + request.query;
    call.exchange = std::make_shared<Exchange>(std::move(request),
                                               std::make_unique<RelayedAnswer>(whole, check),
                                               std::move(id), Exchange::OnAnswered());
    call.exchange->set_trace(whole->traceparent());
    dispatcher_.carry_out_single(std::move(call));
  }
  bool runs_alone(std::string_view method, std::string_view path) const override {
    return dispatcher_.runs_alone(method, path);
  }
  // The node ends, and with it the batches that are under way.
  void release_batches() {
    for (const auto& each : checks_) {
      if (const auto check = each.lock()) check->release_batch();
    }
  }

 private:
  World& world_;
  const Dispatcher& dispatcher_;
  mutable std::vector<std::weak_ptr<ProceedCheck>> checks_;
};

std::shared_ptr<const KeyHolder> holder_of(const std::string& owner) {
  KeyHolder holder{.key_id = "key_1", .user_id = owner, .plan = {}, .scopes = {}};
  holder.scopes.add(Scope::kAll);
  return std::make_shared<const KeyHolder>(std::move(holder));
}

}  // namespace

class SimulatedApi::Surface {
 public:
  explicit Surface(const Parts& parts)
      : clock_(parts.clock),
        executor_(parts.world),
        ids_(ids_of(parts.world)),
        row_faults_({[&cells = parts.cells](const auto& rows) { cells.cannot_read(rows); }}),
        operations_({.plan = [limit = parts.farm_limit](
                                 const std::string&) { return PlanLimits{.farms = limit}; }},
                    {.registry = parts.cells,
                     .changes = parts.changes,
                     .row_faults = row_faults_,
                     .clock = clock_,
                     .executor = for_large_ones_,
                     .streams = streams_}),
        batches_({.registry = parts.cells,
                  .changes = parts.changes,
                  .guards = guards_,
                  .row_faults = row_faults_,
                  .executor = executor_}),
        dispatcher_({.guards = guards_,
                     .row_faults = row_faults_,
                     .clock = clock_,
                     .ids = ids_,
                     .operations = &operations_,
                     .batches = &batches_},
                    v1_routes()),
        singles_(parts.world, dispatcher_) {}

  void carry_out_batch(HttpRequest request, Client client) {
    Call call{.exchange = nullptr, .client = "127.0.0.1", .now = clock_.now()};
    call.holder = holder_of(client.owner);
    auto id = client.request_id;
    auto traceparent = client.traceparent;
    call.exchange = std::make_shared<Exchange>(std::move(request),
                                               std::make_unique<Receiver>(std::move(client)),
                                               std::move(id), Exchange::OnAnswered());
    call.exchange->set_trace(traceparent);
    batches_.carry_out(std::move(call), singles_);
  }
  void stop() { executor_.stop(); }
  ~Surface() { singles_.release_batches(); }
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;
  bool is_idle() const { return executor_.is_idle(); }

 private:
  const Clock& clock_;
  WorldExecutor executor_;
  const IdSource ids_;
  const Guards guards_{{}};
  const RowFaults row_faults_;
  // For bodies and answers that are larger than any here.
  FairExecutor for_large_ones_{FairExecutor::Limits{}};
  StreamedResponses streams_{for_large_ones_};
  Operations operations_;
  Batches batches_;
  const Dispatcher dispatcher_;
  KnownSingles singles_;
};

SimulatedApi::SimulatedApi(const Parts& parts) : surface_(std::make_unique<Surface>(parts)) {}
SimulatedApi::~SimulatedApi() = default;

void SimulatedApi::carry_out_batch(HttpRequest request, Client client) {
  surface_->carry_out_batch(std::move(request), std::move(client));
}

bool SimulatedApi::is_idle() const { return surface_->is_idle(); }

void SimulatedApi::stop() { surface_->stop(); }

}  // namespace tilth::testing
