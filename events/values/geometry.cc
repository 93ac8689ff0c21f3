#include "events/values/geometry.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <geos_c.h>

#include "events/json/codec.h"
#include "events/values/box_overlaps.h"

namespace tilth {
namespace {

constexpr std::size_t kMostPositions = 10'000;
constexpr std::size_t kFewestInRing = 4;
constexpr std::size_t kMostFaults = 50;  // that are named; the others are counted

// Bounds what GEOS does for one polygon: 50 ms, measured for the worst families of shapes
// (docs/decisions/0061-what-a-request-may-cost-is-known-before-it-is-done.md).
constexpr std::uint64_t kMostWork = 1'000'000;
constexpr std::size_t kAlwaysCheap = 500;  // positions; no polygon of so few can be more work

using Kind = Json::Kind;

void append(double number, std::string& out) {
  std::array<char, 32> text = {};
  out.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr);
}

void append(const LngLat& position, std::string& out) {
  out += '[';
  append(position.lng, out);
  out += ',';
  append(position.lat, out);
  out += ']';
}

Box box_at(const LngLat& position, std::uint64_t weight) {
  return {position.lng, position.lng, position.lat, position.lat, weight};
}

void extend(Box& box, const LngLat& to) {
  box.west = std::min(box.west, to.lng), box.east = std::max(box.east, to.lng);
  box.south = std::min(box.south, to.lat), box.north = std::max(box.north, to.lat);
}

// Adds the boxes of the ring's monotone chains, runs of segments that go on in one quadrant. GEOS
// searches for crossings chain by chain. A chain's weight is the number of its segments.
void add_chains(const Ring& ring, std::vector<Box>& chains) {
  std::optional<std::pair<bool, bool>> heading;
  for (std::size_t i = 1; i < ring.size(); ++i) {
    const auto &from = ring[i - 1], &to = ring[i];
    if (from == to) continue;
    const std::pair onward{to.lng < from.lng, to.lat < from.lat};
    if (heading != onward) chains.push_back(box_at(from, 0));
    heading = onward;
    extend(chains.back(), to);
    ++chains.back().weight;
  }
}

// An upper bound of what GEOS does with the polygon, in steps of up to 50 ns: two chains whose
// boxes overlap are compared segment by segment; of two such rings, one position is located in the
// other ring, and a point where they touch is remembered.
std::uint64_t work_to_check(const Polygon& polygon) {
  std::vector<Box> chains, rings;
  for (const auto& ring : polygon.rings) {
    add_chains(ring, chains);
    rings.push_back(box_at(ring.front(), ring.size()));
    for (const auto& position : ring) extend(rings.back(), position);
  }
  const auto of_rings = count_overlaps(rings);
  return count_overlaps(chains).weight + of_rings.weight / 4 + of_rings.pairs * 8;
}

// GEOS requires that each object is destroyed in the context that made it.
class Geos {
 public:
  struct Destroy {
    GEOSContextHandle_t context;
    void operator()(GEOSGeometry* geometry) const { GEOSGeom_destroy_r(context, geometry); }
    void operator()(char* text) const { GEOSFree_r(context, text); }
  };
  template <class T>
  using Owned = std::unique_ptr<T, Destroy>;

  Geos() : context_(GEOS_init_r()) {}
  ~Geos() { GEOS_finish_r(context_); }
  Geos(const Geos&) = delete;
  Geos& operator=(const Geos&) = delete;

  // What is wrong with a polygon of closed rings; nullopt if it is valid.
  std::optional<std::string> fault(const Polygon& polygon) {
    std::vector<Owned<GEOSGeometry>> rings;
    for (const auto& ring : polygon.rings) rings.push_back(make_ring(ring));
    auto shape = make_polygon(std::move(rings));
    if (shape == nullptr) return "GEOS cannot make a polygon of it";
    char* reason = nullptr;
    GEOSGeometry* place = nullptr;
    const auto valid = GEOSisValidDetail_r(context_, shape.get(), 0, &reason, &place);
    const auto owned_reason = own(reason);
    const auto owned_place = own(place);
    if (valid == 1) return std::nullopt;
    std::string fault = reason != nullptr ? reason : "GEOS cannot judge it";
    LngLat at;
    if (place != nullptr && GEOSGeomGetX_r(context_, place, &at.lng) == 1 &&
        GEOSGeomGetY_r(context_, place, &at.lat) == 1) {
      fault += " at ";
      append(at, fault);
    }
    return fault;
  }

 private:
  template <class T>
  Owned<T> own(T* made) {
    return {made, Destroy{context_}};
  }

  Owned<GEOSGeometry> make_ring(const Ring& ring) {
    static_assert(sizeof(LngLat) == 2 * sizeof(double) && std::is_standard_layout_v<LngLat>);
    auto* positions = GEOSCoordSeq_copyFromBuffer_r(
        context_, &ring.data()->lng, static_cast<unsigned>(ring.size()), /*hasZ=*/0, /*hasM=*/0);
    return own(positions == nullptr ? nullptr : GEOSGeom_createLinearRing_r(context_, positions));
  }

  // Takes ownership of the rings; null if one of them is null.
  Owned<GEOSGeometry> make_polygon(std::vector<Owned<GEOSGeometry>> rings) {
    std::vector<GEOSGeometry*> all;
    for (const auto& ring : rings) {
      if (ring == nullptr) return own<GEOSGeometry>(nullptr);
      all.push_back(ring.get());
    }
    for (auto& ring : rings) static_cast<void>(ring.release());
    return own(GEOSGeom_createPolygon_r(context_, all.front(), all.data() + 1,
                                        static_cast<unsigned>(all.size() - 1)));
  }

