#include "infra/kafka/topic/kafka_topic.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "infra/kafka/client/kafka_offsets.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr int kMostCopies = 3;
constexpr auto kOneTry = 3s;
constexpr auto kBetweenTries = 200ms;
constexpr int kLargestRecord = 16 << 20;  // bytes
// Of a compacted topic, in milliseconds: after how long the brokers begin a new segment, and
// compact the one before.
constexpr int kSegment = 3'600'000, kMostUntilCompaction = 86'400'000;

struct Seen {
  int brokers = 0;
  int partitions = 0;  // 0: there is no such topic
  int copies = 0;      // of the partition that has fewest
  bool led = true;     // every partition has a leader
};

using Metadata =
    std::unique_ptr<const rd_kafka_metadata_t, KafkaDeleter<rd_kafka_metadata_destroy>>;
using Topic = std::unique_ptr<rd_kafka_topic_t, KafkaDeleter<rd_kafka_topic_destroy>>;
using NewTopic = std::unique_ptr<rd_kafka_NewTopic_t, KafkaDeleter<rd_kafka_NewTopic_destroy>>;
using Resource =
    std::unique_ptr<rd_kafka_ConfigResource_t, KafkaDeleter<rd_kafka_ConfigResource_destroy>>;
using Options =
    std::unique_ptr<rd_kafka_AdminOptions_t, KafkaDeleter<rd_kafka_AdminOptions_destroy>>;

Result<Seen> look(rd_kafka_t* client, const std::string& name) {
  const Topic topic(rd_kafka_topic_new(client, name.c_str(), nullptr));
  const rd_kafka_metadata_t* raw = nullptr;
  const auto code = rd_kafka_metadata(client, 0, topic.get(), &raw, milliseconds_of(kOneTry));
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return kafka_unavailable("no broker answers", code);
  const Metadata metadata(raw);
  Seen seen{.brokers = metadata->broker_cnt};
  for (int i = 0; i < metadata->topic_cnt; ++i) {
    const auto& found = metadata->topics[i];
    const bool missing = found.err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
    const bool starting = found.err == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE;
    if (name != found.topic || missing) continue;
    if (found.err != RD_KAFKA_RESP_ERR_NO_ERROR && !starting) {
      return kafka_unavailable("the topic " + name, found.err);
    }
    seen.partitions = found.partition_cnt;
    seen.copies = kMostCopies;
    for (int p = 0; p < found.partition_cnt; ++p) {
      seen.copies = std::min(seen.copies, found.partitions[p].replica_cnt);
      seen.led = seen.led && found.partitions[p].leader >= 0;
    }
  }
  return seen;
}

// Configured brokers that are not up yet count, too: a topic with one copy is a last resort.
int wanted_copies(const KafkaSettings& settings, const Seen& seen) {
  return std::min(kMostCopies, std::max(seen.brokers, static_cast<int>(settings.brokers.size())));
}

Options admin_options(rd_kafka_t* client, rd_kafka_admin_op_t operation) {
  Options options(rd_kafka_AdminOptions_new(client, operation));
  rd_kafka_AdminOptions_set_request_timeout(options.get(), milliseconds_of(kOneTry), nullptr, 0);
  return options;
}

std::map<std::string, std::string> topic_settings(const KafkaSettings& settings, int copies) {
  std::map<std::string, std::string> all = {
      {"cleanup.policy", "delete"},
      {"retention.ms", "-1"},
      {"retention.bytes", "-1"},
      {"min.insync.replicas", std::to_string(std::min(copies, 2))},
      {"unclean.leader.election.enable", "false"},
      {"max.message.bytes", std::to_string(kLargestRecord)}};
  if (settings.compacted) {
    all["cleanup.policy"] = "compact";
    all["segment.ms"] = all["max.compaction.lag.ms"] = std::to_string(kSegment);
    all["min.cleanable.dirty.ratio"] = "0.01";
    all["delete.retention.ms"] = std::to_string(kMostUntilCompaction);
  }
  if (settings.retention) {
    all["retention.ms"] = std::to_string(settings.retention->count());
    all["segment.ms"] =
        std::to_string(settings.retention->count() / 8);  // Kafka deletes whole segments
  }
  return all;
}

