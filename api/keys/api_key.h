// API keys as operators and users mint and see them.

#pragma once

#include <string>
#include <string_view>

#include "api/keys/key_digest.h"
#include "api/usage/rate_limiter.h"
#include "command/access/user.h"
#include "events/values/ids.h"
#include "events/values/result.h"

namespace tilth {

// The details of a new key in a body that arrived at `now`; problems are added to `issues`.
KeyDetails read_key_details(std::string_view body, Timestamp now, Issues& issues);

// A new key and the command that mints it.
struct NewKey {
  std::string key;  // to be shown once
  MintKey command;
};
NewKey new_key(std::string user_id, KeyDetails details, const IdSource& ids,
               const KeyDigest& digest);

// The contract's record of a key, with `key` in the one response that shows it.
std::string shown_key(const ApiKey& row, const RateLimiter& limiter, const std::string& key = {});

// `{"data": […]}` with the names of all scopes that a key can have.
std::string scopes_json();

// The record's JSON Schema.
Json key_schema(bool with_key);

}  // namespace tilth
