// Numbers as bytes of a fixed length that sort as the numbers do.

#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilth {

// As many bytes as the number has.
template <std::unsigned_integral Number>
std::string big_endian(Number number) {
  std::string bytes(sizeof(Number), '\0');
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte, number >>= 8) {
    *byte = static_cast<char>(number & 0xFF);
  }
  return bytes;
}

// Of more bytes than the number has, the last ones count.
template <std::unsigned_integral Number = std::uint64_t>
Number read_big_endian(std::string_view bytes) {
  Number number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

}  // namespace tilth
