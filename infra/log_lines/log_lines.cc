#include "infra/log_lines/log_lines.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

#include <poll.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <unistd.h>

#include "events/values/utf8.h"
#include "infra/log_lines/secrets.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kTimeout{1'000};

// Refuses text that is not UTF-8, which a client may have put into a path or a header.
using Writer = rapidjson::Writer<rapidjson::StringBuffer, rapidjson::UTF8<>, rapidjson::UTF8<>,
                                 rapidjson::CrtAllocator, rapidjson::kWriteValidateEncodingFlag>;

bool write_text(std::string_view text, Writer& out) {
  return out.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

std::string quoted(std::string_view text) {
  rapidjson::StringBuffer buffer;
  Writer out(buffer);
  if (write_text(text, out)) return {buffer.GetString(), buffer.GetSize()};
  return quoted(well_formed(text));
}

std::string number(double value) {
  rapidjson::StringBuffer buffer;
  Writer out(buffer);
  return out.Double(value) ? buffer.GetString() : "null";
}

bool is_plain(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 127 && c != '"' && c != '=';
  });
}

std::string as_json(const std::string& time, LogLevel level, std::string_view message,
                    const LogLines::Fields& fields, const Secrets& secrets) {
  std::string line = R"({"time":")" + time + R"(","level":")" + std::string(text(level)) +
                     R"(","message":)" + quoted(secrets.blotted(message));
  for (const auto& [name, value] : fields) {
    line += "," + quoted(name) + ":";
    if (const auto* written = std::get_if<std::string_view>(&value)) {
      line += quoted(secrets.blotted(*written));
    } else if (const auto* count = std::get_if<std::int64_t>(&value)) {
      line += std::to_string(*count);
    } else if (const auto* real = std::get_if<double>(&value)) {
      line += number(*real);
    } else {
      line += std::get<bool>(value) ? "true" : "false";
    }
  }
  return line + "}\n";
}

std::string as_text(const std::string& time, LogLevel level, std::string_view message,
                    const LogLines::Fields& fields, const Secrets& secrets) {
  auto line = time + " " + std::string(text(level)) + " ";
  line.append(6 - text(level).size(), ' ');
  const auto text = quoted(secrets.blotted(message));  // escapes what could move the cursor
  line.append(text, 1, text.size() - 2);
  for (const auto& [name, value] : fields) {
    line += "  " + std::string(name) + "=";
    if (const auto* written = std::get_if<std::string_view>(&value)) {
      const auto shown = secrets.blotted(*written);
      line += is_plain(shown) ? shown : quoted(shown);
    } else if (const auto* count = std::get_if<std::int64_t>(&value)) {
      line += std::to_string(*count);
    } else if (const auto* real = std::get_if<double>(&value)) {
      line += number(*real);
    } else {
      line += std::get<bool>(value) ? "true" : "false";
    }
  }
  return line + "\n";
}

}  // namespace

LogLines::LogLines(const Clock& clock, int descriptor, Form form, LogLevel least)
    : clock_(clock), descriptor_(descriptor), form_(form), least_(least) {}

LogLines::Form LogLines::form_for(int descriptor) {
  return ::isatty(descriptor) == 1 ? Form::kText : Form::kJson;
}

void LogLines::keep_secret(std::string secret) {
  const std::lock_guard lock(writing_);
  secrets_.push_back(std::move(secret));
}

void LogLines::log(LogLevel level, std::string_view message, const Fields& fields,
                   std::string_view kind) {
  if (level < least_) return;
  const std::lock_guard lock(writing_);
  const auto now = RepeatLimit::Steady::now();
  const auto summaries = repeats_.take_left_out(now);
  const bool admitted =
      level != LogLevel::kWarn || repeats_.admits(std::string(kind.empty() ? message : kind), now);
  if (!admitted) ++left_out_;
  if (!admitted && summaries.empty()) return;
  if (!write_pending(0ms)) {
    lost_ += static_cast<std::int64_t>(summaries.size()) + (admitted ? 1 : 0);
    return;
  }
  if (const auto lost = std::exchange(lost_, 0); lost > 0) {
    pending_ =
        line(LogLevel::kWarn, "Lines were lost because nothing read them.", {{"lines", lost}});
  }
  for (const auto& [left_out, lines] : summaries) {
    pending_ += line(LogLevel::kWarn, "Repeated warnings were left out.",
                     {{"kind", left_out}, {"lines", lines}});
  }
  if (admitted) pending_ += line(level, message, fields);
  write_pending(kTimeout);
}

std::string LogLines::line(LogLevel level, std::string_view message, const Fields& fields) const {
  const Secrets secrets(secrets_);
  const auto write = form_ == Form::kJson ? as_json : as_text;
  return write(clock_.now().text(), level, message, fields, secrets);
}

// Returns whether all of it was written. A ready descriptor takes PIPE_BUF bytes without blocking.
bool LogLines::write_pending(std::chrono::milliseconds timeout) {
  while (!pending_.empty()) {
    pollfd ready{descriptor_, POLLOUT, 0};
    const int found = ::poll(&ready, 1, static_cast<int>(timeout.count()));
    if (found == 0) return false;
    if (found < 0) continue;  // interrupted
    const auto written =
        ::write(descriptor_, pending_.data(), std::min<std::size_t>(pending_.size(), PIPE_BUF));
    if (written < 0 && errno != EINTR) pending_.clear();  // the reader is gone
    if (written > 0) pending_.erase(0, static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace tilth
