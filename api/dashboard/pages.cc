#include "api/dashboard/pages.h"

#include <memory>
#include <utility>

#include "api/http/fixed_body.h"
#include "api/routing/resource_route.h"
#include "projections/rows/rendered_row.h"

namespace tilth {
namespace {

// Only this service's own content, no inline script or style, and no framing by other sites.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors "
    "'none'";

HttpResponse page(const Asset& asset) {
  return {200,
          {{"Content-Type", std::string(asset.type)},
           {"Cache-Control", "no-cache"},
           {"Content-Security-Policy", std::string(kPolicy)},
           {"Referrer-Policy", "same-origin"},
           {"Cross-Origin-Opener-Policy", "same-origin"}}};
}

}  // namespace

std::vector<Route> page_routes(std::string openapi) {
  std::vector<Route> routes;
  for (const auto& asset : assets()) {
    const FixedBody body(asset.type, asset.bytes, "\"" + std::string(asset.tag) + "\"",
                         asset.gzipped);
    routes.push_back({.method = "GET",
                      .pattern = asset.path,
                      .summary = "A page, or a part of one",
                      .guard = Guard::kNone,
                      .action = [&asset, body](const Call& call) {
                        auto response = page(asset);
                        body.show(call.request(), response);
                        call.answer(std::move(response));
                      }});
  }
  const auto document = std::make_shared<const std::string>(std::move(openapi));
  routes.push_back(
      {.method = "GET",
       .pattern = "/api/openapi.json",
       .summary = "This description",
       .guard = Guard::kNone,
       .action = [document, body = FixedBody("application/json", *document, entity_tag(*document))](
                     const Call& call) {
         auto response = json_response(200, {});
         response.headers.emplace_back("Cache-Control", "no-cache");
         body.show(call.request(), response);
         call.answer(std::move(response));
       }});
  return routes;
}

}  // namespace tilth
