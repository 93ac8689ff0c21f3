#include "api/tables/stream_tables.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "api/tables/member_columns.h"
#include "events/access/audit.h"
#include "events/json/json_members.h"
#include "events/log/catalogue.h"
#include "events/log/request.h"
#include "events/log/streams.h"
#include "events/values/units.h"
#include "projections/access/user.h"
#include "projections/fold/cascade.h"
#include "projections/market/price_report.h"
#include "projections/rows/bulk_rows.h"

namespace tilth {
namespace {

constexpr std::size_t kAtOnce = 10'000;  // rows to erase between writes
constexpr std::size_t kRowBytesInMemory = 32 << 20;
constexpr int kDigits = 12;  // of what was converted
constexpr auto kLinkedTo = std::to_array<std::string_view>(
    {"farm", "field", "block", "crop", "admin_crop", "variety", "task_template"});

bool is_linked_to(std::string_view rows) {
  return std::find(kLinkedTo.begin(), kLinkedTo.end(), rows) != kLinkedTo.end();
}

// What an event says besides its data.
struct Envelope {
  TabledEvent event;
  std::string type;
  int schema_version = 1;
  Timestamp time;
  std::pair<int, std::int64_t> position;
  std::string_view data;
};

std::int64_t whole(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Error no_event() { return {ErrorCode::kDamaged, "The service sent a line that is no event."}; }

Result<Envelope> read_envelope(std::string_view line) {
  const auto members = json_members(line);
  if (!members) return no_event();
  Envelope read;
  auto& event = read.event;
  const std::array<std::pair<std::string_view, std::string*>, 7> texts{
      {{"id", &event.id},
       {"type", &read.type},
       {"subject", &event.owner},
       {"time", &event.time},
       {"actor", &event.actor},
       {"correlationid", &event.correlation_id},
       {"causationid", &event.causation_id}}};
  for (const auto& [name, text] : *members) {
    for (const auto& [of, into] : texts) {
      if (name != of) continue;
      const auto value = parse_json(text);
      if (value) *into = value->text;
    }
    if (name == "streamversion") event.version = text;
    if (name == "schemaversion") read.schema_version = static_cast<int>(whole(text));
    if (name == "partition") read.position.first = static_cast<int>(whole(text));
    if (name == "offset") read.position.second = whole(text);
    if (name == "data") read.data = text;
  }
  const auto time = Timestamp::parse(event.time);
  if (!time || read.type.empty() || read.data.empty()) return no_event();
  read.time = *time;
  return read;
}

template <class Enum>
std::optional<Enum> named_value(std::string_view name) {
  for (const auto& [value, label] : labels(Enum{})) {
    if (label == name) return value;
  }
  return std::nullopt;
}

// The kilograms of a unit of weight, or of what a price is for.
std::optional<Fraction> kilograms_of(std::string_view unit,
                                     const std::optional<std::string>& bushel) {
  if (unit == "gram") return exact("0.001");
  if (unit == "per_bushel") {
    const auto weight = bushel ? Decimal::parse(*bushel) : std::nullopt;
    return weight ? std::optional(exact(*weight)) : std::nullopt;
  }
  if (unit.starts_with("per_")) unit.remove_prefix(4);
  const auto weight = named_value<YieldUnit>(unit);
  return weight ? std::optional(kilograms(*weight)) : std::nullopt;
}

Projection projection_of(std::string_view stream) {
  return stream == kAccessStream ? access() : registry();
}

}  // namespace

const ExportTable& exchange_rate_table() {
  using enum ColumnType;
  static const ExportTable kTable{
      "exchange_rates",
      "The exchange rates. An amount is converted by the last rate on or before its day.",
      {{"day", kDate, "The day for which it was published."},
       {"currency", kText, "The currency, as an ISO 4217 code."},
       {"perEuro", kDecimal, "Units of the currency for one euro.", "currency/EUR"},
       {"source", kText, "Who published it."}}};
  return kTable;
}

// Rows in bulk that say which there are, and which were erased.
class StreamTables::WatchedRows final : public RowStore {
 public:
  explicit WatchedRows(std::string_view stream) : rows_(stream), stream_(stream) {}

