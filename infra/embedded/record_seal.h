// Seals what names a person in the records of a sealed log, with a key of its owner.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "events/log/event_log.h"
#include "infra/keys/owner_keys.h"

namespace tilth {

// As encode_record(), with the record's personal members sealed (events/log/personal_members.h). If
// the owner was erased before, they are left out for good.
//
//   kUnavailable  the owner's key cannot be read or, as `fresh` says, made durable.
Status encode_sealed(std::int64_t offset, const Record& record, OwnerKeys& keys, NewKeys fresh,
                     std::string& bytes);

// As decode_record() into a new record, of any log, with what is sealed opened again, or erased if
// the owner is. Without `keys` it stays sealed.
//
//   kDamaged      also: the owner's key is missing, or does not fit.
//   kUnavailable  the owner's key cannot be read.
Status decode_stored(std::int64_t offset, std::string_view bytes, OwnerKeys* keys, Record& record);

}  // namespace tilth
