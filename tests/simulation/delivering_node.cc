#include "tests/simulation/delivering_node.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <fcntl.h>

#include "events/log/streams.h"
#include "infra/webhooks/delivery_loop.h"
#include "infra/webhooks/delivery_sharing.h"
#include "tests/fixtures/passing_log.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kForEver = std::numeric_limits<std::int64_t>::max();

// What a broker has, at once: a thread of its own waits for it, which a world without threads
// cannot do. Pages says how long that takes, and when it fails.
class LogAtOnce final : public EventLog {
 public:
  explicit LogAtOnce(const SimulatedTopic& topic) : topic_(topic) {}

  void append(Record, OnAppended done) override {
    done(Error{ErrorCode::kUnavailable, "Nothing is written here."});
  }
  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override {
    return std::unique_ptr<LogReader>(new Reader(topic_, from));
  }
  void end(int partition, OnEnd done) override { done(topic_.end(partition)); }
  int partitions() const override { return topic_.partitions(); }

 private:
  class Reader final : public LogReader {
   public:
    Reader(const SimulatedTopic& topic, std::vector<Position> next)
        : topic_(topic), next_(std::move(next)) {}
    Result<std::vector<LoggedRecord>> next(std::size_t limit, std::chrono::milliseconds) override {
      std::vector<LoggedRecord> found;
      for (auto& [partition, offset] : next_) {
        while (offset < topic_.end(partition) && found.size() < limit) {
          found.push_back(topic_.records(partition)[static_cast<std::size_t>(offset++)]);
        }
      }
      return found;
    }
    void wake() override {}
    void skip_to(const Position& position) override {
      for (auto& [partition, offset] : next_) {
        if (partition == position.partition) offset = std::max(offset, position.offset);
      }
    }

   private:
    const SimulatedTopic& topic_;
    std::vector<Position> next_;
  };

  const SimulatedTopic& topic_;
};

std::vector<std::int64_t> ends_of(const SimulatedTopic& topic) {
  std::vector<std::int64_t> ends;
  for (int partition = 0; partition < topic.partitions(); ++partition) {
    ends.push_back(topic.end(partition));
  }
  return ends;
}

}  // namespace

// Reads past events as its thread does, which the log may let wait.
class DeliveringNode::Pages final : public StreamPages {
 public:
  explicit Pages(DeliveringNode& node)
      : node_(node), log_(node.parts_.land), index_(log_, node.index_rows_) {
    node_.must(index_.open());
  }

  void read(Question question, OnRead done) override;

 private:
  friend class DeliveringNode;
  void answer(Question question, const OnRead& done) {
    auto& world = node_.world_;
    if (!node_.reads_land_ || world.fails_once_in(40)) {
      return done(Error{ErrorCode::kUnavailable, "The log did not say."});
    }
    if (world.has(PlantedBug::kPageIsOfAnother)) {
      question.stream = node_.parts_.ledger.another_owner(question.stream);
    }
    auto page = read_page(log_, index_, question);
    if (world.has(PlantedBug::kPageLeavesOneOut) && page && page->records.size() > 2) {
      page->records.erase(page->records.begin());
    }
    done(std::move(page));
  }

  DeliveringNode& node_;
  LogAtOnce log_;
  StreamIndex index_;
};

// One run of it.
struct DeliveringNode::Process {
  explicit Process(DeliveringNode& node) : pages(node) {}

  std::unique_ptr<CommandLoop> access;
  std::unique_ptr<DeliveryStore> store;
  std::unique_ptr<DeliverySharing> sharing;  // null: the node is alone
  std::unique_ptr<SimulatedSender> sender;
  Pages pages;
  std::unique_ptr<DeliveryParts> parts;
  std::unique_ptr<DeliveryLoop> loop;
  std::vector<std::int64_t> ends;  // of the land, which it reads before it begins to send
  bool began = false;
  std::vector<bool> first;  // by cell
};

void DeliveringNode::Pages::read(Question question, OnRead done) {
  auto& world = node_.world_;
  const auto delay = world.fails_once_in(20) ? world.between(10ms, 8s) : world.between(50us, 5ms);
  world.after(delay, [&node = node_, life = node_.lives_, question = std::move(question),
                      done = std::move(done)] {
    if (node.lives_ == life) node.process_->pages.answer(question, done);
  });
}

