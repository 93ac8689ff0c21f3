#include "api/platform/batch_request.h"

#include <algorithm>
#include <array>
#include <utility>

#include <sodium.h>

#include "api/http/path_segments.h"
#include "events/values/ids.h"

namespace tilth {
namespace {

using Kind = Json::Kind;

constexpr std::size_t kLongestId = 64, kLongestPath = 8 << 10, kLongestIfMatch = 8 << 10;
constexpr std::size_t kMostAround = std::size_t{1}
                                    << 20;  // bytes of the body that are not requests
constexpr std::string_view kMethods[] = {"POST", "PUT", "DELETE", "GET"};
constexpr std::string_view kOpens = "{$";

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= kLongestId && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

// The ID of a text that begins with "{$ID}"; empty if it does not.
std::string_view id_at_start(std::string_view text) {
  const auto end = text.find('}');
  if (!text.starts_with(kOpens) || end == text.npos) return {};
  const auto id = text.substr(kOpens.size(), end - kOpens.size());
  return is_id(id) ? id : std::string_view();
}

// The ID of a text that is exactly "{$ID}"; empty if it is not.
std::string_view id_of_whole(std::string_view text) {
  const auto id = id_at_start(text);
  return id.size() + kOpens.size() + 1 == text.size() ? id : std::string_view();
}

bool takes_body(std::string_view method) { return method == "POST" || method == "PUT"; }

// Reads one request after another, and remembers their ids.
class FormReader {
 public:
  FormReader(BatchForm& form, Issues& issues) : form_(form), issues_(issues) {}

  void read(std::string_view text) {
    place_ = form_.requests.size();
    auto& request = form_.requests.emplace_back(BatchedRequest{.text = text});
    const auto json = parse_json(text);
    if (!json || json->kind != Kind::kObject) return report("", "must be an object");
    read_method(json->find("method"), request);
    read_path(json->find("path"), request);
    read_if_match(json->find("ifMatch"), request);
    if (const auto* body = json->find("body"); body != nullptr && takes_body(request.method)) {
      refer_from(*body, "body", request);
    }
    read_id(json->find("id"), request);  // last: it cannot refer to itself
    std::ranges::sort(request.refers_to);
  }

 private:
  void report(const std::string& member, std::string message) {
    auto path = "requests." + std::to_string(place_);
    if (!member.empty()) path.append(".").append(member);
    issues_[path].push_back(std::move(message));
  }

  void read_id(const Json* json, BatchedRequest& request) {
    if (json == nullptr || json->kind == Kind::kNull) return;
    if (json->kind != Kind::kString || !is_id(json->text)) {
      return report("id", "must be 1 to 64 of the characters A-Z a-z 0-9 _ -");
    }
    if (!form_.places.emplace(json->text, place_).second)
      return report("id", "must not be repeated");
    request.id = json->text;
  }

  void read_method(const Json* json, BatchedRequest& request) {
    if (json == nullptr) return report("method", "is required");
    if (json->kind != Kind::kString ||
        std::ranges::find(kMethods, json->text) == std::end(kMethods)) {
      return report("method", "must be one of POST, PUT, DELETE, GET");
    }
    request.method = json->text;
  }

  void read_path(const Json* json, BatchedRequest& request) {
    if (json == nullptr) return report("path", "is required");
    const auto& path = json->text;
    const bool printable = json->kind == Kind::kString && path.size() <= kLongestPath &&
                           std::ranges::all_of(path, [](char c) { return c > ' ' && c < '\x7f'; });
    if (!printable || !path.starts_with("/v1/")) {
      return report("path", "must be a path of the API without /api, such as /v1/tasks?limit=1");
    }
    const PathSegments segments(std::string_view(path).substr(0, path.find('?')));
    const auto& all = segments.all();
    if (all.size() == 2 && (all[1] == "batch" || all[1] == "events")) {
      return report("path", "must not be /v1/" + std::string(all[1]) + " within a batch");
    }
    for (auto at = path.find(kOpens); at != path.npos; at = path.find(kOpens, at + 1)) {
      refer_to(id_at_start(std::string_view(path).substr(at)), "path", request);
    }
    request.path = path;
  }

  void read_if_match(const Json* json, BatchedRequest& request) {
    if (json == nullptr || json->kind == Kind::kNull) return;
    const bool fits =
        json->kind == Kind::kString && json->text.size() <= kLongestIfMatch &&
        std::ranges::all_of(json->text, [](char c) { return c >= ' ' && c != '\x7f'; });
    if (!fits) return report("ifMatch", "must be entity tags in printable ASCII");
    request.if_match = json->text;
  }

  void refer_from(const Json& json, const std::string& path, BatchedRequest& request) {
    if (json.kind == Kind::kString) return refer_to(id_of_whole(json.text), path, request);
    std::size_t item = 0;
    for (const auto& [name, child] : json.children) {
      const bool branches = child.kind == Kind::kObject || child.kind == Kind::kArray;
      if (!branches && (child.kind != Kind::kString || !child.text.starts_with(kOpens))) {
        ++item;
        continue;
      }
      refer_from(child, path + "." + (json.kind == Kind::kArray ? std::to_string(item++) : name),
                 request);
    }
  }

