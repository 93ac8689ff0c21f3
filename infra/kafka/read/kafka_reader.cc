#include "infra/kafka/read/kafka_reader.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "events/log/event_record.h"
#include "infra/kafka/client/kafka_offsets.h"
#include "infra/kafka/write/record_message.h"
#include "infra/keys/sealed_json.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr auto kTimeout = 2s;
constexpr auto kOwnMayCome = 2ms;      // this node's own records arrive by then
constexpr std::int64_t kNear = 4'096;  // beyond, batches fill up by themselves
constexpr auto kForgotten = 8s;        // a doubt that is not renewed for this long starts over

std::string place(const rd_kafka_message_t& message) {
  return "partition " + std::to_string(message.partition) + ", offset " +
         std::to_string(message.offset);
}

}  // namespace

Result<std::unique_ptr<KafkaReader>> KafkaReader::open(const KafkaSettings& settings,
                                                       PartitionOf partition_of,
                                                       const std::vector<Position>& from,
                                                       std::shared_ptr<ReadingGate> gate,
                                                       const Options& options) {
  std::unique_ptr<KafkaReader> reader(
      new KafkaReader(settings, std::move(partition_of), from, std::move(gate), options));
  if (const auto begun = reader->begin(); !begun) return begun.error();
  return reader;
}

KafkaReader::KafkaReader(const KafkaSettings& settings, PartitionOf partition_of,
                         const std::vector<Position>& from, std::shared_ptr<ReadingGate> gate,
                         const Options& options)
    : settings_(settings),
      partition_of_(std::move(partition_of)),
      gate_(std::move(gate)),
      options_(options),
      own_(std::make_shared<OwnRecords>(settings.topic, [this] { look_up(); })) {
  for (const auto& [partition, offset] : from) next_[partition] = offset;
}

KafkaReader::~KafkaReader() {
  own_->close();
  if (messages_) call_on_arrival(messages_.get(), nullptr);
  kept_.reset();  // before the client that it came from, which may be prompt_'s, or that never ends
}

// Makes a new client, which has none of the state of earlier ones.
Status KafkaReader::begin() {
  const auto together = options_.gathering.value_or(KafkaGathering{.bytes = 1, .time = 500ms});
  auto handle = make_kafka_consumer(settings_,
                                    {{"group.id", "tilth"},
                                     {"fetch.min.bytes", std::to_string(together.bytes)},
                                     {"fetch.wait.max.ms", std::to_string(together.time.count())}});
  if (!handle) return handle.error();
  rd_kafka_poll_set_consumer(handle->get());
  const KafkaPartitions assigned(rd_kafka_topic_partition_list_new(static_cast<int>(next_.size())));
  for (const auto& [partition, offset] : next_) {
    rd_kafka_topic_partition_list_add(assigned.get(), settings_.topic.c_str(), partition)->offset =
        offset;
  }
  const auto code = rd_kafka_assign(handle->get(), assigned.get());
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return kafka_unavailable("Kafka cannot be read", code);
  KafkaHandle old = std::move(*handle);
  KafkaQueue old_messages(rd_kafka_queue_get_consumer(old.get()));
  kept_.reset();
  if (options_.on_arrival) call_on_arrival(old_messages.get(), &options_.on_arrival);
  {
    const std::lock_guard lock(mutex_);
    old.swap(handle_);
    old_messages.swap(messages_);
  }
  if (old_messages) call_on_arrival(old_messages.get(), nullptr);
  return kDone;  // destroys the queue before its handle
}

Result<std::vector<LoggedRecord>> KafkaReader::next(std::size_t limit,
                                                    std::chrono::milliseconds timeout) {
  std::vector<LoggedRecord> found;
  if (!stopped_) stopped_ = gate_->shut_because();
  if (stopped_) return *stopped_;
  const auto until = Steady::now() + timeout;
  while (found.size() < limit) {
    auto taken = take_own();
    if (taken && !*taken) {
      fetch_what_is_wanted();
      // One by one: a batch would wait until it is full.
      const bool waits = found.empty() && !woken_;
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Steady::now());
      const auto most =
          wanted_.empty() ? left : std::min<std::chrono::milliseconds>(left, kOwnMayCome);
      auto message = receive(waits ? std::max(most, 0ms) : 0ms);
      if (!message && (!waits || left <= 0ms || !gate_->is_open())) break;
      if (!message) continue;  // an own record may have arrived
      taken = take(std::move(message));
    }
    if (!taken) {
      if (taken.error().code != ErrorCode::kUnavailable) stopped_ = taken.error();
      if (found.empty()) return taken.error();
      break;
    }
    if (*taken) found.push_back(std::move(**taken));
  }
  if (found.empty()) woken_ = false;
  keep_it_fetching();
  return found;
}

