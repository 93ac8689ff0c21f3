#include "infra/embedded/record_seal.h"

#include <utility>

#include "infra/embedded/record_bytes.h"
#include "infra/keys/sealed_json.h"

namespace tilth {

Status encode_sealed(std::int64_t offset, const Record& record, OwnerKeys& keys, NewKeys fresh,
                     std::string& bytes) {
  SealedJson json;
  if (auto personal = personal_part_of(record)) {
    auto sealed = seal_part(record, std::move(*personal), keys, fresh);
    if (!sealed) return sealed.error();
    json = std::move(*sealed);
  } else {
    json.open = record.json;
  }
  encode_record(offset, record, json, bytes);
  return kDone;
}

Status decode_stored(std::int64_t offset, std::string_view bytes, OwnerKeys* keys, Record& record) {
  std::string sealed;
  const auto decoded = decode_record(offset, bytes, record, &sealed);
  if (!decoded || sealed.empty() || keys == nullptr) return decoded;
  return open_part(record, sealed, *keys);
}

}  // namespace tilth
