#include "api/dashboard/pages.h"

#include <memory>
#include <utility>

#include "api/routing/resource_route.h"
#include "projections/rows/rendered_row.h"

namespace tilth {
namespace {

// Only this service's own content, no inline script or style, and no framing by other sites.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors "
    "'none'";

bool takes_gzip(const HttpRequest& request) {
  const auto accepted = request.joined("accept-encoding");
  if (!accepted) return false;
  const auto at = accepted->find("gzip");
  return at != accepted->npos && accepted->compare(at, 8, "gzip;q=0") != 0;
}

HttpResponse shown(const Asset& asset, const HttpRequest& request) {
  const bool gzip = !asset.gzipped.empty() && takes_gzip(request);
  const auto tag = "\"" + std::string(asset.tag) + (gzip ? "z\"" : "\"");
  HttpResponse response{200,
                        {{"Content-Type", std::string(asset.type)},
                         {"ETag", tag},
                         {"Cache-Control", "no-cache"},
                         {"Vary", "Accept-Encoding"},
                         {"Content-Security-Policy", std::string(kPolicy)},
                         {"Referrer-Policy", "same-origin"},
                         {"Cross-Origin-Opener-Policy", "same-origin"}},
                        {},
                        {gzip ? asset.gzipped : asset.bytes}};
  if (gzip) response.headers.emplace_back("Content-Encoding", "gzip");
  return response;
}

}  // namespace

std::vector<Route> page_routes(std::string openapi) {
  std::vector<Route> routes;
  for (const auto& asset : assets()) {
    routes.push_back(
        {.method = "GET",
         .pattern = asset.path,
         .summary = "A page, or a part of one",
         .guard = Guard::kNone,
         .action = [&asset](const Call& call) { call.answer(shown(asset, call.request())); }});
  }
  const auto document = std::make_shared<const std::string>(std::move(openapi));
  routes.push_back({.method = "GET",
                    .pattern = "/api/openapi.json",
                    .summary = "This description",
                    .guard = Guard::kNone,
                    .action = [document, tag = entity_tag(*document)](const Call& call) {
                      auto response = json_response(200, {});
                      response.shared_body = {*document, document};
                      response.headers.emplace_back("ETag", tag);
                      response.headers.emplace_back("Cache-Control", "no-cache");
                      call.answer(std::move(response));
                    }});
  return routes;
}

}  // namespace tilth
