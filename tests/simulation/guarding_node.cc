#include "tests/simulation/guarding_node.h"

#include <algorithm>
#include <utility>

#include "api/guards/session_guard.h"
#include "api/keys/access_lease.h"
#include "api/keys/authentication.h"
#include "api/keys/key_digest.h"
#include "api/keys/key_ring.h"
#include "command/loop/command_loop.h"
#include "events/log/streams.h"
#include "infra/usage/sharing_freshness.h"
#include "infra/usage/usage_sharing.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

// Two clocks then differ by less than AccessLease::kPaceMargin in AccessLease::kLength.
constexpr std::int64_t kMostPace = 4'900;

const KeyDigest& key_digest() {
  static const KeyDigest kDigest("secret");
  return kDigest;
}

const Error kNotKnown{.code = ErrorCode::kUnavailable, .message = "The node has died."};

}  // namespace

// One run of it, which begins with the rows that its disk has.
struct GuardingNode::Process {
  // Outlives it, for an append in flight.
  struct Sending {
    std::optional<Record> record;  // and not read back yet
    bool unknown = false;          // the append's outcome
  };

  explicit Process(std::chrono::milliseconds trusts_for) : freshness(trusts_for) {}

  std::string run;
  KeyRing ring;
  std::int64_t known = 0;  // events of users and keys
  std::unique_ptr<CommandLoop> loop;
  SharingFreshness freshness;
  std::shared_ptr<LeaseTerm> term;
  std::unique_ptr<LogReader> usage;
  std::shared_ptr<Sending> sending = std::make_shared<Sending>();
  std::uint64_t sequence = 0;
  World::Steady::time_point next_share{};
};

GuardingNode::GuardingNode(World& world, Topics topics, std::string name)
    : world_(world),
      topics_(topics),
      name_(std::move(name)),
      booted_(std::chrono::seconds(1 + world.below(1'000'000))),
      pace_(world.once_in(2) ? kMostPace * (world.once_in(2) ? 1 : -1)
                             : static_cast<std::int64_t>(world.below(2 * kMostPace)) - kMostPace),
      access_log_(world, topics.access),
      usage_log_(world, topics.usage),
      store_(world) {
  start();
}

GuardingNode::~GuardingNode() { crash(); }

LeaseTerm::Instant GuardingNode::clock() const {
  const auto elapsed =
      std::chrono::duration_cast<LeaseTerm::Instant>(world_.now().time_since_epoch());
  return booted_ + elapsed + elapsed * pace_ / 1'000'000;
}

void GuardingNode::must(const Status& done) {
  if (!done) world_.violated("Node " + name_ + " cannot go on: " + done.error().message);
}

// As the service does: it learns of an event before others learn that it knows it.
void GuardingNode::start() {
  world_.note(name_ + " starts");
  ++lives_;
  // The lease alone would not do: what it hears of the others ends its trust, too.
  const int half_lengths = world_.has(PlantedBug::kLeaseIsTooLong) && name_ == "node-1" ? 3 : 2;
  process_ = std::make_unique<Process>(UsageSharing::kFreshness * half_lengths / 2);
  auto& its = *process_;
  its.run = world_.uuid().text();
  its.loop = std::make_unique<CommandLoop>(
      access_log_, store_, access(),
      CommandLoop::Sources{
          .node = name_,
          .now = [this] { return world_.wall_clock(); },
          .new_id = [this] { return world_.uuid(); },
          .on_accepted =
              [&its](const Event& event, const LoggedRecord& logged, const RowBytes*) {
                if (logged.record->stream != kAccessStream) return;
                its.ring.on_event(event);
                const auto version = logged.record->envelope.stream_version;
                its.known = static_cast<std::int64_t>(version) + 1;
              },
          .steady = [this] { return world_.now(); }});
  must(its.loop->open());
  const auto rows = its.loop->projector().rows(std::string(kAccessStream));
  its.ring.fill(rows);
  its.known = static_cast<std::int64_t>(rows.version());
  const bool unheard = world_.has(PlantedBug::kOthersAreNotHeard) && name_ == "node-1";
  its.term = std::make_shared<LeaseTerm>(
      access_log_, *its.loop,
      LeaseTerm::Others{
          .is_current = [this, &its,
                         unheard] { return unheard || its.freshness.fresh(clock(), its.known); },
          .know =
              [this, &its](LeaseTerm::Instant since) {
                return world_.has(PlantedBug::kOthersAreNotTold) || its.freshness.is_shared(since);
              }},
      LeaseTerm::Times{AccessLease::kLength * half_lengths / 2, AccessLease::kRenewEvery,
                       world_.has(PlantedBug::kClocksAreTrusted) ? 0ms : AccessLease::kPaceMargin},
      [this] { return clock(); });
  auto reader = usage_log_.read({{0, 0}});
  must(reader ? Status(kDone) : Status(reader.error()));
  if (reader) its.usage = std::move(*reader);
  schedule(1ms);
}

