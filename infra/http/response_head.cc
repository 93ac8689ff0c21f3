#include "infra/http/response_head.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <ctime>

#include <boost/beast/http/status.hpp>

#include "events/values/ascii.h"
#include "events/values/eight_bytes.h"

namespace tilth {
namespace {

void append_number(std::string& out, std::uint64_t number) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

// "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n", formatted once per second.
const std::string& date_line() {
  thread_local std::time_t formatted = -1;
  thread_local std::string line;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (now.tv_sec != formatted) {
    constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    std::tm utc{};
    ::gmtime_r(&now.tv_sec, &utc);
    std::array<char, 64> text;
    const int size =
        std::snprintf(text.data(), text.size(), "Date: %s, %02d %s %04d %02d:%02d:%02d GMT\r\n",
                      kDays.at(static_cast<std::size_t>(utc.tm_wday)), utc.tm_mday,
                      kMonths.at(static_cast<std::size_t>(utc.tm_mon)), utc.tm_year + 1900,
                      utc.tm_hour, utc.tm_min, utc.tm_sec);
    line.assign(text.data(), static_cast<std::size_t>(size));
    formatted = now.tv_sec;
  }
  return line;
}

bool is_servers_own(std::string_view name) {
  if (name.size() < 4 || std::string_view("cCdDtT").find(name.front()) == std::string_view::npos)
    return false;
  return equals_ignoring_case(name, "content-length") || equals_ignoring_case(name, "connection") ||
         equals_ignoring_case(name, "date") || equals_ignoring_case(name, "transfer-encoding");
}

bool would_break_line(char c) { return c == '\r' || c == '\n' || c == '\0'; }

void append_on_one_line(std::string& out, std::string_view text) {
  const auto size = out.size();
  out += text;
  const auto first_control = eight_bytes::find_end(
      text, 0, [](std::uint64_t eight) { return eight_bytes::below(eight, 0x20); },
      would_break_line);
  if (first_control == text.size()) return;
  std::replace_if(out.begin() + static_cast<std::ptrdiff_t>(size), out.end(), would_break_line,
                  ' ');
}

bool has_no_body(int status) { return status == 204 || status == 304; }

}  // namespace

bool carries_body(const HttpResponse& response, const AnswerForm& form) {
  return !form.head_only && !has_no_body(response.status);
}

void append_head(std::string& out, const HttpResponse& response, const AnswerForm& form,
                 Framing framing) {
  namespace http = boost::beast::http;
  const bool known = response.status >= 200 && response.status <= 999;
  const unsigned status = known ? static_cast<unsigned>(response.status) : 500;
  out += "HTTP/1.1 ";
  append_number(out, status);
  out += ' ';
  const auto phrase = http::obsolete_reason(http::int_to_status(status));
  out.append(phrase.data(), phrase.size());
  out += "\r\n";
  for (const auto& [name, value] : response.headers) {
    if (is_servers_own(name)) continue;
    append_on_one_line(out, name);
    out += ": ";
    append_on_one_line(out, value);
    out += "\r\n";
  }
  if (!has_no_body(response.status)) {
    if (framing == Framing::kChunked) out += "Transfer-Encoding: chunked\r\n";
    if (framing == Framing::kLength) {
      out += "Content-Length: ";
      append_number(out, response.body_size());
      out += "\r\n";
    }
  }
  out += date_line();
  if (!form.keep_alive) {
    out += "Connection: close\r\n";
  } else if (form.http_1_0) {
    out += "Connection: keep-alive\r\n";
  }
  out += "\r\n";
}

}  // namespace tilth
