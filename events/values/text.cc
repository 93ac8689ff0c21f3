#include "events/values/text.h"

#include <algorithm>

#include <unicode/locid.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include "events/values/ascii.h"

namespace tilth {
namespace {

icu::UnicodeString unicode(std::string_view text) {
  return icu::UnicodeString::fromUTF8({text.data(), static_cast<int32_t>(text.size())});
}

}  // namespace

std::string fold_case(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; })) {
    return to_lower(text);
  }
  std::string folded;
  unicode(text).foldCase().toUTF8String(folded);
  return folded;
}

std::string_view trimmed(std::string_view text) {
  const auto all = unicode(text);
  const auto space_at = [&](int32_t i) { return u_isUWhiteSpace(all.char32At(i)) != 0; };
  // All white space is in the first plane: one UTF-16 unit, up to three bytes in UTF-8.
  const auto bytes_at = [&](int32_t i) -> std::size_t {
    const auto c = all.charAt(i);
    return c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
  };
  int32_t begin = 0, end = all.length();
  for (; begin < end && space_at(begin); ++begin) text.remove_prefix(bytes_at(begin));
  for (; end > begin && space_at(end - 1); --end) text.remove_suffix(bytes_at(end - 1));
  return text;
}

std::string tidied(std::string_view text) {
  const auto from = unicode(trimmed(text));
  icu::UnicodeString name;
  bool in_space = false;
  for (int32_t i = 0; i < from.length(); i = from.moveIndex32(i, 1)) {
    const auto c = from.char32At(i);
    const bool space = u_isUWhiteSpace(c) != 0;
    if (!space) name.append(c);
    if (space && !in_space) name.append(u' ');
    in_space = space;
  }
  const auto& root = icu::Locale::getRoot();
  name.toLower(root);
  const auto first = name.moveIndex32(0, 1);
  std::string tidy;
  (icu::UnicodeString(name, 0, first).toUpper(root) + icu::UnicodeString(name, first))
      .toUTF8String(tidy);
  return tidy;
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
