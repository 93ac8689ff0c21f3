// The body of a batch: its requests, and what they refer to in one another.
//
//   {"requests": [{"id": "farm", "method": "POST", "path": "/v1/farms", "body": {…}},
//                 {"method": "POST", "path": "/v1/farms/{$farm}/fields", "body": {…}}]}

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/json/json.h"
#include "events/values/result.h"

namespace tilth {

// One request of a batch.
struct BatchedRequest {
  std::string_view text;  // the whole of it, as sent: part of the batch's body
  std::optional<std::string> id = {};
  std::string method = {};
  std::string path = {};  // with its query: "/v1/tasks?limit=1"
  std::optional<std::string> if_match = {};
  std::vector<std::size_t> refers_to = {};  // the requests before it whose ids it needs

  bool reads() const { return method == "GET"; }
};

struct BatchForm {
  static constexpr std::size_t kMostRequests = 1'000;
  static constexpr std::size_t kMostOfOne = std::size_t{2} << 20;  // bytes of one request's text

  std::vector<BatchedRequest> requests;
  std::map<std::string, std::size_t, std::less<>> places = {};  // of requests, by id
  bool stops_on_error = false;
};

// Reads a batch; the text must outlive it. kInvalid: it is no batch; the issues name each member,
// "requests.3.path". kPayloadTooLarge: one of its requests alone is. `keep_on` is called for every
// request: when it returns false the rest is not read, and the batch is not to be carried out.
Result<BatchForm> read_batch(std::string_view text, const std::function<bool()>& keep_on);

// The `data.id` that the request at that place answered.
using IdOf = std::function<std::string(std::size_t place)>;

// The path of a request with the ids that {$ID} stands for.
std::string path_with_ids(const BatchForm& form, const BatchedRequest& request, const IdOf& id_of);

// The body of a request, in which a string that is exactly "{$ID}" becomes that id. Empty: none.
std::string body_with_ids(const BatchForm& form, const BatchedRequest& request, const IdOf& id_of);

// The Idempotency-Key of the request at that place of a batch with that key: always the same.
std::string key_within_batch(std::string_view batch_key, std::size_t place);

}  // namespace tilth
