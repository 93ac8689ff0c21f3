#include "tests/simulation/kept_conversions.h"

#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "events/finance/exchange_rate.h"
#include "events/json/json_writer.h"
#include "events/land/farm.h"
#include "events/log/event_record.h"
#include "events/log/streams.h"
#include "events/log/version_gate.h"
#include "projections/fold/cascade.h"
#include "projections/fold/row_list.h"
#include "projections/rows/derived_cache.h"
#include "projections/rows/row_batch.h"
#include "query/finance/financial_summary.h"

namespace tilth::testing {
namespace {

class Books {
 public:
  void take(const std::string& stream, const Event& event) {
    const RowReader& before = store_;
    RowBatch batch(before);
    MutableRows rows(batch, stream, 0);
    handlers_of("finance").handle(rows, event);
    Cascade(rows.cascade()).advance(rows, std::numeric_limits<std::size_t>::max());
    const DerivedCache::Commit commit(cache_, batch.changes());
    for (const auto& [key, value] : batch.changes()) {
      value ? store_.put(key, *value) : store_.erase(key);
    }
  }

  void keep(const std::string& stream, const FarmId& farm) { kept(stream, farm); }
  bool keeps_what_is_right(const std::string& stream, const FarmId& farm) {
    return kept(stream, farm) == summary(Rows(store_, stream, 0), farm);
  }

 private:
  static std::string summary(const Rows& rows, const FarmId& farm) {
    const auto found = run_query(rows, SummarizeFinances{.at = {farm}, .period = {}}, {});
    return found ? JsonWriter::text(*found) : "";
  }
  std::string kept(const std::string& stream, const FarmId& farm) {
    return summary(Rows(store_, stream, 0, {&cache_, cache_.state()}), farm);
  }

  static constexpr std::size_t kCacheBytes = 1 << 20;
  RowBatch store_;
  DerivedCache cache_{kCacheBytes};
};

}  // namespace

// Owners' streams come first, so that all rates are late.
std::string wrong_in_kept_conversions(const SimulatedTopic& topic) {
  Books books;
  std::set<std::pair<std::string, FarmId>> farms;
  std::vector<Event> imports;
  VersionGate gate;
  for (int partition = 0; partition < topic.partitions(); ++partition) {
    for (const auto& logged : topic.records(partition)) {
      const auto& record = *logged.record;
      if (!gate.admit(record)) continue;
      const auto event = read_event(record);
      if (!event) return "a record cannot be read";
      if (record.stream == kReferenceStream) {
        if (event->is<ExchangeRatesImported>()) imports.push_back(*event);
        continue;
      }
      books.take(record.stream, *event);
      if (const auto* farm = event->get_if<FarmRegistered>()) {
        farms.emplace(record.stream, farm->id);
      }
    }
  }
  for (const auto& import : imports) {
    for (const auto& [stream, farm] : farms) books.keep(stream, farm);
    books.take(std::string(kReferenceStream), import);
    for (const auto& [stream, farm] : farms) {
      if (!books.keeps_what_is_right(stream, farm)) {
        return "Rates change sums of " + stream + " that are not converted again";
      }
    }
  }
  return {};
}

}  // namespace tilth::testing
