#include "infra/usage/session_store.h"

#include <optional>
#include <string>
#include <vector>

#include "events/json/json_writer.h"
#include "events/json/stored_json.h"

namespace tilth {
namespace {

constexpr char kSession = 's';  // before the digest in an entry's key

}  // namespace

Status KeptSessions::keep(const std::string& digest, const Session& session) {
  return usage_.keep_entry(kSession + digest, JsonWriter::text(session));
}

Status KeptSessions::forget(const std::string& digest) {
  return usage_.forget_entry(kSession + digest);
}

// Those of a version that stored them differently have ended.
Status KeptSessions::read(const Each& each) {
  std::vector<std::string> unreadable;
  const auto read =
      usage_.read_entries(kSession, [&](std::string_view key, std::string_view value) {
        const auto session = read_stored<Session>(value);
        if (!session) unreadable.emplace_back(key);
        if (session) each(std::string(key.substr(1)), *session);
      });
  for (const auto& key : unreadable) {
    if (const auto forgotten = usage_.forget_entry(key); !forgotten) return forgotten.error();
  }
  return read;
}

}  // namespace tilth
