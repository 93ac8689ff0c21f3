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

// Only this service's own content, no inline script or style, and no framing by other sites. Map
// tiles are images of one further origin.
std::string policy(std::string_view tiles = {}) {
  const auto origin = tiles.substr(0, tiles.find('/', tiles.find("://") + 3));
  return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:" +
         (origin.empty() ? std::string() : " " + std::string(origin)) +
         "; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; "
         "frame-ancestors 'none'";
}

HttpResponse page(const Asset& asset, const std::string& policy) {
  return {200,
          {{"Content-Type", std::string(asset.type)},
           {"Cache-Control", "no-cache"},
           {"Content-Security-Policy", policy},
           {"Referrer-Policy", "same-origin"},
           {"Cross-Origin-Opener-Policy", "same-origin"}}};
}

constexpr std::string_view kOfOperators = "/assets/operators/";
constexpr std::string_view kOperatorsPage = "/assets/operators/index.html";

Route page_route(std::string_view path, const Asset& asset, std::string policy) {
  const FixedBody body(asset.type, asset.bytes, "\"" + std::string(asset.tag) + "\"",
                       asset.gzipped);
  return {.method = "GET",
          .pattern = path,
          .summary = "A page, or a part of one",
          .guard = Guard::kNone,
          .action = [&asset, body, its = std::move(policy)](const Call& call) {
            auto response = page(asset, its);
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

// A JSON document that stays as it is while the service runs.
Route document_route(std::string_view path, std::string_view summary, std::string json) {
  const auto document = std::make_shared<const std::string>(std::move(json));
  return {.method = "GET",
          .pattern = path,
          .summary = summary,
          .guard = Guard::kNone,
          .action = [document, body = FixedBody("application/json", *document,
                                                entity_tag(*document))](const Call& call) {
            auto response = json_response(200, {});
            response.headers.emplace_back("Cache-Control", "no-cache");
            body.show(call.request(), response);
            call.answer(std::move(response));
          }};
}

struct TilesView {
  std::string url;
  std::string attribution;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("url", url), member("attribution", attribution));
  }
};

std::string json_of(const MapTiles& tiles) {
  return tiles.url.empty() ? "null" : JsonWriter::text(TilesView{tiles.url, tiles.attribution});
}

}  // namespace

std::vector<Route> operator_page_routes() {
  std::vector<Route> routes;
  for (const auto& asset : assets()) {
    if (asset.path == kOperatorsPage) {
      routes.push_back(page_route("/", asset, policy()));
    } else if (asset.path.starts_with(kOfOperators) || is_shared(asset.path)) {
      routes.push_back(page_route(asset.path, asset, policy()));
    }
  }
  return routes;
}

std::vector<Route> page_routes(std::string openapi, const MapTiles& tiles) {
  std::vector<Route> routes;
  for (const auto& asset : assets()) {
    if (asset.path.starts_with(kOfOperators)) continue;
    routes.push_back(page_route(asset.path, asset, policy(tiles.url)));
  }
  routes.push_back(document_route("/assets/map.json", "What the maps show below the fields",
                                  "{\"tiles\":" + json_of(tiles) + "}"));
  routes.push_back(document_route("/api/openapi.json", "This description", std::move(openapi)));
  return routes;
}

}  // namespace tilth
