#include "infra/webhooks/curl_webhook_sender.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <utility>

#include <curl/curl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "api/webhooks/public_address.h"
#include "events/values/utf8.h"

namespace tilth {
namespace {

constexpr long kIdleConnections = 64;

using Steady = std::chrono::steady_clock;

struct Transfer {
  WebhookPost post;
  CurlWebhookSender::OnAnswered done;
  const WebhookSafety* safety = nullptr;
  const CurlWebhookSender::Limits* limits = nullptr;
  curl_slist *headers = nullptr, *resolved = nullptr;
  Steady::time_point begun = Steady::now();
  std::size_t head_bytes = 0, body_bytes = 0;
  std::string body = {};
  bool refused = false;   // an address
  bool too_long = false;  // the answer

  Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer() { curl_slist_free_all(headers), curl_slist_free_all(resolved); }
};

std::optional<Address> address_of(const curl_sockaddr& from) {
  Address address;
  if (from.family == AF_INET && from.addrlen >= sizeof(sockaddr_in)) {
    sockaddr_in four{};
    std::memcpy(&four, &from.addr, sizeof four);
    address.bytes[10] = address.bytes[11] = 0xFF;
    std::memcpy(address.bytes.data() + 12, &four.sin_addr, 4);
    return address;
  }
  // curl's struct is as long as its address.
  if (from.family == AF_INET6 && from.addrlen >= sizeof(sockaddr_in6)) {
    sockaddr_in6 six{};
    std::memcpy(&six, static_cast<const void*>(&from.addr), sizeof six);
    std::memcpy(address.bytes.data(), &six.sin6_addr, 16);
    return address;
  }
  return std::nullopt;
}

// The one place where a connection can begin.
curl_socket_t open_socket(void* of, curlsocktype purpose, curl_sockaddr* to) {
  auto& transfer = *static_cast<Transfer*>(of);
  const auto address = address_of(*to);
  const bool allowed = purpose == CURLSOCKTYPE_IPCXN && address &&
                       (transfer.safety->allow_private || is_public(*address));
  if (!allowed) {
    transfer.refused = true;
    return CURL_SOCKET_BAD;
  }
  return ::socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

std::size_t take_head(char*, std::size_t size, std::size_t count, void* of) {
  auto& transfer = *static_cast<Transfer*>(of);
  transfer.head_bytes += size * count;
  if (transfer.head_bytes <= transfer.limits->most_bytes) return size * count;
  transfer.too_long = true;
  return 0;  // ends the transfer
}

std::size_t take_body(char* bytes, std::size_t size, std::size_t count, void* of) {
  auto& transfer = *static_cast<Transfer*>(of);
  const auto room = transfer.limits->shown_bytes - transfer.body.size();
  transfer.body.append(bytes, std::min(room, size * count));
  transfer.body_bytes += size * count;
  if (transfer.body_bytes <= transfer.limits->most_bytes) return size * count;
  transfer.too_long = true;
  return 0;
}

std::string sentence_of(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return "The name of the host cannot be resolved.";
    case CURLE_COULDNT_CONNECT:
      return "No connection can be made.";
    case CURLE_PEER_FAILED_VERIFICATION:
      return "The certificate cannot be verified.";
    case CURLE_SSL_CONNECT_ERROR:
      return "The connection cannot be encrypted.";
    case CURLE_BAD_FUNCTION_ARGUMENT:  // what curl says of a header it cannot keep
    case CURLE_WEIRD_SERVER_REPLY:
      return "The answer is not valid HTTP.";
    default:
      return std::string(curl_easy_strerror(code)) + ".";
  }
}

// What an answer says, as text that JSON can hold.
std::string shown(std::string_view bytes) {
  auto text = well_formed(bytes);
  std::ranges::replace(text, '\0', '?');
  return text;
}

}  // namespace

struct CurlWebhookSender::Parts {
  WebhookSafety safety;
  Limits limits;
  CURLM* multi = nullptr;
  std::unordered_map<CURL*, std::unique_ptr<Transfer>> transfers = {};

