#include "infra/log_lines/secrets.h"

#include <array>
#include <cctype>

namespace tilth {
namespace {

constexpr std::string_view kBlot = "[secret]";

struct Mark {
  std::string_view begins;
  std::string_view ends_before;
};

// Even a truncated key is redacted: its beginning is a part of the secret.
constexpr std::array<Mark, 6> kMarks = {{{"svc_live_", ""},
                                         {"svc_operator_", ""},
                                         {"svc_test_", ""},
                                         {"whsec_", " \t\r\n,\"'"},
                                         {"Bearer ", " \t\r\n,\"'"},
                                         {"bearer ", " \t\r\n,\"'"}}};

bool continues(char c, const Mark& mark) {
  if (mark.ends_before.empty()) return std::isalnum(static_cast<unsigned char>(c)) != 0;
  return mark.ends_before.find(c) == std::string_view::npos;
}

void blot(std::string& text, const Mark& mark) {
  for (auto at = text.find(mark.begins); at != text.npos; at = text.find(mark.begins, at)) {
    at += mark.begins.size();
    auto end = at;
    while (end < text.size() && continues(text[end], mark)) ++end;
    if (end == at || text.compare(at, kBlot.size(), kBlot) == 0) continue;
    text.replace(at, end - at, kBlot);
  }
}

}  // namespace

std::string Secrets::blotted(std::string_view text) const {
  std::string clean(text);
  for (const auto& secret : known_) {
    if (secret.empty()) continue;
    for (auto at = clean.find(secret); at != clean.npos; at = clean.find(secret, at)) {
      clean.replace(at, secret.size(), kBlot);
      at += kBlot.size();
    }
  }
  for (const auto& mark : kMarks) blot(clean, mark);
  return clean;
}

}  // namespace tilth