  GEOSContextHandle_t context_;
};

// Reads the coordinates of one geometry and collects their faults.
class Reader {
 public:
  explicit Reader(bool check) : check_(check) {}

  LngLat position(const Json& json, const std::string& where) {
    LngLat position;
    const auto& numbers = json.children;
    if (json.kind != Kind::kArray || numbers.size() < 2 || (check_ && numbers.size() > 3)) {
      fault(where + " must be an array of 2 or 3 numbers");
      return position;
    }
    for (const auto& [name, number] : numbers) {
      if (number.kind != Kind::kNumber) {
        fault(where + " must hold numbers only");
        return position;
      }
    }
    position.lng = coordinate(numbers[0].second, 180, where, "longitude");
    position.lat = coordinate(numbers[1].second, 90, where, "latitude");
    return position;
  }

  Polygon polygon(const Json& json) {
    Polygon polygon;
    if (json.kind != Kind::kArray) {
      fault("coordinates must be an array of rings");
      return polygon;
    }
    std::size_t positions = 0;
    for (const auto& ring : json.children) positions += ring.second.children.size();
    if (check_ && json.children.empty()) fault("must have at least one ring");
    if (check_ && positions > kMostPositions) {
      fault("must have at most " + std::to_string(kMostPositions) + " positions");
      return polygon;
    }
    for (const auto& [name, ring] : json.children) {
      polygon.rings.push_back(read_ring(ring, "ring " + std::to_string(polygon.rings.size())));
    }
    if (!check_ || !faults_.empty()) return polygon;
    if (positions > kAlwaysCheap && work_to_check(polygon) > kMostWork) {
      fault("must be simpler: too many of its rings or edges have overlapping bounds");
    } else if (const auto wrong = Geos().fault(polygon)) {
      fault("must be a valid polygon: " + *wrong);
    }
    return polygon;
  }

  // `read` if it has no faults; otherwise the faults go to `issues`.
  template <class T>
  std::optional<T> finish(T read, Issues& issues, const std::string& path) const {
    if (faults_.empty()) return read;
    auto& named = issues[path];
    named.insert(named.end(), faults_.begin(), faults_.end());
    if (unnamed_ > 0) named.push_back("has " + std::to_string(unnamed_) + " more faults");
    return std::nullopt;
  }

 private:
  void fault(std::string what) {
    if (faults_.size() < kMostFaults) {
      faults_.push_back(std::move(what));
    } else {
      ++unnamed_;
    }
  }

  double coordinate(const Json& number, int bound, const std::string& where, const char* name) {
    double value = 0;
    const auto& text = number.text;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || (check_ && !stands_for(value, text))) {
      fault(where + " has a " + name + " with " + kTooManyDigits);
    } else if (check_ && (value < -bound || value > bound)) {
      const auto most = std::to_string(bound);
      fault(where + " must have a " + name + " from -" + most + " to " + most);
    }
    return value;
  }

  Ring read_ring(const Json& json, const std::string& where) {
    Ring ring;
    if (json.kind != Kind::kArray) {
      fault(where + " must be an array of positions");
      return ring;
    }
    ring.reserve(json.children.size());
    const auto faults_before = faults_.size() + unnamed_;
    for (const auto& [name, child] : json.children) {
      ring.push_back(position(child, where + ", position " + std::to_string(ring.size())));
    }
    if (!check_ || faults_.size() + unnamed_ != faults_before) return ring;
    if (ring.size() < kFewestInRing) {
      fault(where + " must have at least " + std::to_string(kFewestInRing) + " positions");
    } else if (ring.front() != ring.back()) {
      fault(where + " must be closed: its last position must equal its first");
    }
    return ring;
  }

  bool check_;
  std::vector<std::string> faults_;
  std::size_t unnamed_ = 0;
};

// The coordinates of a geometry of that type; null if it is none.
const Json* coordinates_of(std::string_view type, const Json& json) {
  const Json* found = json.find("type");
  const bool is = found != nullptr && found->kind == Kind::kString && found->text == type;
  return is ? json.find("coordinates") : nullptr;
}

}  // namespace

std::optional<Polygon> read_polygon(const Json& json, bool check, Issues& issues,
                                    const std::string& path) {
  const Json* coordinates = coordinates_of("Polygon", json);
  if (coordinates == nullptr) {
    issues[path].push_back("must be a GeoJSON Polygon with its coordinates");
    return std::nullopt;
  }
  Reader reader(check);
  return reader.finish(reader.polygon(*coordinates), issues, path);
}

std::optional<PolygonOrPoint> read_polygon_or_point(const Json& json, bool check, Issues& issues,
                                                    const std::string& path) {
  if (coordinates_of("Polygon", json) != nullptr) return read_polygon(json, check, issues, path);
  const Json* coordinates = coordinates_of("Point", json);
  if (coordinates == nullptr) {
    issues[path].push_back("must be a GeoJSON Polygon or Point with its coordinates");
    return std::nullopt;
  }
  Reader reader(check);
  return reader.finish(reader.position(*coordinates, "coordinates"), issues, path);
}

void write_geojson(const Polygon& polygon, std::string& out) {
  out.append(R"({"type":"Polygon","coordinates":[)");
  for (std::size_t i = 0; i < polygon.rings.size(); ++i) {
    out.append(i == 0 ? "[" : ",[");
    const auto& ring = polygon.rings[i];
    for (std::size_t j = 0; j < ring.size(); ++j) {
      if (j != 0) out += ',';
      append(ring[j], out);
    }
    out += ']';
  }
  out.append("]}");
}

void write_geojson(const LngLat& point, std::string& out) {
  out.append(R"({"type":"Point","coordinates":)");
  append(point, out);
  out += '}';
}

}  // namespace tilth
