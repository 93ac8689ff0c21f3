#include "app/cli/commands/export_filters.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "events/values/time.h"
#include "infra/system/whole_file.h"

namespace tilth::cli {
namespace {

// In the text of another form, an instant is the same.
std::string written(const std::string& value, bool is_instant) {
  const auto at = is_instant ? Timestamp::parse(value) : std::nullopt;
  return at ? at->text() : value;
}

// As a part of a sentence: "--type tilth.task.* --since 2026-01-01T00:00:00.000Z".
std::string listed(std::string text) {
  if (text.empty()) return "no filter";
  text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

ExportFilters::ExportFilters(std::string output, const Arguments& arguments)
    : output_(std::move(output)) {
  for (const auto* flag : {"--owner", "--type", "--since", "--until"}) {
    const auto value = arguments.find(flag);
    const bool is_instant =
        flag == std::string_view("--since") || flag == std::string_view("--until");
    if (value) text_.append(flag).append(" ").append(written(*value, is_instant)).append("\n");
  }
  if (arguments.has("--with-secrets")) text_ += "--with-secrets\n";
}

std::string ExportFilters::kept_in() const { return output_ + ".filters"; }

Status ExportFilters::are_those_of_file() const {
  const auto kept = read_whole_file(kept_in());
  if (!kept) return kept.error();
  const auto before = kept->value_or("");
  if (before == text_) return kDone;
  return Error{ErrorCode::kConflict, output_ + " was exported with " + listed(before) +
                                         ": resume it with the same, or export to another file."};
}

Status ExportFilters::keep() const {
  if (output_ == "-") return kDone;
  if (!text_.empty()) return write_whole_file(kept_in(), text_, 0600);
  std::error_code failed;
  std::filesystem::remove(kept_in(), failed);
  if (!failed) return kDone;
  return Error{ErrorCode::kUnavailable,
               kept_in() + " cannot be removed: " + failed.message() + "."};
}

}  // namespace tilth::cli
