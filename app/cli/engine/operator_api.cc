#include "app/cli/engine/operator_api.h"

#include <memory>
#include <utility>

#include "app/cli/engine/http.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/progress.h"
#include "app/cli/engine/url_path.h"
#include "infra/config/load_config.h"
#include "infra/system/whole_file.h"

namespace tilth::cli {
namespace {

constexpr std::string_view kDefaultService = "http://127.0.0.1:8081";
constexpr std::string_view kDefaultData = "./tilth-data";

std::string setting(const Arguments& arguments, const std::string& flag,
                    const std::string& variable, std::string fallback) {
  if (auto given = arguments.find(flag)) return *given;
  const auto environment = process_environment();
  const auto set = environment.find(variable);
  return set == environment.end() ? std::move(fallback) : set->second;
}

// The service's own words: its message, and the issues of each member.
std::string sentence(const HttpAnswer& answer) {
  const auto body = parse_json(answer.body);
  const auto* message = body ? body->find("message") : nullptr;
  if (message == nullptr && body) message = body->find("error");
  if (message == nullptr || message->kind != Json::Kind::kString) {
    return "The service responded with " + std::to_string(answer.status) + " and gave no reason.";
  }
  auto text = message->text;
  if (text.ends_with('.')) text.pop_back();
  std::string more;
  if (const auto* details = body->find("details")) {
    for (const auto& [name, value] : details->children) {
      more += (more.empty() ? "" : "; ") + name + ": ";
      std::string values = value.text;
      for (const auto& part : value.children) {
        values += (values.empty() ? "" : ", ") + part.second.text;
      }
      more += values;
    }
  }
  return text + (more.empty() ? "" : " (" + more + ")") + ".";
}

Error refusal(const HttpAnswer& answer, const std::string& token_file) {
  if (answer.status == 401) {
    return {ErrorCode::kUnauthorized,
            "The service does not accept the operator token in " + token_file + "."};
  }
  Error error{answer.status == 404 ? ErrorCode::kNotFound : ErrorCode::kUnavailable,
              sentence(answer)};
  error.retry_after_seconds = answer.retry_after_seconds;
  return error;
}

bool is_success(int status) { return status >= 200 && status < 300; }

}  // namespace

struct OperatorApi::Connection {
  std::string service;
  std::string token_file;
  HttpClient http;