// A client whose fetch queue is full checks only once a second whether there is room again, unless
// it sends a request: any will do, and the response is ignored.
void KafkaReader::keep_it_fetching() {
  constexpr std::size_t kMany = 2'048;
  const auto waiting = rd_kafka_queue_length(messages_.get());
  most_waiting_ = std::max(most_waiting_, waiting);
  if (most_waiting_ < kMany || waiting > most_waiting_ / 2) return;
  most_waiting_ = 0;
  std::set<int> partitions;
  for (const auto& [partition, offset] : next_) partitions.insert(partition);
  static_cast<void>(
      ask_kafka_offsets(handle_.get(), settings_.topic, partitions, KafkaOffset::kEnd, 1ms));
}

Result<std::optional<LoggedRecord>> KafkaReader::take_own() {
  if (!gate_->is_open()) return std::optional<LoggedRecord>();
  auto own = own_->take(next_);
  if (own && *own) return advance(std::move(**own));
  for (const auto& [partition, offset] : own_->lacks()) prefetch_now({partition, offset});
  return own;
}

Result<std::optional<LoggedRecord>> KafkaReader::advance(LoggedRecord logged) {
  const auto same = own_->keep_in_mind(logged.position, logged.record->envelope.id);
  if (!same) return same.error();
  next_.at(logged.position.partition) = logged.position.offset + 1;
  return std::optional(std::move(logged));
}

// The record was read before, as an own one or from the other client: returns nothing if it is the
// same one.
Result<std::optional<LoggedRecord>> KafkaReader::pass_over(const Position& position,
                                                           std::string_view id) {
  const auto same = own_->keep_in_mind(position, id);
  if (!same) return same.error();
  return std::optional<LoggedRecord>();
}

void KafkaReader::prefetch_now(const Position& position) {
  const auto next = next_.find(position.partition);
  if (!options_.gathering || next == next_.end() || position.offset < next->second) return;
  if (position.offset - next->second > kNear) return;
  const auto now = Steady::now();
  auto& wanted = wanted_.try_emplace(position.partition, Wanted{0, now, now}).first->second;
  wanted.until = std::max(wanted.until, position.offset);
  wanted.last = now;
}

void KafkaReader::fetch_what_is_wanted() {
  if (prompt_) prompt_->rest();
  if (wanted_.empty()) return;
  const auto now = Steady::now();
  std::erase_if(wanted_, [&](const auto& of_partition) {
    const auto& [partition, wanted] = of_partition;
    return wanted.until < next_.at(partition) || now - wanted.last > kIsWanted;
  });
  for (const auto& [partition, wanted] : wanted_) {
    if (now - wanted.since < kOwnMayCome) continue;
    if (!prompt_) {
      auto started = Prefetcher::start(settings_, [this] { look_up(); });
      if (!started) {
        wanted_.clear();
        return settings_.log_line(started.error().message);
      }
      prompt_ = std::move(*started);
    }
    prompt_->fetch({partition, next_.at(partition)});
  }
}

KafkaMessage KafkaReader::receive(std::chrono::milliseconds timeout) {
  if (!gate_->wait(timeout)) return nullptr;
  if (kept_) return std::move(kept_);
  auto message = fetched_at_once();
  if (!message) {
    message.reset(rd_kafka_consume_queue(messages_.get(), milliseconds_of(timeout)));
  }
  if (gate_->is_open()) return message;
  kept_ = std::move(message);
  return nullptr;
}

// Null if a record before it is missing: the other client reads that one.
KafkaMessage KafkaReader::fetched_at_once() {
  auto message = prompt_ ? prompt_->take() : nullptr;
  if (!message || message->offset <= next_.at(message->partition)) return message;
  prompt_->let_go(message->partition);
  return nullptr;
}

