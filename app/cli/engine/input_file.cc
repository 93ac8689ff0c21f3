#include "app/cli/engine/input_file.h"

#include <iostream>
#include <iterator>

#include "infra/system/whole_file.h"

namespace tilth::cli {

Result<std::string> read_input(const std::string& file) {
  if (file == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  auto text = read_whole_file(file);
  if (!text) return text.error();
  if (*text) return std::move(**text);
  return Error{ErrorCode::kUnavailable, "There is no file " + file + "."};
}

}  // namespace tilth::cli
