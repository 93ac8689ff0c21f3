// Places on the map: positions, and RFC 7946 geometries as the contract accepts them.

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "events/json/described.h"
#include "events/values/result.h"

namespace tilth {

struct Json;

struct LatLng {
  double lat = 0;
  double lng = 0;
  friend bool operator==(const LatLng&, const LatLng&) = default;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("lat", lat, {.required = true, .min = -90, .max = 90}),
       member("lng", lng, {.required = true, .min = -180, .max = 180}));
  }
};

// A position in a geometry: longitude first, as in RFC 7946.
struct LngLat {
  double lng = 0;
  double lat = 0;
  friend bool operator==(const LngLat&, const LngLat&) = default;
};

using Ring = std::vector<LngLat>;

#define TILTH_POSITION_SCHEMA                                                   \
  R"({"type":"array","description":"Longitude, latitude and, without effect, )" \
  R"(an altitude.","minItems":2,"maxItems":3,"items":{"type":"number"}})"

#define TILTH_POLYGON_SCHEMA                                                                   \
  R"({"title":"Polygon","type":"object",)"                                                     \
  R"("description":"A GeoJSON Polygon of at most 10,000 positions in all.",)"                  \
  R"("required":["type","coordinates"],"properties":{)"                                        \
  R"("type":{"type":"string","enum":["Polygon"],"description":"Polygon."},)"                   \
  R"("coordinates":{"type":"array","description":"The outer ring, then the holes; each ends )" \
  R"(where it begins.","minItems":1,"maxItems":2500,"items":{"type":"array",)"                 \
  R"("minItems":4,"maxItems":10000,"items":)" TILTH_POSITION_SCHEMA                            \
  R"(}}},"examples":[{"type":"Polygon","coordinates":)"                                        \
  R"([[[39.6173,24.4392],[39.6203,24.4392],[39.6203,24.4421],[39.6173,24.4392]]]}]})"

// At least one ring, each closed and of at least 4 positions; simple according to GEOS's isValid.
struct Polygon {
  static constexpr std::string_view kSchema = TILTH_POLYGON_SCHEMA;

  std::vector<Ring> rings;
  static constexpr auto kWrapped = &Polygon::rings;
  friend bool operator==(const Polygon&, const Polygon&) = default;

  static std::optional<Polygon> read_json(const Json& json, bool check, Issues& issues,
                                          const std::string& path);
  void write_json(std::string& out) const;
};

using PolygonOrPoint = std::variant<Polygon, LngLat>;

// The geometry of a block: an outline or a point.
struct Geometry {
  static constexpr std::string_view kSchema =
      R"({"title":"Geometry","type":"object",)"
      R"("description":"A GeoJSON Point, or Polygon of at most 10,000 positions in all.",)"
      R"("required":["type","coordinates"],"oneOf":[{"title":"Point","type":"object",)"
      R"("description":"A GeoJSON Point.","required":["type","coordinates"],)"
      R"("properties":{"type":{"type":"string","enum":["Point"],"description":"Point."},)"
      R"("coordinates":)" TILTH_POSITION_SCHEMA
      R"(},"examples":[{"type":"Point","coordinates":[39.6177,24.4396]}]},)" TILTH_POLYGON_SCHEMA
      R"(],"examples":[{"type":"Point","coordinates":[39.6177,24.4396]}]})";

  PolygonOrPoint shape;
  static constexpr auto kWrapped = &Geometry::shape;
  friend bool operator==(const Geometry&, const Geometry&) = default;

  static std::optional<Geometry> read_json(const Json& json, bool check, Issues& issues,
                                           const std::string& path);
  void write_json(std::string& out) const;
};

// Reads GeoJSON. Faults go to `issues` under `path` (also those deeper inside), with the reason,
// and the result is nullopt. Only `type` and `coordinates` are kept; a position's third number is
// dropped. A coordinate that no double can represent is refused. If `check` is false, this reads a
// stored event: shape only, no rules (docs/api.md, "Values").
std::optional<Polygon> read_polygon(const Json& json, bool check, Issues& issues,
                                    const std::string& path);
std::optional<PolygonOrPoint> read_polygon_or_point(const Json& json, bool check, Issues& issues,
                                                    const std::string& path);

// Appends GeoJSON: the same numbers in the same order, as the shortest text that reads back the
// same.
void write_geojson(const Polygon& polygon, std::string& out);
void write_geojson(const LngLat& point, std::string& out);

inline std::optional<Polygon> Polygon::read_json(const Json& json, bool check, Issues& issues,
                                                 const std::string& path) {
  return read_polygon(json, check, issues, path);
}
inline void Polygon::write_json(std::string& out) const { write_geojson(*this, out); }

inline std::optional<Geometry> Geometry::read_json(const Json& json, bool check, Issues& issues,
                                                   const std::string& path) {
  auto shape = read_polygon_or_point(json, check, issues, path);
  return shape ? std::optional(Geometry{std::move(*shape)}) : std::nullopt;
}
inline void Geometry::write_json(std::string& out) const {
  std::visit([&](const auto& each) { write_geojson(each, out); }, shape);
}

#undef TILTH_POLYGON_SCHEMA
#undef TILTH_POSITION_SCHEMA

}  // namespace tilth
