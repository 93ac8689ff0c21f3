#include "events/text.h"

#include <algorithm>

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
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

std::string fold_case_and_accents(std::string_view text) {
  const auto folded = fold_case(text);
  UErrorCode error = U_ZERO_ERROR;
  const auto* decompose = icu::Normalizer2::getNFDInstance(error);
  if (U_FAILURE(error)) return folded;
  const auto apart = decompose->normalize(icu::UnicodeString::fromUTF8(folded), error);
  icu::UnicodeString letters;
  for (int32_t i = 0; i < apart.length(); i = apart.moveIndex32(i, 1)) {
    const auto c = apart.char32At(i);
    if (u_charType(c) != U_NON_SPACING_MARK) letters.append(c);
  }
  std::string plain;
  letters.toUTF8String(plain);
  return plain;
}

}  // namespace tilth
