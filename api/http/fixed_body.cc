#include "api/http/fixed_body.h"

#include <utility>

#include "api/http/content_coding.h"

namespace tilth {

FixedBody::FixedBody(std::string_view content_type, std::string_view bytes, std::string tag,
                     std::string_view gzipped)
    : plain_(bytes), tag_(std::move(tag)) {
  const auto coded = [&](ContentCoding coding, std::string_view ready) {
    auto made = std::make_shared<Coded>();
    if (!is_compressible(content_type)) return made;
    if (ready.empty()) made->made = encoded_once(coding, bytes);
    made->bytes = ready.empty() ? std::string_view(made->made) : ready;
    if (made->bytes.size() >= bytes.size()) *made = {};
    return made;
  };
  gzip_ = coded(ContentCoding::kGzip, gzipped);
  zstd_ = coded(ContentCoding::kZstd, {});
}

void FixedBody::show(const HttpRequest& request, HttpResponse& response) const {
  response.shared_body = {plain_};
  auto coding = ContentCoding::kIdentity;
  if (!gzip_->bytes.empty()) {
    response.headers.emplace_back("Vary", "Accept-Encoding");
    const auto accepted = request.joined("accept-encoding");
    if (accepted) coding = preferred_coding(*accepted);
  }
  const auto& coded = coding == ContentCoding::kZstd ? zstd_ : gzip_;
  if (coding != ContentCoding::kIdentity && !coded->bytes.empty()) {
    response.shared_body = {coded->bytes, coded};
    response.headers.emplace_back("Content-Encoding", name_of(coding));
  } else {
    coding = ContentCoding::kIdentity;
  }
  response.headers.emplace_back("ETag", coded_tag(tag_, coding));
}

}  // namespace tilth
