// The service's log for its operator: one line per occurrence, on stderr.

#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "events/values/time.h"
#include "infra/log_lines/repeat_limit.h"

namespace tilth {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarn, kError };

constexpr std::string_view text(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      return "error";
  }
  return {};
}

// What a line has in addition to its message: {"requestId", id}, {"status", 404}.
struct LogField {
  std::string_view name;
  std::variant<std::string_view, std::int64_t, double, bool> value;

  LogField(std::string_view field, std::string_view text) : name(field), value(text) {}
  LogField(std::string_view field, const char* text) : name(field), value(std::string_view(text)) {}
  LogField(std::string_view field, const std::string& text)
      : name(field), value(std::string_view(text)) {}
  LogField(std::string_view field, bool truth) : name(field), value(truth) {}
  LogField(std::string_view field, double number) : name(field), value(number) {}
  template <std::integral Number>
  LogField(std::string_view field, Number number)
      : name(field), value(static_cast<std::int64_t>(number)) {}
};

// Writes lines to a descriptor, each in one piece: JSON objects for machines, plain text for
// people. API keys, bearer tokens and the secrets of keep_secret() are redacted in any text,
// wherever it comes from.
//
// Own code, not spdlog: there is one sink and one form at a time, and this compiles in a second.
//
// A reader that has stopped reading (a collector that hangs behind a pipe) delays the first line
// for a second; later lines are dropped, and a line of its own reports their number once it reads
// again.
//
// Of one kind of warning, a few lines a minute are logged, and then a line that says how many were
// left out (repeat_limit.h), at the latest with the next line of any kind. A kind is a message,
// unless the caller names another.
//
// Threads: any; lines never mix. Crash: once log() has returned, the operating system has the line,
// unless its reader has stopped.
class LogLines {
 public:
  enum class Form : std::uint8_t { kJson, kText };
  using Fields = std::vector<LogField>;

  LogLines(const Clock& clock, int descriptor, Form form, LogLevel least);

  // Text on a terminal, else JSON.
  static Form form_for(int descriptor);

  // From now on `secret` is redacted, too.
  void keep_secret(std::string secret);

  void log(LogLevel level, std::string_view message, const Fields& fields = {},
           std::string_view kind = {});
  void debug(std::string_view message, const Fields& fields = {}) {
    log(LogLevel::kDebug, message, fields);
  }
  void info(std::string_view message, const Fields& fields = {}) {
    log(LogLevel::kInfo, message, fields);
  }
  void warn(std::string_view message, const Fields& fields = {}) {
    log(LogLevel::kWarn, message, fields);
  }
  void error(std::string_view message, const Fields& fields = {}) {
    log(LogLevel::kError, message, fields);
  }

  // How many warnings were left out, since the start.
  std::uint64_t left_out() const { return left_out_; }

 private:
  std::string line(LogLevel level, std::string_view message, const Fields& fields) const;
  bool write_pending(std::chrono::milliseconds timeout);

  const Clock& clock_;
  const int descriptor_;
  const Form form_;
  const LogLevel least_;
  std::atomic<std::uint64_t> left_out_ = 0;
  std::mutex writing_;  // guards the descriptor and what follows
  std::vector<std::string> secrets_;
  std::string pending_;  // bytes of lines that are not lost and not written yet
  std::int64_t lost_ = 0;
  RepeatLimit repeats_;
};

}  // namespace tilth
