#include "app/cli/engine/url_path.h"

#include <memory>
#include <utility>

#include <curl/curl.h>

namespace tilth::cli {

std::string url_escaped(std::string_view text) {
  const std::unique_ptr<char, decltype(&curl_free)> escaped(
      curl_easy_escape(nullptr, text.data(), static_cast<int>(text.size())), &curl_free);
  return escaped ? std::string(escaped.get()) : std::string();
}

std::string with_parameter(std::string path, std::string_view name, std::string_view value) {
  path += path.find('?') == std::string::npos ? '?' : '&';
  return path.append(name).append("=").append(url_escaped(value));
}

std::string with_flags(std::string path, const Arguments& arguments,
                       const std::vector<std::string>& flags) {
  for (const auto& flag : flags) {
    if (const auto value = arguments.find(flag)) {
      path = with_parameter(std::move(path), std::string_view(flag).substr(2), *value);
    }
  }
  return path;
}

}  // namespace tilth::cli
