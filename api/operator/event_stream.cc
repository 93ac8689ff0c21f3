#include "api/operator/event_stream.h"

#include "events/json_writer.h"

namespace tilth {
namespace {

class LineWriter {
 public:
  template <class T>
  LineWriter& add(std::string_view name, const T& value) {
    line_.append(line_.size() > 1 ? ",\"" : "\"").append(name).append("\":");
    JsonWriter::write(value, line_);
    return *this;
  }
  LineWriter& add_if_any(std::string_view name, const std::string& value) {
    return value.empty() ? *this : add(name, value);
  }
  LineWriter& add_json(std::string_view name, const std::string& json) {
    line_.append(",\"").append(name).append("\":").append(json);
    return *this;
  }
  std::string end() { return std::move(line_.append("}\n")); }

 private:
  std::string line_ = "{";
};

std::optional<bool> read_flag(QueryReader& query, std::string_view name, Faults& faults) {
  const auto* text = query.find(name);
  if (text == nullptr) return std::nullopt;
  if (*text == "true" || *text == "1" || text->empty()) return true;
  if (*text != "false" && *text != "0") {
    faults.values[std::string(name)].emplace_back("must be true or false");
  }
  return false;
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text) {
  std::size_t at = 0, star = pattern.npos, retry = 0, in = 0;
  while (in < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++, retry = in;
    } else if (at < pattern.size() && pattern[at] == text[in]) {
      ++at, ++in;
    } else if (star != pattern.npos) {
      at = star + 1, in = ++retry;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

bool EventFilter::wants(const LoggedRecord& logged) const {
  const auto& [position, record] = logged;
  const auto& envelope = record.envelope;
  return (!owner || record.stream == *owner) && (!since || envelope.time >= *since) &&
         (!until || envelope.time < *until) && (!type || matches_pattern(*type, envelope.type));
}

EventFilter read_event_filter(const Parameters& parameters, Faults& faults) {
  EventFilter filter;
  QueryReader query(parameters, faults);
  filter.serialize(query);
  filter.follow = read_flag(query, "follow", faults);
  auto& issues = faults.values;
  if (const auto* rejected = query.find("rejected")) {
    filter.with_rejected = *rejected == "include";
    if (!filter.with_rejected) issues["rejected"].emplace_back("must be include");
  }
  if ((filter.from || filter.to) && !filter.partition) {
    issues["partition"].emplace_back("is required beside from and to");
  }
  for (const auto& [name, number] : {std::pair{"partition", filter.partition},
                                     std::pair{"from", filter.from}, std::pair{"to", filter.to}}) {
    if (number && *number < 0) issues[name].emplace_back("must be at least 0");
  }
  if (filter.limit && *filter.limit < 1) issues["limit"].emplace_back("must be at least 1");
  if (filter.from && filter.to && *filter.from > *filter.to) {
    issues["to"].emplace_back("must not be before from");
  }
  if (filter.since && filter.until && *filter.since > *filter.until) {
    issues["until"].emplace_back("must not be before since");
  }
  return filter;
}

std::string event_line(const LoggedRecord& logged, bool accepted) {
  const auto& [position, record] = logged;
  const auto& envelope = record.envelope;
  LineWriter line;
  line.add("specversion", std::string_view("1.0")).add("id", envelope.id);
  line.add("source", envelope.source).add("type", envelope.type).add("subject", record.stream);
  line.add("time", envelope.time).add("datacontenttype", std::string_view("application/json"));
  line.add("streamversion", envelope.stream_version);
  line.add("schemaversion", envelope.schema_version);
  line.add_if_any("correlationid", envelope.correlation_id);
  line.add_if_any("causationid", envelope.causation_id).add_if_any("actor", envelope.actor);
  if (const auto& asked = envelope.idempotency) {
    line.add("idempotencykey", asked->key).add("requesthash", asked->request_hash);
  }
  line.add_json("data", record.json);
  line.add("partition", position.partition).add("offset", position.offset);
  return line.add("accepted", accepted).end();
}

}  // namespace tilth