  void refer_to(std::string_view id, const std::string& member, BatchedRequest& request) {
    if (id.empty()) return;
    const auto found = form_.places.find(id);
    if (found == form_.places.end()) {
      return report(member, "refers to " + std::string(id) + ", which is no earlier request's id");
    }
    if (std::ranges::find(request.refers_to, found->second) == request.refers_to.end()) {
      request.refers_to.push_back(found->second);
    }
  }

  BatchForm& form_;
  Issues& issues_;
  std::size_t place_ = 0;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto begin = std::min(text.find_first_not_of(kBlanks), text.size());
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// Whether the members other than `requests` are valid; fills in what they say.
void read_on_error(std::string_view text, const std::vector<std::string_view>& items,
                   BatchForm& form, Issues& issues) {
  const auto* end = items.back().data() + items.back().size();
  std::string around(
      trimmed(text.substr(0, static_cast<std::size_t>(items.front().data() - text.data()))));
  around.append(trimmed(text.substr(static_cast<std::size_t>(end - text.data()))));
  if (around.size() > kMostAround) {
    issues["body"].emplace_back("must have nothing large but its requests");
    return;
  }
  const auto json = parse_json(around);
  const auto* on_error = json ? json->find("onError") : nullptr;
  if (on_error == nullptr) return;
  const bool is_string = on_error->kind == Kind::kString;
  form.stops_on_error = is_string && on_error->text == "stop";
  if (!form.stops_on_error && !(is_string && on_error->text == "continue")) {
    issues["onError"].emplace_back("must be one of continue, stop");
  }
}

Error invalid(Issues issues) {
  return {ErrorCode::kInvalid, "The request is not valid.", std::move(issues)};
}

void put_ids(const BatchForm& form, Json& json, const IdOf& id_of) {
  if (json.kind == Kind::kString) {
    const auto id = id_of_whole(json.text);
    if (const auto found = form.places.find(id); !id.empty() && found != form.places.end()) {
      json.text = id_of(found->second);
    }
  }
  for (auto& child : json.children) put_ids(form, child.second, id_of);
}

}  // namespace

Result<BatchForm> read_batch(std::string_view text, const std::function<bool()>& keep_on) {
  const auto items = split_json(text.empty() ? "{}" : text, "requests");
  if (!items) return invalid(items.error().issues);
  BatchForm form;
  Issues issues;
  if (items->empty() || items->size() > BatchForm::kMostRequests) {
    issues["requests"].push_back("must have 1 to " + std::to_string(BatchForm::kMostRequests) +
                                 " items");
    return invalid(std::move(issues));
  }
  read_on_error(text, *items, form, issues);
  form.requests.reserve(items->size());
  FormReader reader(form, issues);
  for (const auto item : *items) {
    if (item.size() > BatchForm::kMostOfOne) {
      return Error{ErrorCode::kPayloadTooLarge, "One request of the batch is too large."};
    }
    if (!keep_on()) return form;
    reader.read(item);
  }
  if (!issues.empty()) return invalid(std::move(issues));
  return form;
}

std::string path_with_ids(const BatchForm& form, const BatchedRequest& request, const IdOf& id_of) {
  const std::string_view path = request.path;
  std::string whole;
  for (std::size_t at = 0; at < path.size();) {
    const auto id = id_at_start(path.substr(at));
    if (id.empty()) {
      whole.push_back(path[at++]);
    } else {
      whole.append(id_of(form.places.find(id)->second));
      at += kOpens.size() + id.size() + 1;
    }
  }
  return whole;
}

std::string body_with_ids(const BatchForm& form, const BatchedRequest& request, const IdOf& id_of) {
  if (!takes_body(request.method)) return {};
  auto json = parse_json(request.text);
  const auto* body = json ? json->find("body") : nullptr;
  if (body == nullptr || body->kind == Kind::kNull) return {};
  if (request.refers_to.empty()) return text_of(*body);
  auto with_ids = *body;
  put_ids(form, with_ids, id_of);
  return text_of(with_ids);
}

std::string key_within_batch(std::string_view batch_key, std::size_t place) {
  const auto name = "tilth batch " + std::string(batch_key) + " " + std::to_string(place);
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash;
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(name.data()), name.size());
  Uuid uuid;
  std::copy_n(hash.begin(), uuid.bytes.size(), uuid.bytes.begin());
  uuid.bytes[6] = static_cast<std::uint8_t>((uuid.bytes[6] & 0x0F) | 0x80);  // RFC 9562: version 8
  uuid.bytes[8] = static_cast<std::uint8_t>((uuid.bytes[8] & 0x3F) | 0x80);
  return uuid.text();
}

}  // namespace tilth