// Returns nothing for a temporary error.
Result<std::optional<LoggedRecord>> KafkaReader::take(KafkaMessage message) {
  if (message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET ||
      message->err == RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE) {
    const int partition = message->partition;
    message.reset();  // before its handle
    if (const auto looked = look_for_what_comes_next(partition); !looked) return looked.error();
    return std::optional<LoggedRecord>();
  }
  if (message->err == RD_KAFKA_RESP_ERR__BAD_MSG) {
    return Error{ErrorCode::kDamaged, "The topic " + settings_.topic + " cannot be read: " +
                                          rd_kafka_message_errstr(message.get()) + "."};
  }
  if (message->err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
      message->err == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED) {
    return kafka_unavailable("The topic " + settings_.topic, message->err);
  }
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) return std::optional<LoggedRecord>();
  const Position position{message->partition, message->offset};
  if (position.offset < next_.at(position.partition)) return pass_over(position, id_of(*message));
  const auto foreign = [&](std::string why) {
    return advance(
        {position, std::make_shared<const Record>(foreign_record(*message, std::move(why)))});
  };
  auto record = record_of(*message);
  if (!record) {
    return foreign("What lies at " + place(*message) +
                   " is no record of Tilth: " + record.error().message + ".");
  }
  if (const int right = partition_of_(record->stream); right != message->partition) {
    return foreign("The record at " + place(*message) + " belongs into partition " +
                   std::to_string(right) +
                   ": another program put it there, or the number of the topic's partitions was "
                   "changed.");
  }
  if (const auto unsealed = unseal(*message, *record); !unsealed) {
    if (unsealed.error().code == ErrorCode::kUnavailable) kept_ = std::move(message);
    return unsealed.error();
  }
  return advance({position, std::make_shared<const Record>(std::move(*record))});
}

// A record whose sealed part alone cannot be opened counts like any other: nodes that could open it
// have counted it.
Status KafkaReader::unseal(const rd_kafka_message_t& message, Record& record) const {
  const auto closed = [&record](const Error& why) {
    set_unreadable(record, "What is sealed in it cannot be opened: " + why.message + ".");
    return kDone;
  };
  const auto sealed = sealed_part_of(message);
  if (!sealed) return closed(sealed.error());
  if (sealed->empty()) return kDone;
  if (options_.on_sealed) {
    options_.on_sealed();
    return kDone;
  }
  if (options_.keys == nullptr) {
    return Error{ErrorCode::kDamaged,
                 "The record at " + place(message) + " of the topic " + settings_.topic +
                     " is sealed, and the topic of the owners' keys was lost. Give it back."};
  }
  const auto opened = open_part(record, *sealed, *options_.keys);
  const bool is_damaged = !opened && opened.error().code == ErrorCode::kDamaged;
  return is_damaged ? Status(closed(opened.error())) : opened;
}

// A broker does not have the next record. Begins again there, or returns kLost: no broker has it.
Status KafkaReader::look_for_what_comes_next(int partition) {
  const auto ask = [&](KafkaOffset which) -> std::optional<std::int64_t> {
    const auto found =
        ask_kafka_offsets(handle_.get(), settings_.topic, {partition}, which, kTimeout);
    return found ? std::optional(found->at(partition)) : std::nullopt;
  };
  const auto next = next_.at(partition);
  const auto first = ask(KafkaOffset::kBeginning);
  const auto end = ask(KafkaOffset::kEnd);
  bool lost = first && *first > next;
  if (end && *end < next) {
    const auto now = Steady::now();
    auto& doubt = doubts_.try_emplace(partition, Doubt{now, now}).first->second;
    if (now - doubt.last > kForgotten) doubt.since = now;
    doubt.last = now;
    lost = lost || now - doubt.since > options_.doubt;
  }
  if (!lost) return begin();
  return Error{ErrorCode::kLost, "The topic " + settings_.topic + " no longer holds partition " +
                                     std::to_string(partition) + ", offset " +
                                     std::to_string(next) + ", which comes next."};
}

void KafkaReader::skip_to(const Position& position) {
  constexpr std::int64_t kWorthALeap = 4'096;  // records are read in the time of one seek
  auto& next = next_.at(position.partition);
  if (position.offset - next < kWorthALeap) return;
  const KafkaPartitions leap(rd_kafka_topic_partition_list_new(1));
  auto* const to =
      rd_kafka_topic_partition_list_add(leap.get(), settings_.topic.c_str(), position.partition);
  to->offset = position.offset;
  auto* const failed =
      rd_kafka_seek_partitions(handle_.get(), leap.get(), milliseconds_of(kTimeout));
  const bool leapt = failed == nullptr && to->err == RD_KAFKA_RESP_ERR_NO_ERROR;
  if (failed != nullptr) rd_kafka_error_destroy(failed);
  if (leapt) next = position.offset;  // else it reads the records in between
}

void KafkaReader::wake() {
  woken_ = true;
  look_up();
}

// Makes next() check again for own records.
void KafkaReader::look_up() {
  if (options_.on_arrival) return options_.on_arrival();
  const std::lock_guard lock(mutex_);
  rd_kafka_queue_yield(messages_.get());
}

}  // namespace tilth
