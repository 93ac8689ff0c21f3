// A request's body in an unnamed file, so that it takes no memory however large it is.

#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "api/http/http.h"
#include "events/values/result.h"
#include "infra/system/descriptor.h"

namespace tilth {

// Written first, then read from the beginning, by one thread at a time. Removed with the process.
class SpooledBody final : public LargeBody {
 public:
  // kUnavailable: a disk error.
  static Result<std::shared_ptr<SpooledBody>> make(const std::filesystem::path& directory);

  explicit SpooledBody(Descriptor file) : file_(std::move(file)) {}

  // False: a disk error.
  bool append(std::string_view bytes);

  std::ptrdiff_t read(char* to, std::size_t size) override;

 private:
  const Descriptor file_;
  std::size_t read_ = 0;
};

}  // namespace tilth
