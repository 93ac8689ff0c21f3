#include "infra/kafka/topic/shared_secret.h"

#include <future>

#include <sodium.h>

#include "events/json/json_reader.h"
#include "events/json/json_writer.h"
#include "events/log/log_end.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr int kTries = 20;

struct SharedSecret {
  std::string hex;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("secret", hex));
  }
};

std::string to_hex(const std::string& bytes) {
  std::string hex(bytes.size() * 2 + 1, '\0');
  sodium_bin2hex(hex.data(), hex.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                 bytes.size());
  hex.pop_back();
  return hex;
}

std::optional<std::string> from_hex(const std::string& hex) {
  std::string bytes(hex.size() / 2, '\0');
  std::size_t length = 0;
  const int failed = sodium_hex2bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(),
                                    hex.data(), hex.size(), nullptr, &length, nullptr);
  return failed == 0 && length == bytes.size() && length > 0 ? std::optional(bytes) : std::nullopt;
}

Status leave(EventLog& log, const Record& record) {
  std::promise<Result<Position>> appended;
  log.append(record, [&](const Result<Position>& end) { appended.set_value(end); });
  const auto end = appended.get_future().get();
  return end ? Status(kDone) : end.error();
}

}  // namespace

Result<std::string> share_secret(EventLog& log, const std::string& node, const std::string& own) {
  const auto ends = ends_of(log);
  if (!ends) return ends.error();
  if (ends->front().offset == 0) {
    const Record record{
        .stream = "secret",
        .envelope = {.id = node, .type = "tilth.secret.shared", .source = "tilth://" + node},
        .json = JsonWriter::text(SharedSecret{to_hex(own)})};
    if (const auto left = leave(log, record); !left) return left.error();
  }
  auto reader = log.read({{0, 0}});
  if (!reader) return reader.error();
  for (int i = 0; i < kTries; ++i) {
    const auto first = (*reader)->next(1, 500ms);
    if (!first) return first.error();
    if (first->empty()) continue;
    SharedSecret shared;
    Issues issues;
    const auto json = parse_json(first->front().record->json);
    if (json) JsonReader::read(*json, Reading::kStored, shared, issues);
    if (auto secret = from_hex(shared.hex)) return std::move(*secret);
    return Error{ErrorCode::kDamaged, "What the nodes share as their key secret cannot be read."};
  }
  return Error{ErrorCode::kUnavailable, "Kafka does not tell the key secret that nodes share."};
}

}  // namespace tilth
