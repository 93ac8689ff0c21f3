#include "app/cli/engine/http.h"

#include <array>
#include <utility>

#include <curl/curl.h>

namespace tilth::cli {
namespace {

struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct FreeMulti {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Easy = std::unique_ptr<CURL, FreeEasy>;
using Multi = std::unique_ptr<CURLM, FreeMulti>;
using Headers = std::unique_ptr<curl_slist, FreeList>;

using Idle = std::function<void()>;
using Reason = std::array<char, CURL_ERROR_SIZE>;

Headers headers(const std::vector<std::string>& lines) {
  Headers list;
  for (const auto& line : lines) list.reset(curl_slist_append(list.release(), line.c_str()));
  return list;
}

int on_progress(void* idle, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  (*static_cast<const Idle*>(idle))();
  return 0;
}

int status_of(CURL* easy) {
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

std::int64_t retry_after_of(CURL* easy) {
  curl_off_t seconds = 0;
  curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &seconds);
  return seconds;
}

// A libcurl callback: must be a plain function of this type.
using Receive = std::size_t (*)(char*, std::size_t, std::size_t, void*);

Easy prepared(const std::string& url, curl_slist* lines, Receive receive, void* receiver,
              Reason& reason) {
  Easy easy(curl_easy_init());
  curl_easy_setopt(easy.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy.get(), CURLOPT_HTTPHEADER, lines);
  curl_easy_setopt(easy.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy.get(), CURLOPT_NOPROXY, "*");
  curl_easy_setopt(easy.get(), CURLOPT_CONNECTTIMEOUT, 10L);
  curl_easy_setopt(easy.get(), CURLOPT_WRITEFUNCTION, receive);
  curl_easy_setopt(easy.get(), CURLOPT_WRITEDATA, receiver);
  curl_easy_setopt(easy.get(), CURLOPT_ERRORBUFFER, reason.data());
  return easy;
}

Error no_answer(const std::string& url, CURLcode code, const Reason& reason) {
  const auto service = url.substr(0, url.find('/', url.find("//") + 2));
  if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST) {
    return {.code = ErrorCode::kUnavailable,
            .message = "No service responds at " + service + ": is `tilth serve` running?",
            .retry_after_seconds = 1};
  }
  const std::string why = reason[0] != '\0' ? reason.data() : curl_easy_strerror(code);
  return {ErrorCode::kUnavailable, "The service at " + service + " broke off: " + why + "."};
}

std::size_t append(char* bytes, std::size_t size, std::size_t count, void* text) {
  static_cast<std::string*>(text)->append(bytes, size * count);
  return size * count;
}

std::size_t hand_over(char* to, std::size_t size, std::size_t count, void* more) {
  const auto got = (*static_cast<const HttpClient::MoreBytes*>(more))(to, size * count);
  return got < 0 ? CURL_READFUNC_ABORT : static_cast<std::size_t>(got);
}

// One stream: passes on whole lines, and collects the body of an error response.
struct LineStream {
  const std::function<bool(std::string_view)>* each;
  bool* stopped;
  Easy easy = nullptr;
  Reason reason = {};
  std::string rest = {};  // an incomplete line

