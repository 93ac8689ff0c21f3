#include "api/v1/history/event_line.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "api/http/exchange.h"
#include "api/http/traceparent.h"
#include "events/access/audit.h"
#include "events/finance/exchange_rate.h"
#include "events/json/json_members.h"
#include "events/json/json_writer.h"
#include "events/library/admin_crop.h"
#include "events/log/event_rules.h"
#include "events/log/streams.h"
#include "projections/access/user.h"

namespace tilth {
namespace {

// Appends a JSON object member by member.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out) { out_.push_back('{'); }

  template <class T>
  ObjectWriter& add(std::string_view name, const T& value) {
    JsonWriter::write(value, begin(name));
    return *this;
  }
  ObjectWriter& add_if_any(std::string_view name, const std::string& value) {
    return value.empty() ? *this : add(name, value);
  }
  ObjectWriter& add_json(std::string_view name, const std::string& json) {
    begin(name).append(json);
    return *this;
  }
  void end() { out_.push_back('}'); }

 private:
  std::string& begin(std::string_view name) {
    if (!first_) out_.push_back(',');
    first_ = false;
    return out_.append(1, '"').append(name).append("\":");
  }

  std::string& out_;
  bool first_ = true;
};

// All members but position and acceptance.
void add_cloud_event(const Record& record, ObjectWriter& json) {
  const auto& envelope = record.envelope;
  json.add("specversion", std::string_view("1.0")).add("id", envelope.id);
  json.add("source", envelope.source).add("type", envelope.type).add("subject", record.stream);
  json.add("time", envelope.time).add("datacontenttype", std::string_view("application/json"));
  json.add("streamversion", envelope.stream_version);
  json.add("schemaversion", envelope.schema_version);
  json.add_if_any("correlationid", envelope.correlation_id);
  json.add_if_any("causationid", envelope.causation_id).add_if_any("actor", envelope.actor);
  if (const auto& asked = envelope.idempotency) {
    json.add("idempotencykey", asked->key).add_if_any("requesthash", asked->request_hash);
  }
  json.add_if_any("traceparent", envelope.traceparent);
  json.add_json("data", record.json);
}

Error no_event(std::string what) { return {ErrorCode::kInvalid, std::move(what)}; }

// Reads the members of a line, and records the first error.
class LineReader {
 public:
  explicit LineReader(const std::vector<JsonMember>& members) : members_(members) {}

  std::optional<std::string_view> raw(std::string_view name) {
    std::optional<std::string_view> found;
    for (const auto& member : members_) {
      if (member.name != name) continue;
      if (found) blame(name, "is there twice");
      found = member.text;
    }
    return found;
  }

  // An optional member; if it is absent, `value` is unchanged.
  template <class T>
  void take(std::string_view name, T& value) {
    const auto text = raw(name);
    if (!text) return;
    const auto json = parse_json(*text);
    const bool fits =
        json && (json->kind == Json::Kind::kString) == (!std::integral<T>)&&json->text != "";
    auto read = fits ? read_scalar<T>(*json, Reading::kStored) : std::nullopt;
    if (!read) return blame(name, "cannot be read");
    value = std::move(*read);
  }
  template <class T>
  void require(std::string_view name, T& value) {
    if (!raw(name)) return blame(name, "is missing");
    take(name, value);
  }
  void expect(std::string_view name, std::string_view text) {
    if (raw(name) != text) blame(name, "is not " + std::string(text));
  }

  void blame(std::string_view name, const std::string& what) {
    if (wrong_.empty()) wrong_ = std::string(name) + " " + what;
  }
  const std::string& wrong() const { return wrong_; }

