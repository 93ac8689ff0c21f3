#include "infra/keys/sealed_json.h"

#include <tuple>
#include <utility>

namespace tilth {
namespace {

// What a sealed part belongs to, so that it cannot be moved to another event.
std::string context_of(const Record& record) {
  const auto& [id, type] = std::tie(record.envelope.id, record.envelope.type);
  std::string context;
  context.reserve(record.stream.size() + id.size() + type.size() + 2);
  context.append(record.stream).append(1, '\0').append(id).append(1, '\0').append(type);
  return context;
}

}  // namespace

std::optional<PersonalPart> personal_part_of(const Record& record) {
  auto parted = take_personal(record.envelope.type, record.json);
  if (!parted) return std::nullopt;
  auto owner = owner_of(record.stream, record.json);
  if (owner.empty()) return std::nullopt;
  return PersonalPart{std::move(owner), std::move(*parted)};
}

Result<SealedJson> seal_part(const Record& record, PersonalPart part, OwnerKeys& keys,
                             NewKeys fresh) {
  auto sealed = keys.seal(part.owner, context_of(record), part.json.personal, fresh);
  if (!sealed) return sealed.error();
  if (*sealed) return SealedJson{std::move(part.json.open), std::move(**sealed)};
  return SealedJson{put_erased(record.envelope.type, part.json.open), {}};
}

Status open_part(Record& record, const std::string& sealed, OwnerKeys& keys) {
  const auto& type = record.envelope.type;
  auto personal = keys.open(owner_of(record.stream, record.json), context_of(record), sealed);
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