  std::size_t take(std::string_view bytes) {
    rest += bytes;
    if (status_of(easy.get()) != 200) return bytes.size();
    std::size_t begin = 0;
    for (auto end = rest.find('\n'); end != rest.npos && !*stopped; end = rest.find('\n', begin)) {
      if (end > begin) *stopped = !(*each)(std::string_view(rest).substr(begin, end - begin));
      begin = end + 1;
    }
    rest.erase(0, begin);
    return *stopped ? 0 : bytes.size();  // 0 ends the transfer
  }
};

std::size_t take_lines(char* bytes, std::size_t size, std::size_t count, void* stream) {
  return static_cast<LineStream*>(stream)->take({bytes, size * count});
}

// The result of a finished stream: its status if that is an error, else 0.
Result<HttpAnswer> ended(const LineStream& stream, const std::string& url, CURLcode code) {
  if (code != CURLE_OK) return no_answer(url, code, stream.reason);
  const auto status = status_of(stream.easy.get());
  if (status != 200) return HttpAnswer{status, stream.rest};
  if (stream.rest.empty()) return HttpAnswer{};
  return Error{ErrorCode::kUnavailable, "The service broke off within a line."};
}

}  // namespace

struct HttpClient::Handles {
  std::string authorization;
};

HttpClient::HttpClient(std::string token)
    : handles_(new Handles{"Authorization: Bearer " + std::move(token)}) {}
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient::~HttpClient() = default;

Result<HttpAnswer> HttpClient::exchange(const std::string& method, const std::string& url,
                                        const std::optional<std::string>& body, const Idle& idle,
                                        std::string_view body_type) {
  const auto lines = headers({handles_->authorization, "Accept: application/json",
                              "Content-Type: " + std::string(body_type), "Expect:"});
  HttpAnswer answer;
  Reason reason = {};
  const auto easy = prepared(url, lines.get(), append, &answer.body, reason);
  curl_easy_setopt(easy.get(), CURLOPT_CUSTOMREQUEST, method.c_str());
  if (body) {
    curl_easy_setopt(easy.get(), CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(body->size()));
    curl_easy_setopt(easy.get(), CURLOPT_POSTFIELDS, body->c_str());
  }
  curl_easy_setopt(easy.get(), CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt(easy.get(), CURLOPT_XFERINFODATA, &idle);
  curl_easy_setopt(easy.get(), CURLOPT_NOPROGRESS, 0L);
  if (const auto code = curl_easy_perform(easy.get()); code != CURLE_OK) {
    return no_answer(url, code, reason);
  }
  answer.status = status_of(easy.get());
  answer.retry_after_seconds = retry_after_of(easy.get());
  return answer;
}

Result<HttpAnswer> HttpClient::upload(const std::string& url, std::string_view body_type,
                                      const MoreBytes& more, const Idle& idle) {
  const auto lines =
      headers({handles_->authorization, "Accept: application/json",
               "Content-Type: " + std::string(body_type), "Transfer-Encoding: chunked", "Expect:"});
  HttpAnswer answer;
  Reason reason = {};
  const auto easy = prepared(url, lines.get(), append, &answer.body, reason);
  curl_easy_setopt(easy.get(), CURLOPT_POST, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_READFUNCTION, hand_over);
  curl_easy_setopt(easy.get(), CURLOPT_READDATA, &more);
  curl_easy_setopt(easy.get(), CURLOPT_UPLOAD_BUFFERSIZE, 1L << 20);
  curl_easy_setopt(easy.get(), CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt(easy.get(), CURLOPT_XFERINFODATA, &idle);
  curl_easy_setopt(easy.get(), CURLOPT_NOPROGRESS, 0L);
  const auto code = curl_easy_perform(easy.get());
  answer.status = status_of(easy.get());
  answer.retry_after_seconds = retry_after_of(easy.get());
  // A server that refuses a body early may not read all of it.
  if (code != CURLE_OK && answer.status < 400) return no_answer(url, code, reason);
  return answer;
}

Result<HttpAnswer> HttpClient::read_lines(const std::vector<std::string>& urls,
                                          const std::function<bool(std::string_view)>& each,
                                          const Idle& idle) {
  constexpr int kIdleMilliseconds = 500;
  const auto lines = headers({handles_->authorization, "Accept: application/x-ndjson"});
  bool stopped = false;
  std::vector<LineStream> streams;
  for (std::size_t i = 0; i < urls.size(); ++i) streams.push_back({&each, &stopped});
  const Multi multi(curl_multi_init());
  for (std::size_t i = 0; i < urls.size(); ++i) {
    auto& stream = streams[i];
    stream.easy = prepared(urls[i], lines.get(), take_lines, &stream, stream.reason);
    curl_easy_setopt(stream.easy.get(), CURLOPT_PRIVATE, &stream);
    curl_multi_add_handle(multi.get(), stream.easy.get());
  }
  std::optional<Result<HttpAnswer>> failure;
  for (int running = 1; running > 0 && !stopped && !failure;) {
    curl_multi_perform(multi.get(), &running);
    for (int left = 0; const auto* message = curl_multi_info_read(multi.get(), &left);) {
      if (message->msg != CURLMSG_DONE || stopped || failure) continue;
      for (std::size_t i = 0; i < urls.size(); ++i) {
        if (streams[i].easy.get() != message->easy_handle) continue;
        auto outcome = ended(streams[i], urls[i], message->data.result);
        if (!outcome || outcome->status != 0) failure = std::move(outcome);
      }
    }
    idle();
    if (running > 0 && !stopped) {
      curl_multi_poll(multi.get(), nullptr, 0, kIdleMilliseconds, nullptr);
    }
  }
  for (const auto& stream : streams) curl_multi_remove_handle(multi.get(), stream.easy.get());
  if (failure) return *failure;
  return HttpAnswer{};
}

}  // namespace tilth::cli
