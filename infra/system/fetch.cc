#include "infra/system/fetch.h"

#include <algorithm>
#include <memory>
#include <string_view>

#include <curl/curl.h>

namespace tilth {
namespace {

struct Body {
  std::string& text;
  std::size_t most_bytes;
};

std::size_t take(char* bytes, std::size_t size, std::size_t count, void* to) {
  const auto& [text, most_bytes] = *static_cast<Body*>(to);
  if (text.size() + size * count > most_bytes) return 0;  // ends the transfer
  text.append(bytes, size * count);
  return size * count;
}

// As curl_easy_perform(), which would notice only once a second that it is to stop.
CURLcode perform(CURL* easy, const std::atomic<bool>& stopped) {
  constexpr int kPollMilliseconds = 100;
  const std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)> multi(curl_multi_init(),
                                                                    curl_multi_cleanup);
  if (!multi || curl_multi_add_handle(multi.get(), easy) != CURLM_OK) return CURLE_OUT_OF_MEMORY;
  // A name that is being looked up must not hold the thread.
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  auto result = CURLE_ABORTED_BY_CALLBACK;
  for (int running = 1; !stopped;) {
    if (curl_multi_perform(multi.get(), &running) != CURLM_OK) break;
    int left = 0;
    if (const auto* message = curl_multi_info_read(multi.get(), &left); message != nullptr) {
      result = message->data.result;
      break;
    }
    if (curl_multi_poll(multi.get(), nullptr, 0, kPollMilliseconds, nullptr) != CURLM_OK) break;
  }
  curl_multi_remove_handle(multi.get(), easy);
  return result;
}

}  // namespace

Result<Fetched> fetch(const FetchRequest& request) {
  static const auto kReady = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> easy(
      kReady == CURLE_OK ? curl_easy_init() : nullptr, curl_easy_cleanup);
  if (!easy)
    return Error{ErrorCode::kUnavailable, "There is not enough memory to call another service."};
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers(
      curl_slist_append(nullptr, ("Accept: " + request.accept).c_str()), curl_slist_free_all);
  for (const auto& header : request.headers) curl_slist_append(headers.get(), header.c_str());
  Fetched fetched;
  Body body{fetched.body, request.most_bytes};
  curl_easy_setopt(easy.get(), CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(easy.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
  curl_easy_setopt(easy.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(easy.get(), CURLOPT_WRITEDATA, &body);
  if (!request.form.empty()) curl_easy_setopt(easy.get(), CURLOPT_POSTFIELDS, request.form.c_str());
  const auto code = request.stopped != nullptr ? perform(easy.get(), *request.stopped)
                                               : curl_easy_perform(easy.get());
  if (code != CURLE_OK) {
    return Error{ErrorCode::kUnavailable, without_credentials(request.url) + " does not answer: " +
                                              curl_easy_strerror(code) + "."};
  }
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &fetched.status);
  return fetched;
}

std::string without_credentials(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const auto scheme = url.find("://");
  const auto host = scheme == url.npos ? 0 : scheme + 3;
  const auto path = std::min(url.find('/', host), url.size());
  const auto user_end = url.substr(host, path - host).rfind('@');
  if (user_end == url.npos) return std::string(url);
  return std::string(url.substr(0, host)).append(url.substr(host + user_end + 1));
}

std::string url_encoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      encoded.push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded.append(1, '%').append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
    }
  }
  return encoded;
}

}  // namespace tilth