  std::optional<std::string> get(std::string_view key) const override { return rows_.get(key); }
  std::vector<std::optional<std::string>> get_many(
      const std::vector<std::string>& keys) const override {
    return rows_.get_many(keys);
  }
  std::unique_ptr<RowCursor> cursor() const override { return rows_.cursor(); }

  void put(std::string key, std::string value) override {
    rows_.put(std::move(key), std::move(value));
  }
  void erase(std::string key) override {
    const auto parts = row_key_parts(key);
    if (parts && parts->kind == kRowKey) watch(parts->table, parts->of);
    rows_.erase(std::move(key));
  }
  bool put_row(const RowKind& kind, const Uuid& id, const Uuid& parent,
               const std::string& bytes) override {
    if (find_record_table(kind.table) != nullptr) {
      if (seen_[kind.table].insert(id).second) in_order_[kind.table].push_back(id);
      if (is_linked_to(kind.table)) changed.push_back(id);
    }
    return rows_.put_row(kind, id, parent, bytes);
  }
  bool erase_row(const RowKind& kind, const Uuid& id, const Uuid& parent) override {
    auto erased = row(kind.table, id);
    if (!rows_.erase_row(kind, id, parent)) return false;  // erase() follows
    if (erased) removed_as(kind.table, id, std::move(*erased));
    return true;
  }

  std::optional<std::string> row(std::string_view table, const Uuid& id) const {
    auto found = Rows(rows_, stream_, 0).find_bytes(table, id);
    return found ? std::optional(std::move(found->bytes)) : std::nullopt;
  }
  const std::vector<Uuid>& ids(std::string_view table) { return in_order_[table]; }
  BulkRows& bulk() { return rows_; }

  std::vector<Removed> removed = {};  // since it was last emptied
  std::vector<Uuid> changed = {};     // …, of what others are linked to

 private:
  void watch(std::string_view table, const Uuid& id) {
    if (auto erased = row(table, id)) removed_as(table, id, std::move(*erased));
  }
  void removed_as(std::string_view table, const Uuid& id, std::string bytes) {
    if (const auto* of = find_record_table(table)) removed.push_back({of, id, std::move(bytes)});
  }