void GuardingNode::crash() {
  if (!is_up()) return;
  world_.note(name_ + " dies");
  ++lives_;
  process_->term->close();
  process_->loop->shutdown();
  process_.reset();
  access_log_.lose_power();
  usage_log_.lose_power();
  if (world_.once_in(2)) store_.lose_power();
}

void GuardingNode::pause(World::Micros time) {
  world_.note(name_ + " pauses");
  paused_until_ = world_.now() + time;
}

void GuardingNode::set_reachable(bool access, bool usage) {
  world_.note(name_ + (access ? " reaches" : " does not reach") + " users and keys, and" +
              (usage ? " reaches" : " does not reach") + " the batches");
  access_log_.set_reachable(access);
  usage_log_.set_reachable(usage);
}

void GuardingNode::follow_stale_leader(bool stale) {
  world_.note(name_ + (stale ? " follows" : " no longer follows") + " a leader that was replaced");
  was_misled_ = was_misled_ || stale;
  access_log_.follow_stale_leader(stale);
}

void GuardingNode::hurry(World::Micros time) {
  quick_until_ = world_.now() + time;
  if (is_up()) schedule(world_.between(0us, 1ms));
}

void GuardingNode::schedule(World::Micros delay) {
  world_.after(delay, [this, life = lives_, number = ++turns_] {
    if (life == lives_ && number == turns_) turn();
  });
}

// What its threads do, each of which may get no processor now.
void GuardingNode::turn() {
  if (is_paused()) return schedule(20ms);
  auto& its = *process_;
  if (!world_.fails_once_in(4)) {
    const auto turned = its.loop->turn(0ms);
    if (!turned && turned.error().code != ErrorCode::kUnavailable) must(turned.error());
  }
  if (!world_.fails_once_in(4)) read_usage();
  if (!world_.fails_once_in(4)) share();
  const auto next = its.term->turn() - clock();
  const bool quick = quick_until_ > world_.now();
  const auto rest = quick ? world_.between(50us, 1ms) : world_.between(1ms, 40ms);
  const auto until = std::chrono::duration_cast<World::Micros>(next) + 1us;
  schedule(std::clamp(until, 0us, rest));
}

// As UsageSharing does, which has nothing but that to say here.
void GuardingNode::share() {
  auto& its = *process_;
  const bool quick = quick_until_ > world_.now();
  if (!quick && its.next_share > world_.now()) return;
  its.next_share = world_.now() + world_.between(300ms, 500ms);
  auto& sent = its.sending->record;
  if (sent && !std::exchange(its.sending->unknown, false)) return;
  if (!sent) {
    const auto sent_at = clock();
    sent = Record{.stream = name_,
                  .envelope = {.id = world_.uuid().text(),
                               .type = std::string(UsageSharing::kType),
                               .time = world_.wall_clock(),
                               .stream_version = its.sequence++,
                               .correlation_id = its.run},
                  .json = std::to_string(its.known)};
    its.freshness.sent(sent->envelope.id, sent_at);
  }
  usage_log_.append(*sent, [sending = its.sending, id = sent->envelope.id](const auto& end) {
    if (!end && sending->record && sending->record->envelope.id == id) sending->unknown = true;
  });
}

