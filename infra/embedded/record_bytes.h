// How the embedded log encodes one record as bytes, and how it decodes and verifies it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "events/log/event_log.h"
#include "infra/keys/sealed_json.h"

namespace tilth {

// Appends `record` to `bytes`, encoded for `offset`:
//
//   8  XXH3-64, seeded with the offset, of all that follows
//   1  the format, 1; 2 with a traceparent, 3 with a predecessor; 3 more in a sealed log
//      the record's members in order: integers of 4 or 8 bytes, each string after its length in 4;
//      an idempotency key after a byte that says whether there is one
//
// Everything is little-endian. A stored format never changes: a new one gets a new number.
void encode_record(std::int64_t offset, const Record& record, std::string& bytes);

// The same with this JSON in place of the record's, in the formats 4 to 6, in which the sealed
// part follows the JSON.
void encode_record(std::int64_t offset, const Record& record, const SealedJson& json,
                   std::string& bytes);

// The record that was encoded for `offset`, with the open JSON if it was encoded with a sealed
// part, which `sealed` then gets. Trusts no length. kDamaged: the bytes are not that record; the
// message says why, as the end of a sentence.
Result<Record> decode_record(std::int64_t offset, std::string_view bytes,
                             std::string* sealed = nullptr);

// The same into `record`, which is new: without moving what is decoded.
Status decode_record(std::int64_t offset, std::string_view bytes, Record& record,
                     std::string* sealed = nullptr);

// Whether a record was encoded with a sealed part, if it is one.
bool is_of_sealed_log(std::string_view bytes);

}  // namespace tilth