DeliveringNode::DeliveringNode(Parts parts)
    : parts_(std::move(parts)),
      world_(parts_.world),
      access_log_(world_, parts_.access),
      land_log_(world_, parts_.land),
      settled_log_(world_, parts_.settled),
      env_(rocksdb::NewCompositeEnv(disk_)),
      clock_(world_, std::chrono::milliseconds(world_.below(400))),
      ids_(ids_of(world_)) {
  static const int kNowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  log_lines_ =
      std::make_unique<LogLines>(clock_, kNowhere, LogLines::Form::kJson, LogLevel::kError);
  disk_->goes_after(kForEver);
  land_ = std::make_unique<SimulatedNode>(
      world_, parts_.land, parts_.name,
      SimulatedNode::Around{.cluster = parts_.cluster,
                            .on_accepted = [this](const Event&, const LoggedRecord& logged) {
                              on_accepted(logged);
                            }});
  start();
}

DeliveringNode::~DeliveringNode() { crash(); }

void DeliveringNode::must(const Status& done) {
  if (!done) {
    world_.violated("Node " + parts_.name + " cannot go on: " + done.error().message);
  }
}

void DeliveringNode::start() {
  if (!land_->is_up()) land_->start();
  disk_->goes_after(kForEver);  // it does not start without room
  ++lives_;
  process_ = std::make_unique<Process>(*this);
  auto& its = *process_;
  its.ends = ends_of(parts_.land);
  its.access = std::make_unique<CommandLoop>(
      access_log_, access_rows_, access(),
      CommandLoop::Sources{.node = parts_.name,
                           .now = [this] { return clock_.now(); },
                           .new_id = [this] { return world_.uuid(); },
                           .steady = [this] { return world_.now(); }});
  must(its.access->open());
  auto opened = DeliveryStore::open(directory_.path() / "webhooks", memory_, env_.get());
  must(opened ? Status(kDone) : Status(opened.error()));
  if (!opened) return;
  its.store = std::move(*opened);
  if (shares()) {
    its.sharing = std::make_unique<DeliverySharing>(
        DeliverySharing::Parts{.log = settled_log_,
                               .store = *its.store,
                               .clock = clock_,
                               .ids = ids_,
                               .node = parts_.name,
                               .divided = parts_.cluster != nullptr,
                               .read =
                                   [this](auto offset) {
                                     auto from = offset.value_or(0);
                                     const bool skips = world_.has(PlantedBug::kSettledIsSkipped);
                                     if (skips && from > 0) from = parts_.settled.end(0);
                                     return settled_log_.read({{0, from}});
                                   },
                               .steady = [this] { return world_.now(); }});
  }
  its.sender =
      std::make_unique<SimulatedSender>(SimulatedSender::Parts{.world = world_,
                                                               .receivers = parts_.receivers,
                                                               .ledger = parts_.ledger,
                                                               .node = parts_.name,
                                                               .turn = [this] { return turns_; },
                                                               .wake = [this] { wake(); }});
  its.parts = std::make_unique<DeliveryParts>(
      DeliveryParts{.store = *its.store,
                    .access = *its.access,
                    .registry = land_->cells(),
                    .log = land_log_,
                    .index = its.pages.index_,
                    .digest = parts_.ledger.digest(),
                    .clock = clock_,
                    .wall_clock = clock_,
                    .ids = ids_,
                    .random =
                        [this] {
                          constexpr double kFew = -4;  // after which a tenth of the time is left
                          const bool early = world_.has(PlantedBug::kRetriesAreEarly);
                          return early ? kFew : static_cast<double>(world_.below(1'001)) / 1'000;
                        },
                    .safety = {},
                    .source = "tilth://" + parts_.name,
                    .sharing = its.sharing.get(),
                    .sends_for = [this](const std::string& owner) { return sends_for(owner); },
                    .log_lines = *log_lines_,
                    .steady = [this] { return world_.now(); }});
  its.loop = std::make_unique<DeliveryLoop>(*its.parts, *its.sender, its.pages);
  parts_.ledger.forget_sender(parts_.name);
  schedule(1ms);
  if (shares()) schedule_sharing(1ms);
}

void DeliveringNode::end_process() {
  ++lives_;
  next_turn_ = {};
  process_.reset();
  parts_.ledger.forget_sender(parts_.name);
}

void DeliveringNode::stop() {
  if (!is_up()) return;
  world_.note(parts_.name + " ends");
  process_->loop->end();
  land_->crash();
  end_process();
}

void DeliveringNode::crash() {
  if (!is_up()) return;
  // What waits for a result of the land is told while all is there.
  land_->crash();
  end_process();
  access_log_.lose_power();
  settled_log_.lose_power();
  if (!world_.once_in(4)) return;
  world_.note(parts_.name + " has lost power");
  std::mt19937_64 chance(world_.below(kForEver));
  disk_->cut(chance);
  disk_->goes_after(kForEver);
}

void DeliveringNode::set_reachable(bool land, bool settled) {
  world_.note(parts_.name + (land ? " reaches" : " does not reach") + " the land, and" +
              (settled ? " reaches" : " does not reach") + " what was sent");
  reads_land_ = land;
  land_->set_reachable(land);
  if (land_->is_divided()) land_->set_hears_others(land);
  settled_log_.set_reachable(settled);
}

void DeliveringNode::fill_disk(World::Micros time) {
  world_.note(parts_.name + " has a full disk");
  disk_->goes_after(0);
  world_.after(time, [this] { disk_->goes_after(kForEver); });
}

bool DeliveringNode::sends_for(const std::string& owner) const {
  const auto* share = land_->share();
  return share == nullptr ||
         share->is_first(static_cast<std::size_t>(land_->layout().cell_of(owner)));
}

bool DeliveringNode::leads() const {
  return is_up() && (process_->sharing == nullptr || process_->sharing->leads());
}

void DeliveringNode::on_accepted(const LoggedRecord& logged) {
  if (!is_up() || !process_->loop) return;
  const auto& type = logged.record->envelope.type;
  const bool removes = type == WebhookRemoved::kType.name;
  if (type.starts_with("tilth.webhook.")) {
    parts_.ledger.heard(parts_.name, turns_, *logged.record);
  }
  if (removes && world_.has(PlantedBug::kRemovalIsNotHeard) && parts_.name == "node-1") return;
  process_->loop->on_accepted(logged);
}

void DeliveringNode::wake() { schedule(world_.between(20us, 500us)); }

// At that time, or when it was arranged before, if that is earlier.
void DeliveringNode::schedule(World::Micros delay) {
  const auto at = world_.now() + delay;
  if (scheduled_ > 0 && next_turn_ > world_.now() && next_turn_ <= at) return;
  next_turn_ = at;
  world_.after(delay, [this, life = lives_, number = ++scheduled_] {
    if (life == lives_ && number == scheduled_) turn();
  });
}

// As the service does in its threads.
void DeliveringNode::turn() {
  next_turn_ = {};
  if (land_->is_paused()) return schedule(50ms);
  auto& its = *process_;
  if (its.access->projector().next(0) < parts_.access.end(0)) {
    const auto turned = its.access->turn(0ms);
    if (!turned && turned.error().code != ErrorCode::kUnavailable) must(turned.error());
    return schedule(world_.between(1ms, 10ms));
  }
  if (!its.began) {
    its.began = land_->is_ready() && land_->has_read(its.ends);
    if (!its.began) return schedule(world_.between(5ms, 50ms));
    world_.note(parts_.name + " begins to send");
  }
  notice_moves();
  ++turns_;
  if (!leads()) parts_.ledger.forget_sender(parts_.name);
  auto rest = its.loop->turn();
  if (its.sender->has_answers()) rest = 0ms;
  its.sender->turn(rest);
  schedule(std::max<World::Micros>(rest, world_.between(20us, 1ms)));
}

void DeliveringNode::notice_moves() {
  auto& its = *process_;
  if (land_->share() == nullptr) return;
  std::vector<bool> first;
  for (int cell = 0; cell < land_->layout().cells_of_owners(); ++cell) {
    first.push_back(land_->share()->is_first(static_cast<std::size_t>(cell)));
  }
  if (std::exchange(its.first, first) == first) return;
  parts_.ledger.forget_sender(parts_.name);
  if (!world_.has(PlantedBug::kMovesAreNotNoticed)) its.loop->send_for_others();
}

void DeliveringNode::schedule_sharing(World::Micros delay) {
  world_.after(delay, [this, life = lives_] {
    if (life != lives_) return;
    if (land_->is_paused()) return schedule_sharing(50ms);
    const auto turned = process_->sharing->turn(0ms);
    schedule_sharing(turned ? world_.between(1ms, 50ms) : World::Micros(1s));
  });
}

bool DeliveringNode::leave() {
  if (!land_->leave()) return false;
  stop();
  return true;
}

std::optional<Delivery> DeliveringNode::any_delivery(const WebhookId& webhook) {
  if (!is_up()) return std::nullopt;
  const auto page = process_->store->list(webhook, {.limit = 50});
  if (!page || page->deliveries.empty()) return std::nullopt;
  return page->deliveries[world_.below(page->deliveries.size())];
}

std::optional<Delivery> DeliveringNode::failed_delivery(const WebhookId& webhook) const {
  const auto page = process_->store->list(webhook, {.status = DeliveryStatus::kFailed, .limit = 1});
  if (!page || page->deliveries.empty()) return std::nullopt;
  return page->deliveries.front();
}

std::optional<Delivery> DeliveringNode::waiting_delivery(const WebhookId& webhook,
                                                         Timestamp until) const {
  const auto page =
      process_->store->list(webhook, {.status = DeliveryStatus::kPending, .limit = 10'000});
  if (!page) return std::nullopt;
  const auto waits = std::ranges::find_if(
      page->deliveries, [&](const auto& each) { return each.next_attempt_at > until; });
  return waits == page->deliveries.end() ? std::nullopt : std::optional(*waits);
}

std::vector<Delivery> DeliveringNode::deliveries_of(const WebhookId& webhook,
                                                    const std::string& event) const {
  auto page = process_->store->list(webhook, {.limit = 10'000});
  if (!page) return {};
  std::erase_if(page->deliveries, [&](const auto& each) { return each.event_id != event; });
  return std::move(page->deliveries);
}

std::set<std::string> DeliveringNode::events_of(const WebhookId& webhook,
                                                DeliveryStatus status) const {
  std::set<std::string> events;
  const auto page = process_->store->list(webhook, {.status = status, .limit = 10'000});
  if (page) {
    for (const auto& each : page->deliveries) events.insert(each.event_id);
  }
  return events;
}

bool DeliveringNode::keeps_settled(const WebhookId& webhook, Timestamp before) const {
  return !process_->store->settled_before(webhook, before, 1).empty();
}

bool DeliveringNode::would_go_on_with_what_waits(const WebhookId& webhook) const {
  const auto known = process_->store->load(webhook);
  const auto page = process_->store->list(
      webhook, {.status = DeliveryStatus::kPending, .order = Order::kAscending, .limit = 10'000});
  return known && page &&
         std::ranges::equal(known->pending, page->deliveries, {}, &Delivery::id, &Delivery::id);
}

bool DeliveringNode::keeps_any_of(const WebhookId& webhook) const {
  const auto known = process_->store->load(webhook);
  return !known || known->progress || known->deliveries > 0 || !known->replays.empty();
}

WebhookActivity DeliveringNode::activity(const WebhookId& webhook) const {
  return is_up() ? process_->store->activity(webhook) : WebhookActivity{};
}

WebhookReplays DeliveringNode::replays(const WebhookId& webhook) const {
  const auto known = is_up() ? process_->store->replays(webhook) : WebhookReplays{};
  return known ? *known : WebhookReplays{.open = Webhook::kMostReplays};
}

bool DeliveringNode::is_idle() const {
  return is_up() && process_->began && process_->sender->in_flight() == 0;
}

}  // namespace tilth::testing