  std::string url(const std::string& path) const { return service + "/operator/v1/" + path; }
};

OperatorApi::OperatorApi(std::unique_ptr<Connection> connection)
    : connection_(std::move(connection)) {}
OperatorApi::OperatorApi(OperatorApi&&) noexcept = default;
OperatorApi::~OperatorApi() = default;

Result<OperatorApi> OperatorApi::connect(const Arguments& arguments) {
  auto service = setting(arguments, "--operator", "TILTH_OPERATOR", std::string(kDefaultService));
  while (service.ends_with('/')) service.pop_back();
  const auto data = setting(arguments, "--data", "TILTH_DATA", std::string(kDefaultData));
  const auto token_file = setting(arguments, "--token-file", "TILTH_TOKEN_FILE",
                                  (std::filesystem::path(data) / "operator.token").string());
  const auto token = read_whole_file(token_file);
  if (!token) return Error{token.error().code, "The operator token " + token.error().message};
  if (!*token) {
    return Error{ErrorCode::kUnavailable,
                 "There is no operator token in " + token_file +
                     ": name the service's data directory with --data, or the file with "
                     "--token-file."};
  }
  const auto text = (*token)->substr(0, (*token)->find_first_of("\r\n"));
  return OperatorApi(
      std::unique_ptr<Connection>(new Connection{service, token_file, HttpClient(text)}));
}

Result<Json> OperatorApi::get(const std::string& path) { return send("GET", path); }

Result<std::string> OperatorApi::exchange(const std::string& method, const std::string& path,
                                          const std::optional<std::string>& body,
                                          std::string_view body_type) {
  Progress progress("Waiting for the service");
  auto answer = connection_->http.exchange(
      method, connection_->url(path), body, [&] { progress.wait(); }, body_type);
  if (!answer) return answer.error();
  if (!is_success(answer->status)) return refusal(*answer, connection_->token_file);
  return std::move(answer->body);
}

Result<std::string> OperatorApi::get_text(const std::string& path) {
  return exchange("GET", path, {}, {});
}

Result<Json> OperatorApi::send(const std::string& method, const std::string& path,
                               const Json* body) {
  return send_text(method, path, body == nullptr ? std::nullopt : std::optional(to_text(*body)));
}

Result<Json> OperatorApi::send_text(const std::string& method, const std::string& path,
                                    const std::optional<std::string>& body,
                                    std::string_view body_type) {
  const auto answer = exchange(method, path, body, body_type);
  return answer ? read_answer(*answer) : answer.error();
}

Result<Json> OperatorApi::upload(const std::string& path, std::string_view body_type,
                                 const HttpClient::MoreBytes& more,
                                 const std::function<void()>& idle) {
  const auto answer = connection_->http.upload(connection_->url(path), body_type, more, idle);
  if (!answer) return answer.error();
  if (!is_success(answer->status)) return refusal(*answer, connection_->token_file);
  return read_answer(answer->body);
}

Result<Json> OperatorApi::read_answer(const std::string& text) const {
  if (text.empty()) return Json{};
  auto json = parse_json(text);
  if (json) return json;
  return Error{ErrorCode::kUnavailable, "What responds at " + connection_->service +
                                            " is not the operator API of a service."};
}

Result<Json> OperatorApi::get_list(const std::string& path) {
  const auto most = with_parameter(path, "limit", "100");
  Json records{Json::Kind::kArray, {}, {}};
  for (std::int64_t page = 1;; ++page) {
    auto answer = get(with_parameter(most, "page", std::to_string(page)));
    if (!answer) return answer.error();
    const auto* data = answer->find("data");
    const auto* pagination = answer->find("pagination");
    if (data == nullptr || data->kind != Json::Kind::kArray) {
      return Error{ErrorCode::kUnavailable,
                   "The service responded with something that is not a list."};
    }
    for (const auto& record : data->children) records.children.push_back(record);
    const auto* pages = pagination == nullptr ? nullptr : pagination->find("totalPages");
    if (data->children.empty() || pages == nullptr || std::to_string(page) == pages->text) break;
  }
  const auto count = std::to_string(records.children.size());
  Json list = object_value();
  auto& pagination = list.add("pagination", object_value());
  for (const auto& [name, value] :
       {std::pair("page", std::string("1")), {"limit", count}, {"total", count}}) {
    pagination.add(name, {Json::Kind::kNumber, value, {}});
  }
  pagination.add("totalPages", {Json::Kind::kNumber, records.children.empty() ? "0" : "1", {}});
  list.children.emplace(list.children.begin(), "data", std::move(records));
  return list;
}

Status OperatorApi::read_lines(const std::vector<std::string>& paths,
                               const std::function<bool(std::string_view)>& each,
                               const std::function<void()>& idle) {
  std::vector<std::string> urls;
  for (const auto& path : paths) urls.push_back(connection_->url(path));
  const auto ended = connection_->http.read_lines(urls, each, idle);
  if (!ended) return ended.error();
  if (ended->status != 0) return refusal(*ended, connection_->token_file);
  return kDone;
}

std::vector<Flag> service_flags(std::vector<Flag> flags) {
  const Values url{"a URL, http:// or https://", [](std::string_view text) {
                     return (text.starts_with("http://") && text.size() > 7) ||
                            (text.starts_with("https://") && text.size() > 8);
                   }};
  flags.push_back({"--operator", "URL",
                   "the service's operator API; by default TILTH_OPERATOR, else " +
                       std::string(kDefaultService),
                   false, url});
  flags.push_back({"--token-file", "FILE",
                   "the operator's token; by default TILTH_TOKEN_FILE, else operator.token in the "
                   "data directory"});
  flags.push_back({"--data", "DIR",
                   "the data directory of the service; by default TILTH_DATA, else " +
                       std::string(kDefaultData)});
  flags.push_back({"--json", "", "print JSON, for machines"});
  return flags;
}

Result<std::string> find_user(OperatorApi& api, const std::string& id_or_email) {
  if (id_or_email.find('@') == std::string::npos) return id_or_email;
  const auto found = api.get(with_parameter("users", "email", id_or_email));
  if (!found) return found.error();
  const auto* users = found->find("data");
  const auto* id = users == nullptr || users->children.empty()
                       ? nullptr
                       : users->children.front().second.find("id");
  if (id == nullptr) {
    return Error{ErrorCode::kNotFound, "No user has the email " + id_or_email + "."};
  }
  return id->text;
}

}  // namespace tilth::cli
