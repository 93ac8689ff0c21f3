#include "infra/kafka/kafka_event_log.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "events/log/log_end.h"
#include "infra/kafka/client/kafka_offsets.h"
#include "infra/kafka/read/tail_reader.h"
#include "infra/kafka/topic/kafka_topic.h"
#include "infra/keys/sealed_json.h"

namespace tilth {
namespace {

constexpr std::size_t kPage = 256;
constexpr std::chrono::seconds kTimeout{10};
constexpr std::chrono::seconds kTroubleLasts{10};
constexpr std::chrono::seconds kSilence{3};  // before commands give up

std::vector<Position> positions(const std::map<int, std::int64_t>& offsets) {
  std::vector<Position> all;
  for (const auto& [partition, offset] : offsets) all.push_back({partition, offset});
  return all;
}

Error unavailable(std::string message, std::int64_t retry_after_seconds) {
  return {.code = ErrorCode::kUnavailable,
          .message = std::move(message),
          .retry_after_seconds = retry_after_seconds};
}

}  // namespace

Result<std::unique_ptr<KafkaEventLog>> KafkaEventLog::open(KafkaSettings given,
                                                           KafkaProducerWatch watch,
                                                           std::chrono::milliseconds timeout) {
  auto settings = std::make_unique<KafkaSettings>(std::move(given));
  auto asker = make_kafka_handle(RD_KAFKA_PRODUCER, *settings, {});
  if (!asker) return asker.error();
  auto facts = ensure_kafka_topic(asker->get(), *settings, timeout);
  if (!facts) return facts.error();
  if (!settings->retention) {
    const auto whole = find_beginnings(asker->get(), settings->topic, facts->partitions, timeout);
    if (!whole) return whole.error();
  }
  auto producer = KafkaProducer::start(*settings, std::move(watch));
  if (!producer) return producer.error();
  return std::unique_ptr<KafkaEventLog>(
      new KafkaEventLog(std::move(settings), std::move(*asker), facts->partitions,
                        std::move(facts->cluster), std::move(*producer)));
}

KafkaEventLog::KafkaEventLog(std::unique_ptr<KafkaSettings> settings, KafkaHandle asker,
                             int partitions, std::string cluster,
                             std::unique_ptr<KafkaProducer> producer)
    : settings_(std::move(settings)),
      asker_(std::move(asker)),
      partitions_(partitions),
      cluster_(std::move(cluster)),
      producer_(std::move(producer)) {
  for (int partition = 0; partition < partitions_; ++partition) {
    ends_.push_back(
        std::make_unique<KafkaEnds>(asker_.get(), settings_->topic, partition,
                                    [this](auto work) { producer_->post(std::move(work)); }));
  }
}

void KafkaEventLog::AtTheTail::append(Record record, OnAppended done) {
  log_.append(std::move(record), std::move(done));
}

Result<std::unique_ptr<LogReader>> KafkaEventLog::AtTheTail::read(
    const std::vector<Position>& from) {
  const auto tail = log_.tail();
  if (!tail) return tail.error();
  if (!(*tail)->knows(from)) {
    if (const auto holds = log_.check_held(from); !holds) return holds.error();
  }
  const auto read_alone = [log = &log_](const auto& next) { return log->read_on(next); };
  return std::unique_ptr<LogReader>(std::make_unique<TailReader>(
      **tail, from, read_alone, TailReader::Options{.linger = linger_}));
}

std::string KafkaEventLog::AtTheTail::trouble() const { return log_.trouble(); }

void KafkaEventLog::AtTheTail::end(int partition, OnEnd done) {
  log_.end(partition, std::move(done));
}

KafkaEventLog::~KafkaEventLog() {
  watch_.reset();
  sealing_.reset();                             // before the thread that completes what it ends
  for (const auto& each : ends_) each->stop();  // before the thread that completes its calls
  producer_->stop();
}

void KafkaEventLog::append(Record record, OnAppended done) {
  if (const auto why = refuses()) {
    return producer_->post([done = std::move(done), why] { done(*why); });
  }
  append_held(std::move(record), std::move(done));
}

void KafkaEventLog::append_held(Record record, OnAppended done) {
  if (sealing_) return sealing_->append(std::move(record), std::move(done));
  produce(std::make_shared<const Record>(std::move(record)), nullptr, std::move(done));
}

void KafkaEventLog::produce(const std::shared_ptr<const Record>& own, const SealedJson* sealed,
                            OnAppended done) {
  if (under_way_.fetch_add(1) == 0) acknowledged_at_ = std::chrono::steady_clock::now();
  producer_->append(
      partition_of(own->stream), *own,
      [this, own, done = std::move(done)](const Result<Position>& end) {
        on_outcome(end, own);
        done(end);
      },
      sealed);
}

void KafkaEventLog::seal_with(const std::shared_ptr<SharedOwnerKeys>& keys) {
  keys_ = keys;
  sealing_ = std::make_unique<SealedAppends>(
      keys,
      [this](Record record, const SealedJson* sealed, OnAppended done) {
        produce(std::make_shared<const Record>(std::move(record)), sealed, std::move(done));
      },
      [this](auto work) { producer_->post(std::move(work)); });
}

// The first record that names a person tells: a history is sealed as a whole or not at all.
Result<bool> KafkaEventLog::has_sealed(int partition) {
  const auto end = end_of(*this, partition);
  if (!end) return end.error();
  bool is_sealed = false;
  auto reader = KafkaReader::open(
      *settings_, [this](std::string_view stream) { return partition_of(stream); },
      {{partition, 0}}, gate_, {.on_sealed = [&is_sealed] { is_sealed = true; }});
  if (!reader) return reader.error();
  for (std::int64_t next = 0; next < *end && !is_sealed;) {
    const auto page = (*reader)->next(kPage, kTimeout);
    if (!page) return page.error();
    if (page->empty()) return unavailable("Kafka does not send the history.", 1);
    if (is_sealed) break;
    if (std::ranges::any_of(*page, [](const auto& logged) {
          return personal_part_of(*logged.record).has_value();
        })) {
      break;
    }
    next = page->back().position.offset + 1;
  }
  return is_sealed;
}

// Without the lock: the tail may be waiting for brokers. Once made, it stays.
void KafkaEventLog::forget_recent() {
  KafkaTail* tail = nullptr;
  {
    const std::lock_guard lock(mutex_);
    tail = tail_.get();
  }
  if (tail != nullptr) tail->forget_all();
}

void KafkaEventLog::on_outcome(const Result<Position>& end,
                               const std::shared_ptr<const Record>& own) {
  const auto now = std::chrono::steady_clock::now();
  --under_way_;
  if (end) acknowledged_at_ = now;
  const std::lock_guard lock(mutex_);
  trouble_ = end ? std::string() : end.error().message;
  outcome_at_ = now;
  if (end && tail_) tail_->add_own(*end, own);
}

// Begins at the current ends of all partitions.
Result<KafkaTail*> KafkaEventLog::tail() {
  const std::lock_guard one_at_a_time(making_tail_);
  if (tail_) return tail_.get();
  const auto ends = ask_kafka_offsets(asker_.get(), settings_->topic, all_partitions(partitions_),
                                      KafkaOffset::kEnd, kTimeout);
  if (!ends) return ends.error();
  auto made = KafkaTail::open(
      *settings_, [this](std::string_view stream) { return partition_of(stream); },
      positions(*ends), gate_, {}, keys_);
  if (!made) return made.error();
  const std::lock_guard lock(mutex_);
  tail_ = std::move(*made);
  return tail_.get();
}

std::string KafkaEventLog::trouble() const {
  const auto now = std::chrono::steady_clock::now();
  if (under_way_ > 0 && now - acknowledged_at_.load() > kSilence) {
    return "Kafka acknowledges no record.";
  }
  if (auto of_keys = keys_ ? keys_->trouble() : std::string(); !of_keys.empty()) return of_keys;
  const std::lock_guard lock(mutex_);
  const bool lately = now - outcome_at_ < kTroubleLasts;
  return lately ? trouble_ : std::string();
}

Result<std::unique_ptr<LogReader>> KafkaEventLog::read(const std::vector<Position>& from) {
  if (const auto holds = check_held(from); !holds) return holds.error();
  return read_on(from);
}

Status KafkaEventLog::check_held(const std::vector<Position>& from) {
  std::set<int> asked;
  for (const auto& [partition, offset] : from) asked.insert(partition);
  const auto begins =
      ask_kafka_offsets(asker_.get(), settings_->topic, asked, KafkaOffset::kBeginning, kTimeout);
  if (!begins) return begins.error();
  const auto ends =
      ask_kafka_offsets(asker_.get(), settings_->topic, asked, KafkaOffset::kEnd, kTimeout);
  if (!ends) return ends.error();
  for (const auto& [partition, offset] : from) {
    if (offset >= begins->at(partition) && offset <= ends->at(partition)) continue;
    return Error{ErrorCode::kLost, "Partition " + std::to_string(partition) + ", offset " +
                                       std::to_string(offset) + " lies outside the topic " +
                                       settings_->topic + ", which holds offsets " +
                                       std::to_string(begins->at(partition)) + " to " +
                                       std::to_string(ends->at(partition)) + "."};
  }
  return kDone;
}

Result<std::unique_ptr<LogReader>> KafkaEventLog::read_on(const std::vector<Position>& from) {
  auto reader = KafkaReader::open(*settings_,
                                  [this](std::string_view stream) { return partition_of(stream); },
                                  from, gate_, {.keys = keys_});
  if (!reader) return reader.error();
  return std::unique_ptr<LogReader>(std::move(*reader));
}

Status KafkaEventLog::hold(std::chrono::milliseconds timeout) {
  gate_->close();
  if ((!sealing_ || sealing_->wait_until_idle(timeout)) && producer_->wait_until_idle(timeout)) {
    return kDone;
  }
  gate_->open();
  return unavailable("Kafka does not tell how what was appended before ended.", 1);
}

std::optional<Error> KafkaEventLog::refuses() const {
  if (const auto lost = gate_->shut_because()) return unavailable(lost->message, 60);
  if (!gate_->is_open()) return unavailable("A history is being imported.", 1);
  return std::nullopt;
}

Result<std::string> KafkaEventLog::first_id(int partition) const {
  const auto found = first_record(asker_.get(), *settings_, partition);
  if (!found) return found.error();
  return *found ? (*found)->id : std::string();
}

void KafkaEventLog::watch(int partition, TopicWatch::OnFirst on_first) {
  watch_ = std::make_unique<TopicWatch>(asker_.get(), *settings_, partitions_, partition,
                                        std::move(on_first), gate_);
}

Result<std::vector<Position>> KafkaEventLog::since(Timestamp time) const {
  const auto found =
      ask_kafka_offsets_since(asker_.get(), settings_->topic, all_partitions(partitions_),
                              time.at.time_since_epoch().count(), kTimeout);
  if (!found) return found.error();
  return positions(*found);
}

void KafkaEventLog::end(int partition, OnEnd done) {
  if (const auto lost = gate_->shut_because()) {
    return producer_->post(
        [done = std::move(done), why = unavailable(lost->message, 60)] { done(why); });
  }
  if (partition >= 0 && partition < partitions_) {
    return ends_[static_cast<std::size_t>(partition)]->ask(std::move(done));
  }
  producer_->post([done = std::move(done)] { done(0); });
}

}  // namespace tilth
