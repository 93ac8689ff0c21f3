#include "app/cli/engine/error_output.h"

#include <iostream>
#include <string>

namespace tilth::cli {

void print_error(std::string_view sentence) {
  std::string line;
  for (const char c : sentence) line += static_cast<unsigned char>(c) < ' ' || c == 127 ? ' ' : c;
  while (line.ends_with(' ')) line.pop_back();
  if (!line.ends_with('.') && !line.ends_with('?') && !line.ends_with('!')) line += '.';
  std::cerr << line << std::endl;
}

}  // namespace tilth::cli
