#include "app/node/node_logs.h"

#include <algorithm>
#include <future>
#include <memory>
#include <mutex>
#include <sstream>
#include <utility>

#include "events/log/log_end.h"
#include "infra/config/kafka_table.h"
#include "infra/embedded/archive_cache.h"
#include "infra/embedded/archive_command.h"
#include "infra/embedded/embedded_import.h"
#include "infra/embedded/owner_key_files.h"
#include "infra/kafka/topic/shared_secret.h"
#include "infra/kafka/write/kafka_import.h"
#include "infra/system/whole_file.h"
#include "projections/access/user.h"

namespace tilth {
namespace {

constexpr std::chrono::hours kUsageIsKept{13};  // longer than a session
constexpr std::chrono::hours kDeliveriesAreKept{24 * 31};
constexpr std::chrono::hours kAnnouncementsAreKept{1};

// The name that operators read and that is compared.
std::string name_of(const KafkaEventLog& log, const std::string& topic) {
  return "the topic " + topic + " of the cluster " + log.cluster() + " with " +
         std::to_string(log.partitions()) + " partitions";
}

// Which log the read models come from: its name, the first event once known, and on Kafka what
// SharedOwnerKeys::sealing() was.
struct Origin {
  std::string name = {}, first = {}, sealing = {};
};

std::filesystem::path origin_file(const Config& config) { return config.data / "views" / "log"; }

Result<Origin> stored_origin(const Config& config) {
  const auto stored = read_whole_file(origin_file(config));
  if (!stored) return stored.error();
  Origin origin;
  std::istringstream lines(stored->value_or(""));
  for (auto* line : {&origin.name, &origin.first, &origin.sealing}) std::getline(lines, *line);
  return origin;
}

// Stores where the read models come from; what is not known yet stays as it is.
Status claim_views(const Config& config, const Origin& origin) {
  const auto views = config.data / "views";
  std::error_code failed;
  std::filesystem::create_directories(views, failed);
  const auto former = stored_origin(config);
  if (!former) return former.error();
  if (!former->name.empty()) {
    const auto refuse = [&](const std::string& what) {
      return Error{ErrorCode::kConflict,
                   "The read models in " + views.string() + " come from " + what +
                       ": name their log, or move them away to fold this one."};
    };
    if (former->name != origin.name) return refuse(former->name + ", and this is " + origin.name);
    if (!former->first.empty() && former->first != origin.first) {
      return refuse("another topic of this name, which began with event " + former->first);
    }
  }
  const auto& sealing = origin.sealing.empty() ? former->sealing : origin.sealing;
  if (former->name == origin.name && former->first == origin.first && former->sealing == sealing) {
    return kDone;
  }
  const auto content = origin.name + "\n" + origin.first + "\n" + sealing + "\n";
  return write_whole_file(origin_file(config), content, 0600);
}

std::filesystem::path imports(const Config& config) { return config.data / "import"; }

ArchivePlaces archive_places(const Config& config, LogLines& log_lines) {
  const auto& archive = config.archive;
  ArchivePlaces places{.directories = {config.data / kArchive}};
  if (!archive.directory.empty()) places.directories.push_back(archive.directory);
  if (archive.command.empty()) return places;
  places.cache = std::make_shared<ArchiveCache>(
      std::make_shared<ArchiveCommand>(archive.command, archive.timeout),
      ArchiveCache::Options{
          .directory = config.data / kArchiveCache,
          .limit_bytes = static_cast<std::uintmax_t>(archive.cache_bytes),
          .log_line = [&log_lines](std::string_view line) { log_lines.warn(line); }});
  return places;
}

Result<NodeLogs> open_embedded(const Config& config, const DataDirectory& directory,
                               Metrics& metrics, LogLines& log_lines,
                               const std::function<bool()>&) {
  if (const auto ours = claim_views(config, {.name = "the embedded log"}); !ours)
    return ours.error();
  EmbeddedEventLogOptions options;
  options.store.log_line = [&log_lines](std::string_view line) { log_lines.warn(line); };
  options.on_group = [&metrics](std::size_t records, std::chrono::nanoseconds took) {
    metrics.group_synced(records, took);
  };
  auto keys = OwnerKeyFiles::open(config.data / kOwnerKeys);
  if (!keys) return keys.error();
  options.store.keys = std::move(*keys);
  options.store.seal_new = !config.unsealed;
  const auto owner_keys = options.store.keys;
  auto archives = archive_places(config, log_lines);
  options.store.archives = archives;
  auto memory = log_memory();
  options.store.memory = memory;
  auto log = EmbeddedEventLog::open(config.data / "log", std::move(options));
  if (!log) return log.error();
  auto* const embedded = log->get();
  return NodeLogs{.events = std::move(*log),
                  .embedded = embedded,
                  .memory = std::move(memory),
                  .owner_keys = embedded->is_sealed() ? owner_keys : nullptr,
                  .archives = std::move(archives),
                  .decided = embedded,
                  .followed = embedded,
                  .key_secret = directory.key_secret()};
}

// "tilth.usage" accompanies "tilth.events".
std::string sibling_topic(const std::string& topic, const std::string& what) {
  constexpr std::string_view kEvents = ".events";
  const bool usual = topic.ends_with(kEvents);
  return (usual ? topic.substr(0, topic.size() - kEvents.size()) : topic) + "." + what;
}

Result<std::string> agree_on_secret(const KafkaSettings& settings, const DataDirectory& directory,
                                    LogLines& log_lines) {
  auto own = settings;
  own.topic = sibling_topic(settings.topic, "secrets");
  own.partitions = 1;
  auto log = KafkaEventLog::open(own);
  if (!log) return log.error();
  auto secret = share_secret(**log, directory.node(), directory.key_secret());
  if (!secret || *secret == directory.key_secret()) return secret;
  log_lines.info("The key secret is now the one that the nodes share.");
  const auto written = write_whole_file(directory.path() / "key.secret", *secret, 0600);
  if (!written) return written.error();
  return secret;
}

// The keys that seal the history, which the nodes share; the history was empty, or not, before
// their topic is read.
Result<std::shared_ptr<SharedOwnerKeys>> open_owner_keys(const Config& config,
                                                         const KafkaSettings& settings,
                                                         KafkaEventLog& history,
                                                         const std::string& node) {
  const auto origin = stored_origin(config);
  if (!origin) return origin.error();
  const auto ends = ends_of(history);
  if (!ends) return ends.error();
  auto own = settings;
  own.topic = sibling_topic(settings.topic, "owner-keys");
  own.partitions = 1;
  own.compacted = true;
  auto opened = KafkaEventLog::open(own);
  if (!opened) return opened.error();
  const std::shared_ptr<KafkaEventLog> log = std::move(*opened);
  auto keys = SharedOwnerKeys::open(
      log, {.node = node,
            .directory = config.data / kOwnerKeys,
            .history_is_empty =
                std::ranges::all_of(*ends, [](const auto& end) { return end.offset == 0; }),
            .seal_new = !config.unsealed,
            .known_sealing = origin->sealing,
            .history_is_sealed =
                [&history] { return history.has_sealed(history.partition_of(kAccessStream)); },
            .log_line = settings.log_line});
  if (keys && (*keys)->is_sealed()) log->watch(0, [](const auto&) { return kDone; });
  return keys;
}

KafkaProducerWatch watched_by(Metrics& metrics) {
  return {.on_durable = [&metrics](auto took) { metrics.produced(took); },
          .on_unknown = [&metrics] { metrics.produce_unknown(); },
          .on_renewed = [&metrics] { metrics.kafka_client_renewed(); }};
}

Result<KafkaSettings> kafka_settings(const Config& config, LogLines& log_lines,
                                     const std::function<bool()>& stop_asked) {
  auto client = with_secrets(config.kafka.client);
  if (!client) return client.error();
  for (const auto& [name, value] : *client) {
    if (config.kafka.client.contains(name + "_file")) log_lines.keep_secret(value);
  }
  return KafkaSettings{.brokers = config.brokers,
                       .topic = config.topic,
                       .partitions = static_cast<int>(config.kafka.partitions),
                       .client = std::move(*client),
                       .gives_up = [&stop_asked] { return stop_asked(); },
                       .log_line = [&log_lines](std::string_view line) { log_lines.warn(line); }};
}

// The topics that accompany the history, with one partition each.
struct SiblingLogs {
  std::unique_ptr<KafkaEventLog> usage, webhooks, nodes;
};

// At once, since brokers take a second to make a topic.
Result<SiblingLogs> open_siblings(const KafkaSettings& settings) {
  const auto open = [&settings](const std::string& what, std::chrono::milliseconds retention) {
    auto own = settings;
    own.topic = sibling_topic(settings.topic, what);
    own.partitions = 1;
    own.retention = retention;
    return std::async(std::launch::async,
                      [own = std::move(own)] { return KafkaEventLog::open(own); });
  };
  auto opening_usage = open("usage", kUsageIsKept);
  auto opening_webhooks = open("webhooks", kDeliveriesAreKept);
  auto opening_nodes = open("nodes", kAnnouncementsAreKept);
  auto usage = opening_usage.get(), webhooks = opening_webhooks.get(), nodes = opening_nodes.get();
  for (const auto* opened : {&usage, &webhooks, &nodes}) {
    if (!*opened) return opened->error();
  }
  return SiblingLogs{std::move(*usage), std::move(*webhooks), std::move(*nodes)};
}

Result<NodeLogs> open_kafka(const Config& config, const DataDirectory& directory, Metrics& metrics,
                            LogLines& log_lines, const std::function<bool()>& stop_asked) {
  const auto settings = kafka_settings(config, log_lines, stop_asked);
  if (!settings) return settings.error();
  auto events = KafkaEventLog::open(*settings, watched_by(metrics));
  if (!events) return events.error();
  // The first event of users and keys differs between any two topics.
  const int watched = (*events)->partition_of(kAccessStream);
  const auto claim = [&config, name = name_of(**events, config.topic),
                      one_at_a_time = std::make_shared<std::mutex>()](
                         const std::string& first, const std::string& sealing = {}) {
    const std::lock_guard lock(*one_at_a_time);
    return claim_views(config, {name, first, sealing});
  };
  const auto first = (*events)->first_id(watched);
  if (!first) return first.error();
  if (const auto ours = claim(*first); !ours) return ours.error();
  auto keys = open_owner_keys(config, *settings, **events, directory.node());
  if (!keys) return keys.error();
  const bool sealed = (*keys)->is_sealed();
  if (sealed) {
    // Before anything sealed is folded: a node that is up to date would not miss a key.
    if (const auto claimed = claim(*first, (*keys)->sealing()); !claimed) return claimed.error();
    (*events)->seal_with(*keys);
  }
  if (const auto whole = KafkaImport::resume(**events, imports(config)); !whole) {
    return whole.error();
  }
  (*events)->watch(watched, [claim](const auto& begins_with) { return claim(begins_with); });
  auto secret = agree_on_secret(*settings, directory, log_lines);
  if (!secret) return secret.error();
  auto siblings = open_siblings(*settings);
  if (!siblings) return siblings.error();
  auto* const kafka = events->get();
  return NodeLogs{.events = std::move(*events),
                  .owner_keys = sealed ? *keys : nullptr,
                  .shared_keys = sealed ? keys->get() : nullptr,
                  .kafka = kafka,
                  .decided = &kafka->for_deciders(),
                  .followed = &kafka->for_followers(),
                  .usage = std::move(siblings->usage),
                  .usage_topic = sibling_topic(config.topic, "usage"),
                  .webhooks = std::move(siblings->webhooks),
                  .nodes = std::move(siblings->nodes),
                  .key_secret = std::move(*secret),
                  .on_access = [claim, watched](const LoggedRecord& logged) {
                    if (logged.position != Position{watched, 0}) return;
                    static_cast<void>(claim(logged.record->envelope.id));
                  }};
}

}  // namespace

Result<NodeLogs> open_node_logs(const Config& config, const DataDirectory& directory,
                                Metrics& metrics, LogLines& log_lines,
                                const std::function<bool()>& stop_asked) {
  const auto open = config.log == LogKind::kKafka ? open_kafka : open_embedded;
  return open(config, directory, metrics, log_lines, stop_asked);
}

BeginImport import_into(const NodeLogs& logs, const Config& config, std::function<bool()> alone) {
  const auto aside = imports(config);
  std::error_code ignored;
  std::filesystem::remove_all(aside, ignored);  // what a crash left there is useless
  if (!config.no_library) return {};
  if (logs.embedded != nullptr) {
    return [log = logs.embedded, aside] { return EmbeddedImport::begin(*log, aside); };
  }
  return [log = logs.kafka, aside, alone = std::move(alone)] {
    using Begun = Result<std::unique_ptr<HistoryImport>>;
    return alone() ? KafkaImport::begin(*log, aside)
                   : Begun(Error{ErrorCode::kConflict,
                                 "Other nodes of this topic run, and would read a part of it."});
  };
}

}  // namespace tilth