  BulkRows rows_;
  const std::string stream_;
  std::map<std::string_view, std::set<Uuid>> seen_;
  std::map<std::string_view, std::vector<Uuid>> in_order_;
};

StreamTables::StreamTables(std::string stream, const TableScope& scope, TableSink sink,
                           MakeSpill make_spill, const StreamTables* reference)
    : stream_(std::move(stream)),
      scope_(scope),
      sink_(std::move(sink)),
      make_spill_(std::move(make_spill)),
      reference_(reference),
      projection_(projection_of(stream_)),
      watched_(std::make_unique<WatchedRows>(stream_)) {
  if (reference_ != nullptr) {
    dollars_ = std::make_unique<Conversion>(reference_->rows(), Currency{"USD"});
  }
}

StreamTables::~StreamTables() = default;

Rows StreamTables::rows() const { return {*watched_, stream_, version_}; }

Result<bool> StreamTables::take(std::string_view line) {
  const auto read = read_envelope(line);
  if (!read) return read.error();
  const auto& [event, type, schema_version, time, position, data] = *read;
  if (scope_.until && time > *scope_.until) return false;
  const auto end = scope_.ends.find(position.first);
  if (end != scope_.ends.end() && position.second >= end->second) return false;
  const bool skipped = scope_.skipped.contains(position);
  const auto* table = find_event_table(type);
  auto decoded = decode(type, schema_version, data);
  if (!decoded) {
    if (skipped) return true;
    return Error{ErrorCode::kDamaged, "Event " + event.id + ": " + decoded.error().message};
  }
  const bool current = schema_version == table->version;
  const auto members = parse_json(current ? std::string(data) : encode(*decoded).json);
  if (!members) return no_event();
  if (const auto written = write_event(*table, event, *members); !written) return written.error();
  if (skipped) return true;
  if (const auto folded = fold(*decoded, time); !folded) return folded.error();
  return true;
}

Status StreamTables::write_event(const EventTable& table, const TabledEvent& event,
                                 const Json& data) {
  if (scope_.owner && scope_.owner != stream_) return kDone;
  return sink_(table.table, cells_of(table, event, data));
}

Status StreamTables::fold(const Event& event, Timestamp at) {
  const auto version = version_++;
  if (event.is<RequestAnswered>() || event.is<RequestRefused>() || event.is<AuditRecorded>()) {
    return kDone;  // no record
  }
  if (const auto* rates = event.get_if<ExchangeRatesImported>()) {
    for (const auto& day : rates->days) {
      for (const auto& rate : day.rates) currencies_.insert(rate.currency.code);
    }
  }
  if (const auto* user = event.get_if<UserRegistered>()) user_ids_.push_back(user->user_id);
  const auto* price = event.get_if<PriceReported>();
  if (price != nullptr && price->bushel_weight_kg) {
    bushels_[price->id.uuid] = price->bushel_weight_kg->text();
  }
  MutableRows rows(*watched_, stream_, version);
  projection_.evolve(rows, event);
  for (const auto& id : std::exchange(watched_->changed, {})) known_.erase(id);
  if (const auto written = write_removed(at); !written) return written;
  if (!rows.cascade().empty()) {
    for (Cascade cascade(rows.cascade());;) {
      MutableRows swept(*watched_, stream_, version);
      const bool all = cascade.advance(swept, kAtOnce);
      if (const auto written = write_removed(at); !written) return written;
      if (all) break;
    }
  }
  auto& bulk = watched_->bulk();
  if (bulk.bytes_of_rows() <= kRowBytesInMemory) return kDone;
  if (!spill_) {
    auto made = make_spill_();
    if (!made) return made.error();
    spill_ = std::move(*made);
  }
  return bulk.spill_rows(*spill_);
}

// What belongs to a removed record is written after it, and names it.
Status StreamTables::write_removed(Timestamp at) {
  auto removed = std::exchange(watched_->removed, {});
  std::erase_if(removed, [&](const Removed& each) {
    return watched_->row(each.table->rows, each.id).has_value();  // it was put again
  });
  for (const auto& [table, id, row] : removed) {
    known_.erase(id);
    if (!is_linked_to(table->rows)) continue;
    if (auto json = parse_json(table->json(row, at))) {
      gone_[id] = std::make_unique<Json>(std::move(*json));
    }
  }
  for (const auto& [table, id, row] : removed) {
    if (const auto written = write_record(*table, id, row, at); !written) return written;
  }
  return kDone;
}

Status StreamTables::finish() {
  for (const auto& table : record_tables()) {
    for (const auto& id : watched_->ids(table.rows)) {
      const auto row = watched_->row(table.rows, id);
      if (!row) continue;
      if (const auto written = write_record(table, id, *row, {}); !written) return written;
    }
  }
  return write_rates();
}

Status StreamTables::write_record(const RecordTable& table, const Uuid& id, std::string_view row,
                                  const std::optional<Timestamp>& removed) {
  const auto json = parse_json(table.json(row, removed.value_or(scope_.now)));
  if (!json) return Error{ErrorCode::kDamaged, "The record " + id.text() + " cannot be shown."};
  const auto& columns = table.table.columns;
  RowCells cells(columns.size());
  put_members(*json, columns, 0, cells);
  if (stream_ == kAccessStream) {
    const auto user = table.table.find("userId");
    cells[kOwnerColumn] = cells[user ? *user : *table.table.find("id")];
    if (scope_.owner && cells[kOwnerColumn] != scope_.owner) return kDone;
  } else if (stream_ != kReferenceStream) {
    cells[kOwnerColumn] = stream_;
  }
  if (const auto bushel = bushels_.find(id); bushel != bushels_.end()) {
    if (const auto column = table.table.find(kBushelColumn)) cells[*column] = bushel->second;
  }
  auto next = 1 + table.members;
  for (const auto& derivation : table.derivations) cells[next++] = derive(derivation, cells);
  if (removed) cells[next] = removed->text();
  return sink_(table.table, cells);
}

std::optional<std::string> StreamTables::derive(const Derivation& how, const RowCells& cells) {
  const auto& from = cells[how.from];
  if (!from) return std::nullopt;
  using enum Derivation::Kind;
  if (how.kind == kLinked) return linked(how.rows, *from, how.member);
  if (how.kind == kDollars || how.kind == kDollarsPerKilogram) return dollars(how, cells);
  const auto value = Decimal::parse(*from);
  const auto& unit = cells[how.unit];
  if (!value || !unit) return std::nullopt;
  std::optional<Fraction> factor;
  if (how.kind == kHectares) {
    if (const auto area = named_value<AreaUnit>(*unit)) factor = hectares(*area);
  } else if (how.kind == kCubicMeters) {
    if (const auto volume = named_value<VolumeUnit>(*unit)) factor = cubic_meters(*volume);
  } else {
    factor = kilograms_of(*unit, how.bushel == 0 ? std::nullopt : cells[how.bushel]);
  }
  if (!factor) return std::nullopt;
  return rounded(exact(*value) * *factor, kDigits);
}

// By the rates that the financial summary uses.
std::optional<std::string> StreamTables::dollars(const Derivation& how, const RowCells& cells) {
  const auto amount = Decimal::parse(*cells[how.from]);
  const auto& currency = cells[how.currency];
  const auto day = cells[how.day] ? Date::parse(*cells[how.day]) : std::nullopt;
  if (!dollars_ || !amount || !currency || !day) return std::nullopt;
  const auto rate = dollars_->factor(Currency{*currency}, *day);
  if (!rate) return std::nullopt;
  const Fraction value =
      exact(*amount) * Fraction(Integer(rate->base)) / Fraction(Integer(rate->currency));
  if (how.kind == Derivation::Kind::kDollars) return rounded(value, kDigits);
  const auto kilograms =
      cells[how.unit]
          ? kilograms_of(*cells[how.unit], how.bushel == 0 ? std::nullopt : cells[how.bushel])
          : std::nullopt;
  if (!kilograms) return std::nullopt;
  return rounded(value / *kilograms, kDigits);
}

std::optional<std::string> StreamTables::linked(std::string_view rows, const std::string& id,
                                                std::string_view member) {
  const auto uuid = Uuid::parse(id);
  const auto* record = uuid ? find(rows, *uuid) : nullptr;
  const auto* value = record == nullptr ? nullptr : record->find(member);
  if (value == nullptr || value->kind == Json::Kind::kNull) return std::nullopt;
  return value->text;
}

// The record of that id, as it is, as it was when it was removed, or as all owners see it.
const Json* StreamTables::find(std::string_view rows, const Uuid& id) {
  if (const auto found = known_.find(id); found != known_.end()) return found->second.get();
  if (const auto found = gone_.find(id); found != gone_.end()) return found->second.get();
  auto row = watched_->row(rows, id);
  if (!row && reference_ != nullptr) row = reference_->watched_->row(rows, id);
  const auto* table = find_record_table(rows);
  if (!row || table == nullptr) return nullptr;
  auto json = parse_json(table->json(*row, scope_.now));
  if (!json) return nullptr;
  return (known_[id] = std::make_unique<Json>(std::move(*json))).get();
}

Status StreamTables::write_rates() {
  const ExchangeRates rates(rows());
  for (const auto& code : currencies_) {
    const Currency currency{code};
    std::optional<Date> day = Date{std::chrono::year(1) / 1 / 1};
    while ((day = rates.next(currency, *day))) {
      const auto rate = rates.published(currency, *day);
      if (!rate) continue;
      const RowCells cells{day->text(), code, rate->per_euro.text(), rate->source};
      if (const auto written = sink_(exchange_rate_table(), cells); !written) return written;
    }
  }
  return kDone;
}

}  // namespace tilth
