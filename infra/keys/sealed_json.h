// Takes what names a person out of a record's JSON and seals it with a key of its owner, and puts
// it back.

#pragma once

#include <optional>
#include <string>

#include "events/log/event_log.h"
#include "events/log/personal_members.h"
#include "infra/keys/owner_keys.h"

namespace tilth {

// The JSON of a record of a sealed log.
struct SealedJson {
  std::string open;
  std::string sealed;  // empty: nothing is
};

// What names a person in a record, and whose key has to seal it.
struct PersonalPart {
  std::string owner;
  PartedJson json;
};

// Null: nothing has to be sealed.
std::optional<PersonalPart> personal_part_of(const Record& record);

// The record's JSON with that part sealed. If the owner was erased before, it is left out for good:
// then nothing is sealed.
//
//   kUnavailable  the owner's key cannot be read or, as `fresh` says, made durable.
Result<SealedJson> seal_part(const Record& record, PersonalPart part, OwnerKeys& keys,
                             NewKeys fresh);

// Opens what was sealed in a record that has its open JSON. If the owner is erased, what was sealed
// is, too.
//
//   kDamaged      the owner's key is missing, or does not fit; the message is the end of a
//   sentence. kUnavailable  the owner's key cannot be read.
Status open_part(Record& record, const std::string& sealed, OwnerKeys& keys);

}  // namespace tilth
