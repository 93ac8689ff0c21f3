// A body that never changes while the service runs, in every coding, each encoded once.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/http/http.h"

namespace tilth {

class FixedBody {
 public:
  // `bytes` must outlive it; those of a type that does not become smaller, such as a font, are
  // never encoded. `tag`: their entity tag, quoted. `gzipped`: they in that coding, if the caller
  // has it; else it is made here.
  FixedBody(std::string_view content_type, std::string_view bytes, std::string tag,
            std::string_view gzipped = {});

  // Gives the response the body that the client prefers, and the headers that belong to it. A
  // coding that is not smaller is not used. The response keeps what it needs.
  void show(const HttpRequest& request, HttpResponse& response) const;

 private:
  struct Coded {
    std::string made;
    std::string_view bytes;  // empty: not smaller
  };

  const std::string_view plain_;
  const std::string tag_;
  std::shared_ptr<const Coded> gzip_, zstd_;
};

}  // namespace tilth
