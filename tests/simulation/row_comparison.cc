#include "tests/simulation/row_comparison.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <utility>

#include "events/log/streams.h"
#include "projections/fold/comparison.h"
#include "projections/market/market.h"
#include "projections/rows/idempotency_record.h"
#include "tests/fixtures/memory_projection_store.h"
#include "tests/fixtures/spec.h"
#include "tests/simulation/kept_conversions.h"
#include "tests/simulation/plain_analytics.h"
#include "tests/simulation/plain_books.h"
#include "tests/simulation/plain_past.h"
#include "tests/simulation/simulated_log.h"

namespace tilth::testing {
namespace {

constexpr char kOfNoStream = '\1';  // starts the keys that belong to no stream

// The rows of all cells of a node.
RowBatch united(World& world, const SimulatedNode& node, const Projection& projection) {
  const std::string reference = std::string(kReferenceStream) + '\0';
  RowBatch all;
  std::map<std::string, std::size_t, std::less<>> cells_with;  // by key of the reference data
  const auto cells = node.rows(projection.name);
  for (const auto* rows : cells) {
    const auto cursor = rows->cursor();
    for (cursor->seek({}); cursor->valid(); cursor->next()) {
      const std::string key(cursor->key()), value(cursor->value());
      const bool in_each = key.starts_with(reference);
      const auto there = all.get(key);
      if (in_each) ++cells_with[key];
      if (there && !key.starts_with(kOfNoStream) && (!in_each || *there != value)) {
        world.violated(node.name() + " has rows of " + key.substr(0, key.find('\0')) +
                       " in two cells of " + projection.name);
      }
      if (!there) all.put(key, value);
    }
  }
  for (const auto& [key, count] : cells_with) {
    if (count < cells.size()) {
      world.violated(node.name() + " has other reference data in each cell of " + projection.name);
      break;
    }
  }
  return all;
}

// No node has read its lists as of a later instant.
Timestamp latest_clock(const std::vector<std::unique_ptr<SimulatedNode>>& nodes) {
  Timestamp latest = Timestamp::earliest();
  for (const auto& node : nodes) latest = std::max(latest, node->now());
  return latest;
}

// The rows that follow from the log, to compare those of nodes with.
class FoldOfLog {
 public:
  FoldOfLog(World& world, SimulatedTopic& topic, const Projection& projection, Timestamp now)
      : now_(now), projection_(projection), log_(world, topic) {}

  Projector& projector() { return projector_; }
  const RowReader& rows() const { return store_.newest(); }

  Status age(const std::string& stream) {
    for (auto aged = projector_.age(stream, now_); !aged || !*aged;
         aged = projector_.age(stream, now_)) {
      if (!aged) return aged.error();
    }
    return kDone;
  }

  Result<Comparison> compared_with(const RowReader& live) {
    return compare(projection_,
                   {live, [this]() -> const RowReader& { return rows(); },
                    [this](const std::string& stream) { return age(stream); }, now_},
                   [] { return true; });
  }

