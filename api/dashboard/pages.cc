#include "api/dashboard/pages.h"

#include <algorithm>
#include <array>
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

constexpr std::string_view kOfOperators = "/assets/operators/";
constexpr std::string_view kOperatorsPage = "/assets/operators/index.html";

Route page_route(std::string_view path, const Asset& asset) {
  const FixedBody body(asset.type, asset.bytes, "\"" + std::string(asset.tag) + "\"",
                       asset.gzipped);
  return {.method = "GET",
          .pattern = path,
          .summary = "A page, or a part of one",
          .guard = Guard::kNone,
          .action = [&asset, body](const Call& call) {
            auto response = page(asset);
            body.show(call.request(), response);
            call.answer(std::move(response));
          }};
}

// Components, and what is drawn with them.
bool is_shared(std::string_view path) {
  constexpr std::array<std::string_view, 8> kShared = {
      "/assets/core/",         "/assets/vendor/preact/", "/assets/vendor/htm/",
      "/assets/vendor/inter/", "/assets/vendor/uplot/",  "/assets/style.css",
      "/assets/icon.svg",      "/assets/furrows.svg"};
  return std::any_of(kShared.begin(), kShared.end(),
                     [&](auto prefix) { return path.starts_with(prefix); });
}

}  // namespace

std::vector<Route> operator_page_routes() {
  std::vector<Route> routes;
  for (const auto& asset : assets()) {
    if (asset.path == kOperatorsPage) {
      routes.push_back(page_route("/", asset));
    } else if (asset.path.starts_with(kOfOperators) || is_shared(asset.path)) {
      routes.push_back(page_route(asset.path, asset));
    }
  }
  return routes;
}

std::vector<Route> page_routes(std::string openapi) {
  std::vector<Route> routes;
  for (const auto& asset : assets()) {
    if (!asset.path.starts_with(kOfOperators)) routes.push_back(page_route(asset.path, asset));
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
