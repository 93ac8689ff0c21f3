// Case-insensitive text, and its normalization.

#pragma once

#include <string>
#include <string_view>

namespace tilth {

// Unicode's full case folding of well-formed UTF-8: two texts are equal without case if and only if
// their folded forms are equal.
std::string fold_case(std::string_view text);

// The text without surrounding white space.
std::string_view trimmed(std::string_view text);

// One spelling of a name: no surrounding white space, single spaces inside, lower case except for
// its first letter. " DATE   palm" is "Date palm".
std::string tidied(std::string_view text);

// As fold_case(), and without diacritics above, below and through letters: "Açaí" and "acai" are
// the same.
std::string fold_case_and_accents(std::string_view text);

}  // namespace tilth