 private:
  const Timestamp now_;
  const Projection projection_;
  MemoryProjectionStore store_{MemoryProjectionStore::Commits::kInPlace};
  SimulatedLog log_;
  Projector projector_{log_, store_, projection_,
                       [](const auto&, bool, const auto&, const auto&) {}};
};

}  // namespace

// The rows of a registry are those that a plain fold of each stream leads to, and nothing is left
// of what was removed.
void RowComparison::check_rows(const SimulatedNode& node, const std::string& projection,
                               RowBatch& rows, Timestamp now, std::optional<int> cell) {
  if (projection == "registry") {
    for (auto& [stream, plain] : expected_.rows) {
      age_up_to(now, stream, plain);
      age_up_to(now, stream, rows);
    }
  }
  std::map<std::string, std::size_t> there;
  for (const auto& [key, value] : rows.changes()) {
    if (key.starts_with(kOfNoStream)) continue;
    const auto stream = key.substr(0, key.find('\0'));
    if (const auto left = leftover(key, *value, expected_.rules[stream])) {
      world_.violated(node.name() + " has rows of " + *left + " in " + projection);
      return;
    }
    if (projection != "registry" || key.substr(stream.size() + 1, 1) != "r") continue;
    ++there[stream];
    if (expected_.rows[stream].get(key) != value) {
      world_.violated(node.name() + " has a row in " + projection + " that the events of " +
                      stream + " do not lead to");
      return;
    }
  }
  if (projection != "registry") return;
  check_remembered(node, rows, now);
  for (const auto& [stream, plain] : expected_.rows) {
    const bool is_elsewhere =
        cell && stream != kReferenceStream && node.layout().cell_of(stream) != *cell;
    if (is_elsewhere) continue;
    const auto prefix = stream + '\0' + 'r';
    const auto rows_of_it = std::ranges::count_if(plain.changes(), [&](const auto& change) {
      return change.second && change.first.starts_with(prefix);
    });
    if (static_cast<std::size_t>(rows_of_it) != there[stream]) {
      world_.violated(node.name() + " lacks rows of " + stream + " in " + projection);
    }
  }
}

// An erasure leaves none of the requests before it.
void RowComparison::check_remembered(const SimulatedNode& node, const RowBatch& rows,
                                     Timestamp now) {
  for (const auto& [stream, erased_at] : expected_.erased_at) {
    const Rows own(rows, stream, 0);
    const auto begin = own.own_key('i');
    const auto cursor = rows.cursor();
    for (cursor->seek(begin); cursor->valid() && cursor->key().starts_with(begin); cursor->next()) {
      const auto found = find_idempotency_record(own, cursor->key().substr(begin.size()), now);
      if (!found || found->position.offset >= erased_at) continue;
      return world_.violated(node.name() + " remembers a request of " + stream +
                             " that was erased");
    }
  }
}

bool RowComparison::fold_log(Projector& fold) {
  if (const auto opened = fold.open(); !opened) {
    return world_.violated(opened.error().message), false;
  }
  for (auto more = fold.follow(std::chrono::milliseconds(0)); !more || *more;
       more = fold.follow(std::chrono::milliseconds(0))) {
    if (more) continue;
    return world_.violated("The log cannot be folded: " + more.error().message), false;
  }
  return true;
}

void RowComparison::compare_cells(const std::vector<std::unique_ptr<SimulatedNode>>& nodes) {
  const auto& layout = nodes.front()->layout();
  const auto now = latest_clock(nodes);
  for (const auto& whole : {registry(), finance()}) {
    for (int cell = 0; cell < layout.cells(); ++cell) {
      const auto projection = layout.part_of(whole, cell);
      FoldOfLog fold(world_, topic_, projection, now);
      if (!fold_log(fold.projector())) return;
      if (whole.name == "finance") check_books(fold.rows(), &layout, cell);
      for (const auto& node : nodes) {
        const auto* rows = node->held_rows(whole.name)[static_cast<std::size_t>(cell)];
        if (rows == nullptr) continue;
        const auto compared = fold.compared_with(*rows);
        if (!compared) return world_.violated(compared.error().message);
        for (const auto& each : compared->differences) {
          world_.violated(node->name() + " has other rows in cell " + std::to_string(cell) +
                          " of " + whole.name + " than the log: " + each.what + " of " +
                          each.stream);
        }
        RowBatch copy;
        const auto cursor = rows->cursor();
        for (cursor->seek({}); cursor->valid(); cursor->next()) {
          copy.put(std::string(cursor->key()), std::string(cursor->value()));
        }
        check_rows(*node, whole.name, copy, now, cell);
      }
    }
  }
}

void RowComparison::compare(const std::vector<std::unique_ptr<SimulatedNode>>& nodes) {
  const auto now = latest_clock(nodes);
  if (world_.once_in(3)) check_past(nodes.front()->log_on_disk());
  for (const auto& projection : {registry(), finance(), market()}) {
    FoldOfLog fold(world_, topic_, projection, now);
    if (!fold_log(fold.projector())) return;
    for (const auto& node : nodes) {
      auto rows = united(world_, *node, projection);
      const auto compared = fold.compared_with(rows);
      check_rows(*node, projection.name, rows, now);
      if (!compared) return world_.violated("Rows cannot be compared: " + compared.error().message);
      for (const auto& each : compared->differences) {
        world_.violated(node->name() + " has other rows in " + projection.name +
                        " than the log: " + each.what + " of " + each.stream);
      }
    }
    if (projection.name == "registry") {
      for (const auto& [stream, none] : expected_.rules) {
        if (const auto aged = fold.age(stream); !aged) {
          return world_.violated("Lists cannot be aged: " + aged.error().message);
        }
      }
      check_analytics(fold.rows(), now);
    }
    if (projection.name == "finance") {
      check_books(fold.rows());
      if (auto wrong = wrong_in_kept_conversions(topic_); !wrong.empty()) {
        world_.violated(std::move(wrong));
      }
    }
    if (projection.name != "market") continue;
    if (const auto aged = fold.age(std::string(kMarketStream)); !aged) {
      return world_.violated("Prices cannot be aged: " + aged.error().message);
    }
    const PlainMarket plain(records_by_stream(), now, expected_.rates);
    check_market(fold.rows(), plain);
    for (const std::uint64_t min_owners : {1, 3, 4}) {
      check_prices(AskedPrices(min_owners), {&fold.rows()}, plain);
    }
    check_prices_of_cells(plain, now);
    for (const auto& node : nodes) {
      const auto cells = node->rows("market");
      const bool current = prices_are_current(Rows(*cells.front(), kMarketStream, 0), now);
      if (current) check_prices(node->prices(), cells, plain);
    }
  }
}

// `cell`: of that layout, of which these are the rows; without a layout, all.
void RowComparison::check_books(const RowReader& rows, const CellLayout* layout, int cell) {
  for (const auto& [stream, rules] : expected_.rules) {
    if (layout != nullptr && layout->cell_of(stream) != cell) continue;
    const auto wrong =
        wrong_in_books({rows, stream, rules.version()}, rules.records(), expected_.rates);
    if (!wrong.empty()) world_.violated("In the books of " + stream + ", " + wrong);
  }
}

// As of when something happened to each owner, or right before. Null: there is no log on disk.
void RowComparison::check_past(EventLog* log) {
  PlainPast past(topic_, log);
  for (const auto& [stream, rules] : expected_.rules) {
    if (stream == kReferenceStream || rules.version() == 0) continue;
    const Timestamp at{past.middle_of(stream).at - std::chrono::milliseconds(world_.below(2))};
    const auto wrong = past.wrong_at(stream, at, expected_.rows);
    if (!wrong.empty()) world_.violated("For " + stream + " as of " + at.text() + ", " + wrong);
  }
}

// Of rows that have aged.
void RowComparison::check_analytics(const RowReader& rows, Timestamp now) {
  const auto reference = expected_.rules.find(std::string(kReferenceStream));
  const auto* library = reference == expected_.rules.end() ? nullptr : &reference->second.records();
  for (const auto& [stream, rules] : expected_.rules) {
    const auto wrong =
        wrong_in_analytics({rows, stream, rules.version()}, rules.records(), library, now);
    if (!wrong.empty()) world_.violated("For " + stream + ", " + wrong);
  }
}

std::multimap<std::string, const PlainRecords*> RowComparison::records_by_stream() const {
  std::multimap<std::string, const PlainRecords*> records;
  for (const auto& [stream, rules] : expected_.rules) {
    records.emplace(stream, &rules.records());
    for (const auto& erased : rules.erased()) records.emplace(stream, &erased);
  }
  return records;
}

// `cells`: the rows of all cells of the market.
void RowComparison::check_prices(const AskedPrices& prices,
                                 const std::vector<const RowReader*>& cells,
                                 const PlainMarket& plain) {
  const auto wrong = plain.wrong_in_prices(
      [&](const auto& query) { return prices.ask(query, cells); }, prices.min_owners());
  if (!wrong.empty()) world_.violated("Of regional prices, " + wrong);
}

// The prices of all cells together, where there are enough owners to be divided.
void RowComparison::check_prices_of_cells(const PlainMarket& plain, Timestamp now) {
  constexpr std::size_t kEnough = 3;
  if (expected_.rules.size() - expected_.rules.count(std::string(kReferenceStream)) < kEnough)
    return;
  const CellLayout layout(SimulatedLog(world_, topic_), 2);
  std::deque<FoldOfLog> folds;
  std::vector<const RowReader*> cells;
  for (int cell = 0; cell < layout.cells(); ++cell) {
    auto& fold = folds.emplace_back(world_, topic_, layout.part_of(market(), cell), now);
    if (!fold_log(fold.projector())) return;
    if (const auto aged = fold.age(std::string(kMarketStream)); !aged) {
      return world_.violated("Prices cannot be aged: " + aged.error().message);
    }
    cells.push_back(&fold.rows());
  }
  check_prices(AskedPrices(1), cells, plain);
}

// What is offered follows from the records, and nothing is left of what any owner has removed.
void RowComparison::check_market(const RowReader& rows, const PlainMarket& plain) {
  const auto wrong = plain.wrong_in_rows(rows);
  if (!wrong.empty()) world_.violated(wrong);
  const auto cursor = rows.cursor();
  for (cursor->seek({}); cursor->valid(); cursor->next()) {
    if (cursor->key().starts_with(kOfNoStream)) continue;
    for (const auto& [stream, rules] : expected_.rules) {
      const auto left = leftover(cursor->key(), cursor->value(), rules);
      if (left) return world_.violated("The market has rows of " + *left);
    }
  }
}

}  // namespace tilth::testing