Status make(rd_kafka_t* client, const KafkaSettings& settings, int copies) {
  std::array<char, 256> why{};
  const NewTopic topic(rd_kafka_NewTopic_new(settings.topic.c_str(), settings.partitions, copies,
                                             why.data(), why.size()));
  if (!topic) return Error{ErrorCode::kInvalid, std::string(why.data()) + "."};
  for (const auto& [name, value] : topic_settings(settings, copies)) {
    rd_kafka_NewTopic_set_config(topic.get(), name.c_str(), value.c_str());
  }
  const KafkaQueue queue(rd_kafka_queue_new(client));
  std::array<rd_kafka_NewTopic_t*, 1> topics = {topic.get()};
  const auto options = admin_options(client, RD_KAFKA_ADMIN_OP_CREATETOPICS);
  rd_kafka_CreateTopics(client, topics.data(), topics.size(), options.get(), queue.get());
  const KafkaEvent event(rd_kafka_queue_poll(queue.get(), milliseconds_of(2 * kOneTry)));
  if (!event) return kafka_unavailable("the topic cannot be made", RD_KAFKA_RESP_ERR__TIMED_OUT);
  auto code = rd_kafka_event_error(event.get());
  std::string reason = rd_kafka_event_error_string(event.get());
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
    std::size_t count = 0;
    const auto** results = rd_kafka_CreateTopics_result_topics(
        rd_kafka_event_CreateTopics_result(event.get()), &count);
    if (count > 0) code = rd_kafka_topic_result_error(results[0]);
    const char* details = count > 0 ? rd_kafka_topic_result_error_string(results[0]) : nullptr;
    reason = details != nullptr ? details : kafka_text(code);
  }
  const bool made = code == RD_KAFKA_RESP_ERR_NO_ERROR ||
                    code == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS;  // by another node
  if (made) return kDone;
  return Error{ErrorCode::kUnavailable,
               "the topic " + settings.topic + " cannot be made: " + reason};
}

using Values = std::map<std::string, std::string>;

Result<Values> describe(rd_kafka_t* client, const std::string& name) {
  const Resource resource(rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, name.c_str()));
  const KafkaQueue queue(rd_kafka_queue_new(client));
  std::array<rd_kafka_ConfigResource_t*, 1> asked = {resource.get()};
  const auto options = admin_options(client, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
  rd_kafka_DescribeConfigs(client, asked.data(), asked.size(), options.get(), queue.get());
  const KafkaEvent event(rd_kafka_queue_poll(queue.get(), milliseconds_of(2 * kOneTry)));
  auto code = event ? rd_kafka_event_error(event.get()) : RD_KAFKA_RESP_ERR__TIMED_OUT;
  std::size_t count = 0;
  const rd_kafka_ConfigResource_t** found = nullptr;
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
    found = rd_kafka_DescribeConfigs_result_resources(
        rd_kafka_event_DescribeConfigs_result(event.get()), &count);
    if (count > 0) code = rd_kafka_ConfigResource_error(found[0]);
  }
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR || count == 0) {
    return kafka_unavailable("the settings of the topic " + name + " cannot be read", code);
  }
  Values values;
  std::size_t entries = 0;
  const auto** configs = rd_kafka_ConfigResource_configs(found[0], &entries);
  for (std::size_t i = 0; i < entries; ++i) {
    const char* value = rd_kafka_ConfigEntry_value(configs[i]);
    values[rd_kafka_ConfigEntry_name(configs[i])] = value != nullptr ? value : "";
  }
  return values;
}

// Whether a text is a number of at most `most`.
bool within(const std::string& text, std::int64_t most) {
  std::int64_t found = 0;
  const auto* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, found);
  return read.ec == std::errc() && read.ptr == end && found <= most;
}

