#include "app/node/node_webhooks.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "infra/kafka/kafka_event_log.h"

namespace tilth {
namespace {

Result<std::unique_ptr<LogReader>> read_deliveries(KafkaEventLog& log,
                                                   std::optional<std::int64_t> offset) {
  if (offset) return log.read({{0, *offset}});
  const auto first = log.since({});
  return first ? log.read(*first) : first.error();
}

double between_0_and_1(RisingRandom& random) {
  std::uint16_t bytes = 0;
  random.fill(reinterpret_cast<std::uint8_t*>(&bytes), sizeof bytes);
  return static_cast<double>(bytes) / UINT16_MAX;
}

}  // namespace

Result<std::unique_ptr<NodeWebhooks>> NodeWebhooks::open(const Parts& parts) {
  const auto stored_in = parts.config.data / "webhooks";
  auto opened = DeliveryStore::open(stored_in, parts.memory);
  if (!opened && opened.error().code == ErrorCode::kDamaged) {
    return Error{ErrorCode::kDamaged,
                 opened.error().message + " Move " + stored_in.string() + " away: " +
                     (parts.logs.shared() ? "it is read again from Kafka."
                                          : "every webhook then gets all events since its creation "
                                            "again.")};
  }
  if (!opened) return opened.error();
  return std::unique_ptr<NodeWebhooks>(new NodeWebhooks(parts, std::move(*opened)));
}

NodeWebhooks::NodeWebhooks(const Parts& parts, std::unique_ptr<DeliveryStore> store)
    : store_(std::move(store)) {
  const auto& config = parts.config;
  if (parts.logs.shared()) {
    sharing_ = std::make_unique<DeliverySharing>(DeliverySharing::Parts{
        .log = *parts.logs.webhooks,
        .store = *store_,
        .clock = parts.clock,
        .ids = parts.ids,
        .node = parts.node,
        .may_lead = config.roles.command,
        .divided = config.cluster.copies > 0,
        .read = [&log = *parts.logs.webhooks](auto offset) { return read_deliveries(log, offset); },
        .log_line = [&lines = parts.log_lines](std::string_view line) { lines.warn(line); }});
    sharing_thread_ = std::make_unique<DeliverySharingThread>(*sharing_);
  }
  service_ = std::make_unique<DeliveryService>(
      DeliveryService::Parts{.store = *store_,
                             .access = parts.access,
                             .registry = parts.registry,
                             .log = *parts.logs.decided,
                             .index = parts.index,
                             .digest = parts.digest,
                             .clock = parts.clock,
                             .wall_clock = signing_clock_,
                             .ids = parts.ids,
                             .random = [&random = parts.random] { return between_0_and_1(random); },
                             .safety = {config.webhooks.allow_http, config.webhooks.allow_private},
                             .source = "tilth://" + parts.node,
                             .delivers = config.roles.command,
                             .sharing = sharing_.get(),
                             .sends_for = parts.sends_for,
                             .log_lines = parts.log_lines});
}

BackedUp NodeWebhooks::backed_up() const {
  return {"webhooks", [this](const auto& path) { return store_->copy_to(path); }};
}

}  // namespace tilth
