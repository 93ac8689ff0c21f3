#include "events/text.h"

#include <algorithm>

#include <unicode/unistr.h>

namespace tilth {

std::string fold_case(std::string_view text) {
  std::string folded;
  if (std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; })) {
    for (const char c : text) {
      folded.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
    }
    return folded;
  }
  icu::UnicodeString::fromUTF8({text.data(), static_cast<int32_t>(text.size())})
      .foldCase()
      .toUTF8String(folded);
  return folded;
}

}  // namespace tilth