 private:
  const std::vector<JsonMember>& members_;
  std::string wrong_;
};

// What is wrong with the members of the data. A null member may be absent; an older schema version
// has other members. What is in none of ours could name a person, and no erasure would find it.
std::string wrong_member(const Record& record, const EncodedEvent& whole) {
  if (whole.version != record.envelope.schema_version) return {};
  const auto stored = json_members(record.json);
  const auto wanted = json_members(whole.json);
  if (!stored || !wanted) return {};
  // The first member of one that the other lacks.
  const auto lacking = [](const auto& members, const auto& others) -> std::string {
    for (const auto& [name, text] : members) {
      const bool there = std::ranges::find(others, name, &JsonMember::name) != others.end();
      if (!there && text != "null") return std::string(name);
    }
    return {};
  };
  if (const auto name = lacking(*wanted, *stored); !name.empty()) return name + " is missing";
  if (const auto name = lacking(*stored, *wanted); !name.empty()) return name + " is not known";
  return {};
}

// Whether the service writes events of that type to that stream.
bool is_in_its_stream(const std::string& stream, std::string_view type) {
  constexpr std::array<std::string_view, 4> kOfAccess{"tilth.user.", "tilth.api_key.",
                                                      "tilth.operator.", "tilth.ai_request."};
  const bool is_of_audit = type == AuditRecorded::kType.name;
  if (is_of_audit || stream == kAuditStream) return is_of_audit && stream == kAuditStream;
  if (type.starts_with("tilth.request.")) return true;
  const bool is_of_access = std::ranges::any_of(
      kOfAccess, [&](const auto resource) { return type.starts_with(resource); });
  if (is_of_access || stream == kAccessStream) return is_of_access && stream == kAccessStream;
  const bool is_reference =
      type == AdminCropDescribed::kType.name || type == ExchangeRatesImported::kType.name;
  if (stream != kReferenceStream) return !is_reference;
  return is_reference || type.starts_with("tilth.task_template.");
}

// A stream that a projection of ours follows.
bool is_stream(std::string_view name) {
  constexpr std::string_view kUser = "user_";
  if (name == kReferenceStream || name == kAccessStream || name == kAuditStream) return true;
  return name.starts_with(kUser) && name.size() > kUser.size() && name.size() <= 100 &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}

}  // namespace

Result<Record> read_event_line(std::string_view line) {
  const bool one_line =
      std::none_of(line.begin(), line.end(), [](unsigned char c) { return c < 0x20 && c != '\t'; });
  const auto members = one_line ? json_members(line) : no_event({});
  if (!members) return no_event("it is not a JSON object");
  LineReader read(*members);
  Record record;
  auto& envelope = record.envelope;
  read.expect("specversion", "\"1.0\"");
  read.require("id", envelope.id);
  read.require("source", envelope.source);
  read.require("type", envelope.type);
  read.require("subject", record.stream);
  read.require("time", envelope.time);
  read.expect("datacontenttype", "\"application/json\"");
  read.require("streamversion", envelope.stream_version);
  read.require("schemaversion", envelope.schema_version);
  read.take("correlationid", envelope.correlation_id);
  read.take("causationid", envelope.causation_id);
  read.take("actor", envelope.actor);
  Idempotency asked;
  read.take("idempotencykey", asked.key);
  read.take("requesthash", asked.request_hash);
  if (!asked.request_hash.empty()) read.require("idempotencykey", asked.key);
  if (!asked.key.empty()) envelope.idempotency = asked;
  read.take("traceparent", envelope.traceparent);
  if (!envelope.traceparent.empty() && !Traceparent::parse(envelope.traceparent)) {
    read.blame("traceparent", "is none of W3C Trace Context");
  }
  read.take("predecessor", envelope.predecessor);
  if (read.raw("accepted").value_or("true") != "true") read.blame("accepted", "is not true");
  if (!Uuid::parse(envelope.id)) read.blame("id", "is no UUID");
  if (!is_stream(record.stream)) read.blame("subject", "is no stream of ours");
  const auto data = read.raw("data");
  if (!data) read.blame("data", "is missing");
  if (!read.wrong().empty()) return no_event(read.wrong());
  record.json = *data;
  const auto event = decode(envelope.type, envelope.schema_version, record.json);
  if (!event) return no_event(event.error().message);
  if (!is_in_its_stream(record.stream, envelope.type)) {
    return no_event(envelope.type + " is no event of the stream " + record.stream);
  }
  const auto whole = encode(*event);
  if (const auto wrong = wrong_member(record, whole); !wrong.empty()) {
    return no_event("data." + wrong);
  }
  if (const auto issues = broken_rules(whole); !issues.empty()) {
    const auto& [path, messages] = *issues.begin();
    return no_event("data." + path + " " + messages.front());
  }
  return record;
}

void append_event_line(const LoggedRecord& logged, bool accepted, std::string& lines) {
  ObjectWriter json(lines);
  add_cloud_event(*logged.record, json);
  json.add_if_any("predecessor", logged.record->envelope.predecessor);
  json.add("partition", logged.position.partition).add("offset", logged.position.offset);
  json.add("accepted", accepted).end();
  lines.push_back('\n');
}

std::string own_event(const LoggedRecord& logged) {
  std::string text;
  ObjectWriter json(text);
  add_cloud_event(*logged.record, json);
  json.add("position", position_token(logged.position)).end();
  return text;
}

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

}  // namespace tilth
