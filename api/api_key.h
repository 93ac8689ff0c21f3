// API keys as operators and users mint and see them.

#pragma once

#include <string>
#include <string_view>

#include "api/key_digest.h"
#include "api/rate_limiter.h"
#include "command/user.h"
#include "events/ids.h"
#include "events/result.h"

namespace tilth {

// What a body asks of a new key; what is wrong with it goes to `issues`.
KeyDetails read_key_details(std::string_view body, Issues& issues);

// A key that nobody knows yet, and the command that mints it.
struct NewKey {
  std::string key;  // to be shown once
  MintKey command;
};
NewKey new_key(std::string user_id, KeyDetails details, const IdSource& ids,
               const KeyDigest& digest);

// The contract's record of a key, with `key` where it is shown this once.
std::string shown_key(const ApiKey& row, const RateLimiter& limiter, const std::string& key = {});

// The record's JSON Schema.
std::string key_schema(bool with_key);

}  // namespace tilth