void GuardingNode::read_usage() {
  auto& its = *process_;
  const auto page = its.usage->next(100, 0ms);
  if (!page) return;
  for (const auto& [position, record] : *page) {
    if (record->stream != name_) {
      its.freshness.read_another(std::stoll(record->json), clock());
    } else if (its.freshness.read_own(record->envelope.id)) {
      its.sending->record.reset();
    }
  }
}

bool GuardingNode::admits(const Credential& credential) const {
  if (!credential.session) {
    HttpRequest request;
    request.headers = {{"authorization", "Bearer " + credential.key}};
    return bool(authenticate(request, key_digest(), process_->ring, world_.wall_clock()));
  }
  const auto view = process_->loop->projector().view(std::string(kAccessStream));
  const auto user = find_user(view->rows, credential.session->by.user_id);
  return user && is_valid(*credential.session, *user);
}

void GuardingNode::ask(const Credential& credential, OnAnswer done) {
  if (!is_up()) return;
  if (!is_paused()) return decide_on(credential, done);
  world_.after(std::chrono::duration_cast<World::Micros>(paused_until_ - world_.now()) +
                   world_.between(0us, 2ms),
               [this, credential, done = std::move(done), life = lives_] {
                 if (life == lives_) ask(credential, done);
               });
}

// As the dispatcher does: what it finds counts if the lease held before and still does, and it asks
// the log before it refuses a key. Its thread may be stopped anywhere.
void GuardingNode::decide_on(const Credential& credential, const OnAnswer& done) {
  const bool held = world_.has(PlantedBug::kLeaseIsAskedLater) || process_->term->holds();
  const bool admitted = admits(credential);
  const auto then = [this, credential, done, held, admitted, life = lives_] {
    if (life != lives_) return;
    auto& term = *process_->term;
    if (credential.session && !admitted) return done(Answer::kRefused);
    if (admitted && held && term.holds()) return done(Answer::kAdmitted);
    term.when_it_holds([this, credential, done, life](bool known) {
      if (life != lives_) return;
      if (!known || !process_->term->holds()) return done(Answer::kUnknown);
      done(admits(credential) ? Answer::kAdmitted : Answer::kRefused);
    });
  };
  if (!world_.fails_once_in(10)) return then();
  world_.after(world_.between(1ms, 3s), then);
}

void GuardingNode::carry_out(Decide decide, bool for_all, Commands::OnDone done) {
  if (!is_up()) return done(kNotKnown);
  // What a process that dies has found out reaches no one.
  const auto told = [this, life = lives_, done = std::move(done)](
                        const Result<CommandResult>& outcome, bool know) {
    done(life == lives_ && (know || !outcome) ? outcome : Result<CommandResult>(kNotKnown));
  };
  CommandRequest request{.stream = std::string(kAccessStream),
                         .actor = std::string(kOperatorActor),
                         .request_id = "change",
                         .decide = std::move(decide)};
  process_->loop->carry_out(
      std::move(request), [told, term = process_->term, for_all](const auto& outcome) {
        if (!for_all) return told(outcome, true);
        term->when_all_know([told, outcome](bool know) { told(outcome, know); });
      });
}

std::string GuardingNode::digest_of(const std::string& key) { return key_digest().of(key); }

std::int64_t GuardingNode::session_epoch(const std::string& user) const {
  const auto view = process_->loop->projector().view(std::string(kAccessStream));
  const auto found = find_user(view->rows, user);
  return found ? found->session_epoch : 0;
}

bool GuardingNode::has_read_all() const {
  return is_up() && process_->loop->projector().next(0) >= topics_.access.end(0);
}

bool GuardingNode::is_present() const {
  return has_read_all() && process_->term->holds() && process_->loop->waiting() == 0;
}

}  // namespace tilth::testing
