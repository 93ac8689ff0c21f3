// Operators import exchange rates, or have them fetched.

#include "api/http/refusal.h"
#include "api/operator/commands.h"
#include "command/finance/exchange_rate_import.h"
#include "events/values/utf8.h"

namespace tilth {
namespace {

struct RateSource {
  std::optional<std::string> source;  // the origin of the rates, for people

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("source", source));
  }
  void check(Issues& issues) const {
    constexpr std::size_t kLongest = 100;
    const auto length = source ? code_points(*source) : 1;
    if (length < 1 || length > kLongest) {
      issues["source"].emplace_back("must have from 1 to 100 characters");
    }
    if (source && source->find('\0') != source->npos) {
      issues["source"].emplace_back("must not contain U+0000");
    }
  }
};

// Imports from the request's body or from elsewhere.
using Import = std::function<Result<ImportedExchangeRates>(
    const ExchangeRateImport&, const std::string& body, const std::string& source)>;

// On a thread of its own. Rates without a source in the request are from `usual_source`.
void carry_out(const OperatorParts& parts, const Call& call, const std::string& usual_source,
               const Import& import) {
  if (!parts.commands) return call.answer(lacks_role("command"));
  RequestIssues problems;
  QueryReader query(call.query, problems);
  RateSource from;
  from.serialize(query);
  from.check(problems.values);
  if (const auto verdict = problems.verdict(); !verdict) {
    return call.answer(verdict.error());
  }
  const auto source = from.source.value_or(usual_source);
  run_aside(parts, call, [&parts, exchange = call.exchange, actor = call.actor(), source, import] {
    const auto imported =
        import({parts.registry, actor, exchange->request_id(), exchange->traceparent()},
               exchange->request().body, source);
    imported
        ? exchange->answer(json_response(200, "{\"data\":" + JsonWriter::text(*imported) + "}"))
        : exchange->answer(imported.error());
  });
}

void import_body(const OperatorParts& parts, const Call& call) {
  carry_out(parts, call, "ECB", [](const auto& import, const auto& body, const auto& source) {
    return import.run(body, source);
  });
}

void import_fetched(const OperatorParts& parts, const Call& call) {
  const auto fetch = parts.fetched_rates.fetch;
  carry_out(parts, call, parts.fetched_rates.source,
            [fetch](const auto& import, const auto&,
                    const auto& source) -> Result<ImportedExchangeRates> {
              const auto file = fetch();
              if (!file) return file.error();
              auto imported = import.run(*file, source);
              if (imported || imported.error().code != ErrorCode::kInvalid) return imported;
              return Error{ErrorCode::kUnavailable, "What was fetched is no file of rates: " +
                                                        imported.error().issues.at("body").front() +
                                                        "."};
            });
}

}  // namespace

std::vector<OperatorRoute> operator_exchange_rate_routes() {
  constexpr std::string_view kMany = "/operator/v1/exchange-rates";
  auto imports = operator_route("POST", kMany, "Import exchange rates", import_body);
  imports.route.body_type = "text/csv";
  return {imports, operator_route("POST", "/operator/v1/exchange-rates/fetch",
                                  "Import exchange rates from where they are", import_fetched)};
}

}  // namespace tilth