Status check(const KafkaSettings& settings, const std::string& name, const Seen& seen,
             const Values& values) {
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorCode::kInvalid, "The topic " + name + " would lose records: " + why + "."};
  };
  const auto value = [&](const std::string& of) {
    const auto found = values.find(of);
    return found == values.end() ? std::string() : found->second;
  };
  const int wanted = wanted_copies(settings, seen);
  if (seen.copies < wanted) {
    return refuse("it has " + std::to_string(seen.copies) + " copies of a partition where " +
                  std::to_string(wanted) + " brokers are");
  }
  const auto number = [&](const std::string& of) {
    int found = 1;
    const auto text = value(of);
    std::from_chars(text.data(), text.data() + text.size(), found);
    return found;
  };
  const int in_sync = number("min.insync.replicas");
  if (in_sync < std::min(seen.copies, 2)) {
    return refuse("min.insync.replicas is " + std::to_string(in_sync) + ", not 2");
  }
  if (in_sync > seen.copies) {
    return Error{ErrorCode::kInvalid, "The topic " + name + " takes no records: its " +
                                          "min.insync.replicas is " + std::to_string(in_sync) +
                                          ", more than its " + std::to_string(seen.copies) +
                                          " copies."};
  }
  for (const auto& [setting, must] :
       {std::pair{"cleanup.policy", settings.compacted ? "compact" : "delete"},
        std::pair{"retention.ms", "-1"}, std::pair{"retention.bytes", "-1"},
        std::pair{"unclean.leader.election.enable", "false"}}) {
    if (value(setting) != must) {
      return refuse(std::string(setting) + " is " + value(setting) + ", not " + must);
    }
  }
  for (const auto* setting : {"segment.ms", "max.compaction.lag.ms"}) {
    if (!settings.compacted || within(value(setting), kMostUntilCompaction)) continue;
    return Error{ErrorCode::kInvalid,
                 "The topic " + name + " would keep keys that are destroyed: " + setting + " is " +
                     value(setting) + ", more than " + std::to_string(kMostUntilCompaction) + "."};
  }
  if (const int largest = number("max.message.bytes"); largest < kLargestRecord) {
    settings.log_line("The topic " + name + " takes no record of more than " +
                      std::to_string(largest) + " bytes: set its max.message.bytes to " +
                      std::to_string(kLargestRecord) + ".");
  }
  return kDone;
}

// One attempt to find the topic, and to create or check it; nullopt while it is not ready.
Result<std::optional<KafkaTopicFacts>> attempt(rd_kafka_t* client, const KafkaSettings& settings) {
  const auto seen = look(client, settings.topic);
  if (!seen) return seen.error();
  if (seen->partitions == 0) {
    const auto made = make(client, settings, wanted_copies(settings, *seen));
    if (!made) return made.error();
    return std::optional<KafkaTopicFacts>();
  }
  if (!seen->led) {
    return Error{ErrorCode::kUnavailable, "a partition of " + settings.topic + " has no leader"};
  }
  if (!settings.retention) {
    const auto values = describe(client, settings.topic);
    if (!values) return values.error();
    if (const auto sound = check(settings, settings.topic, *seen, *values); !sound)
      return sound.error();
  }
  // A topic that was just created is not known to every broker yet.
  const auto ends = ask_kafka_offsets(client, settings.topic, all_partitions(seen->partitions),
                                      KafkaOffset::kEnd, kOneTry);
  if (!ends) return ends.error();
  char* cluster = rd_kafka_clusterid(client, milliseconds_of(kOneTry));
  if (cluster == nullptr) return Error{ErrorCode::kUnavailable, "the cluster does not tell its id"};
  KafkaTopicFacts facts{seen->partitions, cluster};
  rd_kafka_mem_free(client, cluster);
  return std::optional(std::move(facts));
}

}  // namespace

Result<KafkaTopicFacts> ensure_kafka_topic(rd_kafka_t* client, const KafkaSettings& settings,
                                           std::chrono::milliseconds timeout) {
  const auto until = Steady::now() + timeout;
  std::string trouble = "the topic " + settings.topic + " is not there yet";
  while (true) {
    auto facts = attempt(client, settings);
    if (facts && *facts) return std::move(**facts);
    if (!facts && facts.error().code == ErrorCode::kInvalid) return facts.error();
    if (!facts) trouble = facts.error().message;
    if (Steady::now() >= until || settings.gives_up()) {
      return Error{ErrorCode::kUnavailable,
                   "Kafka cannot be used: " + trouble + (trouble.ends_with('.') ? "" : ".")};
    }
    std::this_thread::sleep_for(kBetweenTries);
  }
}

}  // namespace tilth
