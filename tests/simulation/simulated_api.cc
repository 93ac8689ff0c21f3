#include "tests/simulation/simulated_api.h"

#include <map>
#include <utility>

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

// What is answered to a request goes to another exchange.
class PassedBack final : public Responder {
 public:
  PassedBack(std::shared_ptr<Exchange> to, std::shared_ptr<bool> is_answered)
      : to_(std::move(to)), is_answered_(std::move(is_answered)) {}
  void respond(HttpResponse response) override {
    *is_answered_ = true;
    to_->answer(std::move(response));
  }
  std::unique_ptr<BodyStream> stream(HttpResponse head) override {
    return to_->stream(std::move(head));
  }
  bool abandoned() const override { return to_->abandoned(); }

 private:
  const std::shared_ptr<Exchange> to_;
  const std::shared_ptr<bool> is_answered_;
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
    const auto is_answered = std::make_shared<bool>(false);
    if (world_.has(PlantedBug::kBatchGoesOnAfterAFailure)) call.may_proceed = {};
    if (call.may_proceed) {
      // Later it is asked only when the ledger decides again, for which its batch does not count.
      call.may_proceed = [is_answered, asks = std::move(call.may_proceed)] {
        return *is_answered ? Status(kDone) : asks();
      };
    }
    if (world_.has(PlantedBug::kBatchedRequestLosesItsKey)) {
      std::erase_if(request.headers,
                    [](const auto& each) { return each.first == "idempotency-key"; });
    }
    auto id = whole->request_id() + "/" + request.query;
    call.exchange = std::make_shared<Exchange>(std::move(request),
                                               std::make_unique<PassedBack>(whole, is_answered),
                                               std::move(id), Exchange::OnAnswered());
    call.exchange->set_trace(whole->traceparent());
    dispatcher_.carry_out_single(std::move(call));
  }
  bool runs_alone(std::string_view method, std::string_view path) const override {
    return dispatcher_.runs_alone(method, path);
  }

 private:
  World& world_;
  const Dispatcher& dispatcher_;
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
  const KnownSingles singles_;
};

SimulatedApi::SimulatedApi(const Parts& parts) : surface_(std::make_unique<Surface>(parts)) {}
SimulatedApi::~SimulatedApi() = default;

void SimulatedApi::carry_out_batch(HttpRequest request, Client client) {
  surface_->carry_out_batch(std::move(request), std::move(client));
}

bool SimulatedApi::is_idle() const { return surface_->is_idle(); }

void SimulatedApi::stop() { surface_->stop(); }

}  // namespace tilth::testing
