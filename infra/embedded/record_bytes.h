// How the embedded log writes one record as bytes, and how it tells that bytes are a record.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "events/log/event_log.h"

namespace tilth {

// Appends `record` to `bytes`, in the form that belongs at `offset`:
//
//   8  XXH3-64, seeded with the offset, of all that follows
//   1  the form, 1
//      the record's members in order: integers of 4 or 8 bytes, each string after its length in 4;
//      an idempotency key after a byte that tells whether there is one
//
// Everything is little-endian. A stored form never changes: another one gets another number.
void encode_record(std::int64_t offset, const Record& record, std::string& bytes);

// The record that was written for `offset`. Trusts no length. kDamaged: these bytes are not that;
// the message says why, as the end of a sentence.
Result<Record> decode_record(std::int64_t offset, std::string_view bytes);

}  // namespace tilth
