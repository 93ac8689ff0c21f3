// How `tilth` reports an error on stderr: in one sentence.

#pragma once

#include <string_view>

namespace tilth::cli {

// Writes the sentence as one line of its own.
void print_error(std::string_view sentence);

}  // namespace tilth::cli
