// What a farm earned and spent in a period, in its base currency.

#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/json/json_writer.h"
#include "events/values/places.h"
#include "projections/land/farm.h"
#include "query/period.h"

namespace tilth {

// A decimal in canonical form that may have more digits than one that is stored.
struct Amount : std::string {
  using std::string::string;
  Amount(std::string text) : std::string(std::move(text)) {}  // NOLINT: implicit by design

  static constexpr std::string_view kSchema = R"({"type":"string","format":"decimal"})";

  void write_json(std::string& out) const { append_json_string(*this, out); }
};

// Members with names from the data, in order.
template <class Value>
struct ByName {
  static constexpr std::string_view kSchema =
      std::same_as<Value, Amount>
          ? R"({"type":"object","description":"Converted amounts, by the categories that have any.",)"
            R"("additionalProperties":{"type":"string","format":"decimal"},"examples":[{"fuel":"12.5"}]})"
          : R"({"type":"object","description":"By the codes of currencies.",)"
            R"("additionalProperties":)"
            R"({"type":"object","required":["original","converted","rate"],"properties":)"
            R"({"original":{"type":"string","format":"decimal"},)"
            R"("converted":{"type":["string","null"],"format":"decimal"},)"
            R"("rate":{"type":["string","null"],"format":"decimal"}}},)"
            R"("examples":[{"USD":{"original":"12.5","converted":"10","rate":"0.8"}}]})";

  std::vector<std::pair<std::string, Value>> members;

  void write_json(std::string& out) const {
    out.push_back('{');
    for (const auto& [name, value] : members) {
      if (out.back() != '{') out.push_back(',');
      append_json_string(name, out);
      out.push_back(':');
      JsonWriter::write(value, out);
    }
    out.push_back('}');
  }
};

struct CurrencySummary {
  Amount original;
  std::optional<Amount> converted;
  std::optional<Amount> rate;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("original", original, {.doc = "All of it, in that currency."}),
       member("converted", converted, {.doc = "What has a rate, in the base currency."}),
       member("rate", rate, {.doc = "On the average of what was converted."}));
  }
};

struct RevenueSummary {
  Amount total;
  ByName<CurrencySummary> by_currency;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("total", total, {.doc = "All of it that has a rate, in the base currency."}),
       member("byCurrency", by_currency));
  }
};

struct CostSummary : RevenueSummary {
  ByName<Amount> by_category;

  template <class Archive>
  void serialize(Archive& ar) {
    RevenueSummary::serialize(ar);
    ar(member("byCategory", by_category));
  }
};

struct FinancialSummary {
  FarmId farm_id;
  Currency base_currency;
  std::optional<Date> from = {};
  std::optional<Date> to = {};
  RevenueSummary revenue = {};
  CostSummary expenses = {};
  CostSummary overheads = {};
  Amount net = {};
  std::optional<std::string> rate_source = {};
  std::vector<Currency> unconverted_currencies = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("farmId", farm_id), member("baseCurrency", base_currency), member("from", from),
       member("to", to), member("revenue", revenue), member("expenses", expenses),
       member("overheads", overheads), member("net", net, {.doc = "Revenue less the others."}),
       member("rateSource", rate_source, {.doc = "Where the rates come from that were used."}),
       member("unconvertedCurrencies", unconverted_currencies,
              {.doc = "Of amounts without a rate; they are in no total."}));
  }
};

struct SummarizeFinances {
  using Answer = FinancialSummary;
  FarmPath at;
  Period<Date> period;

  template <class Archive>
  void serialize(Archive& ar) {
    period.serialize(ar);
  }
  void check(Issues& issues) const { period.check(issues); }
};

// Reads the rows of the projection `finance`. kNotFound: there is no such farm.
Result<FinancialSummary> run_query(const Rows& rows, const SummarizeFinances& query, Timestamp now);

}  // namespace tilth
