// A batch is read or refused, whatever its bytes; a request of it refers to earlier ones only, and
// with their ids it is as sent otherwise.

#include <cstddef>
#include <cstdint>
#include <string>

#include "api/platform/batch_request.h"
#include "tests/fuzz/require.h"

namespace {

using tilth::fuzz::require;

void carry_out(const std::string& text) {
  const auto form = tilth::read_batch(text, [] { return true; });
  if (!form) return require(!form.error().issues.empty());
  require(!form->requests.empty() && form->requests.size() <= tilth::BatchForm::kMostRequests);
  for (std::size_t place = 0; place < form->requests.size(); ++place) {
    const auto& request = form->requests[place];
    for (const auto earlier : request.refers_to) require(earlier < place);
    const auto id_of = [&](std::size_t of) {
      require(of < place);
      return std::string("id");
    };
    const auto path = tilth::path_with_ids(*form, request, id_of);
    const auto body = tilth::body_with_ids(*form, request, id_of);
    require(path.starts_with("/v1/"));
    require(body.empty() || tilth::parse_json(body));
    require(!request.refers_to.empty() || path == request.path);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  carry_out(text);
  carry_out(R"({"requests":[{"id":"a","method":"POST","path":"/v1/farms","body":{}},)" + text +
            "]}");
  return 0;
}