  WebhookAnswer answer_of(CURL* easy, const Transfer& transfer, CURLcode code) const {
    WebhookAnswer answer;
    answer.took =
        std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now() - transfer.begun);
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    // Of an answer that is longer than it should be, or shorter than it says, the status counts.
    const bool answered = status >= 200 && (code == CURLE_OK || code == CURLE_PARTIAL_FILE ||
                                            (code == CURLE_WRITE_ERROR && transfer.body_bytes > 0));
    if (status > 0) answer.status = status;
    answer.body = shown(transfer.body);
    if (answered && status < 300) {
      answer.outcome = AttemptOutcome::kDelivered;
    } else if (answered) {
      answer.outcome = AttemptOutcome::kHttpError;
      answer.error = status < 400 ? "The receiver redirects, which is not followed."
                                  : "The receiver answered " + std::to_string(status) + ".";
    } else if (code == CURLE_OPERATION_TIMEDOUT) {
      answer.outcome = AttemptOutcome::kTimedOut;
      answer.error = "There was no complete answer within " +
                     std::to_string(limits.timeout.count() / 1'000) + " seconds.";
    } else if (transfer.refused) {
      answer.outcome = AttemptOutcome::kRefusedAddress;
      answer.error = "The host has a private, local or reserved address.";
    } else {
      answer.outcome = AttemptOutcome::kUnreachable;
      answer.error = transfer.too_long ? "The head of the answer is too long." : sentence_of(code);
    }
    return answer;
  }
};

CurlWebhookSender::CurlWebhookSender(const WebhookSafety& safety, const Limits& limits)
    : parts_(std::make_unique<Parts>(Parts{.safety = safety, .limits = limits})) {
  static const auto kReady = curl_global_init(CURL_GLOBAL_DEFAULT);
  parts_->multi = kReady == CURLE_OK ? curl_multi_init() : nullptr;
  if (parts_->multi == nullptr) std::abort();
  curl_multi_setopt(parts_->multi, CURLMOPT_MAXCONNECTS, kIdleConnections);
}

CurlWebhookSender::~CurlWebhookSender() {
  for (auto& [easy, transfer] : parts_->transfers) {
    curl_multi_remove_handle(parts_->multi, easy);
    curl_easy_cleanup(easy);
  }
  curl_multi_cleanup(parts_->multi);
}

void CurlWebhookSender::send(WebhookPost post, OnAnswered done) {
  auto transfer = std::make_unique<Transfer>();
  transfer->post = std::move(post);
  transfer->done = std::move(done);
  transfer->safety = &parts_->safety;
  transfer->limits = &parts_->limits;
  for (const auto& header : transfer->post.headers) {
    transfer->headers = curl_slist_append(transfer->headers, header.c_str());
  }
  for (const auto& host : parts_->limits.resolved) {
    transfer->resolved = curl_slist_append(transfer->resolved, host.c_str());
  }
  // Before a long body curl would otherwise wait for leave to send it.
  transfer->headers = curl_slist_append(transfer->headers, "Expect:");
  // A handle for each request: curl before 8.1.1 takes a header line of one answer that continues
  // nothing for a part of the last header of the handle's answer before it, which is freed
  // (https://github.com/curl/curl/issues/11101). Connections belong to the multi handle, and stay.
  auto* easy = curl_easy_init();
  if (easy == nullptr) std::abort();
  auto* its = transfer.get();
  curl_easy_setopt(easy, CURLOPT_URL, its->post.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, parts_->safety.allow_http ? "http,https" : "https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  // A name that is still being looked up when the time is over must not hold the thread.
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(parts_->limits.timeout.count()));
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(parts_->limits.timeout.count()));
  curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, its);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_head);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, its);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, its);
  curl_easy_setopt(easy, CURLOPT_POST, 1L);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, its->post.body->data());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                   static_cast<curl_off_t>(its->post.body->size()));
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, its->headers);
  if (its->resolved != nullptr) curl_easy_setopt(easy, CURLOPT_RESOLVE, its->resolved);
  parts_->transfers.emplace(easy, std::move(transfer));
  curl_multi_add_handle(parts_->multi, easy);
}

void CurlWebhookSender::turn(std::chrono::milliseconds timeout) {
  int running = 0;
  curl_multi_perform(parts_->multi, &running);
  bool any = false;
  int left = 0;
  while (const auto* message = curl_multi_info_read(parts_->multi, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    auto* easy = message->easy_handle;
    const auto code = message->data.result;
    auto node = parts_->transfers.extract(easy);
    auto answer = parts_->answer_of(easy, *node.mapped(), code);
    curl_multi_remove_handle(parts_->multi, easy);
    curl_easy_cleanup(easy);
    any = true;
    node.mapped()->done(std::move(answer));
  }
  if (any) return;  // the caller may have more to send
  curl_multi_poll(parts_->multi, nullptr, 0, static_cast<int>(timeout.count()), nullptr);
}

void CurlWebhookSender::wake() { curl_multi_wakeup(parts_->multi); }

}  // namespace tilth
