#include "app/node/history_service.h"

#include <string>
#include <system_error>
#include <utility>

#include "events/log/streams.h"
#include "infra/bulk/row_spill_file.h"

namespace tilth {

namespace {

constexpr int kGeneration = 1;

}  // namespace

Result<std::unique_ptr<HistoryService>> HistoryService::open(const Parts& parts) {
  auto opened = try_open(parts);
  if (opened || !RocksStore::is_disposable(opened.error())) return opened;
  parts.log_lines.warn("The index of the history is recreated.",
                       {{"reason", opened.error().message}});
  std::error_code ignored;
  std::filesystem::remove_all(parts.config.data / "views" / "history", ignored);
  return try_open(parts);
}

Result<std::unique_ptr<HistoryService>> HistoryService::try_open(const Parts& parts) {
  auto store = RocksStore::open(parts.config.data / "views", "history", kGeneration,
                                StreamIndex::kFingerprint, parts.memory);
  if (!store) return store.error();
  std::unique_ptr<HistoryService> service(new HistoryService(parts, std::move(*store)));
  auto& index = *service->index_;
  if (const auto opened = index.open(); !opened) return opened.error();
  if (parts.config.cluster.copies > 0) {  // LandShare adds what this node holds
    const auto alone = index.follow_only({parts.log.partition_of(kReferenceStream)});
    if (!alone) return alone.error();
  }
  // Removes the files when the service stops, so that the next start begins without them.
  service->thread_ = std::make_unique<IndexThread>(
      index, parts.log_lines, [&rows = *service->store_] { rows.remove_when_unused(); });
  return service;
}

BackedUp HistoryService::backed_up() const {
  return {std::filesystem::path("views") / "history" / std::to_string(kGeneration),
          [this](const auto& path) { return store_->copy_to(path); }};
}

void HistoryService::stop() {
  as_of_.reset();
  own_history_.reset();
  thread_.reset();
}

HistoryService::HistoryService(const Parts& parts, std::unique_ptr<RocksStore> store)
    : store_(std::move(store)),
      index_(std::make_unique<StreamIndex>(parts.followed, *store_)),
      scratch_(parts.config.data / "scratch", parts.memory),
      own_history_(std::make_unique<OwnHistory>(
          OwnHistory::Parts{parts.log, *index_, bell_, parts.clock, parts.digest, parts.keys,
                            parts.work.requests(), parts.work.streams(), parts.lease})),
      as_of_(std::make_unique<AsOf>(past_sources(parts), parts.work.as_of())) {}

AsOf::Sources HistoryService::past_sources(const Parts& parts) {
  AsOf::Sources all;
  for (auto& projection : {registry(), finance()}) {
    all.emplace(
        projection.name,
        PastSources{.log = parts.log,
                    .index = *index_,
                    .projection = projection,
                    .make_spill = [path = parts.config.data /
                                          "scratch"] { return RowSpillFile::make(path); },
                    .make_scratch = [this] { return scratch_.make(); },
                    .most_events = static_cast<std::size_t>(parts.config.limits.as_of_events),
                    .overrides = [&overrides = parts.overrides,
                                  name = projection.name] { return overrides.of(name); }});
  }
  return all;
}

}  // namespace tilth
