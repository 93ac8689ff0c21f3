#include "infra/embedded/record_seal.h"

#include <tuple>
#include <utility>

#include "events/log/personal_members.h"
#include "infra/embedded/record_bytes.h"

namespace tilth {
namespace {

// What a sealed part belongs to, so that it cannot be moved to another event.
std::string context_of(const Record& record) {
  const auto& [id, type] = std::tie(record.envelope.id, record.envelope.type);
  std::string context;
  context.reserve(record.stream.size() + id.size() + type.size() + 2);
  return context.append(record.stream).append(1, '\0').append(id).append(1, '\0').append(type);
}

}  // namespace

Status encode_sealed(std::int64_t offset, const Record& record, OwnerKeys& keys, NewKeys fresh,
                     std::string& bytes) {
  SealedJson json;
  auto parted = take_personal(record.envelope.type, record.json);
  const auto owner = parted ? owner_of(record.stream, record.json) : std::string();
  if (owner.empty()) {
    json.open = record.json;
  } else {
    auto sealed = keys.seal(owner, context_of(record), parted->personal, fresh);
    if (!sealed) return sealed.error();
    if (*sealed) {
      json = {std::move(parted->open), std::move(**sealed)};
    } else {
      json.open = put_erased(record.envelope.type, parted->open);
    }
  }
  encode_record(offset, record, json, bytes);
  return kDone;
}

Status decode_stored(std::int64_t offset, std::string_view bytes, OwnerKeys* keys, Record& record) {
  std::string sealed;
  const auto decoded = decode_record(offset, bytes, record, &sealed);
  if (!decoded || sealed.empty() || keys == nullptr) return decoded;
  const auto& type = record.envelope.type;
  auto personal = keys->open(owner_of(record.stream, record.json), context_of(record), sealed);
  if (!personal) return personal.error();
  if (!*personal) {
    record.json = put_erased(type, record.json);
    return kDone;
  }
  auto whole = put_personal(type, {std::move(record.json), std::move(**personal)});
  if (!whole) return whole.error();
  record.json = std::move(*whole);
  return kDone;
}

}  // namespace tilth
